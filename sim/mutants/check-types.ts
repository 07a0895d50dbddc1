// Type-checks what mutants make of their files: a mutant that does not compile is noticed for its mistake, not for its rule. Each
// file of each mutant stands as a copy beside the file that it breaks, so that one run of the compiler checks all of them.
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mutants } from './mutants.ts'
import { sourcesOf } from './substitute.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const compiler = join(root, 'node_modules/typescript/bin/tsc')
const outputBytesMax = 64 * 1024 * 1024

/** By the name of a mutant, the errors of the compiler in its files. Mutants without an error are left out. */
export async function typeErrors(): Promise<ReadonlyMap<string, readonly string[]>> {
  const folder = await mkdtemp(join(tmpdir(), 'rescind-types-'))
  try {
    await cp(join(root, 'src'), join(folder, 'src'), { recursive: true })
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    for (const file of ['tsconfig.json', 'package.json']) await cp(join(root, file), join(folder, file))
    const copies = new Map<string, string>()
    for (const { name } of mutants) {
      for (const [path, source] of sourcesOf(name)) {
        const copy = relative(root, path).replace(/\.ts$/, `.${name}.ts`)
        copies.set(copy, name)
        await mkdir(dirname(join(folder, copy)), { recursive: true })
        await writeFile(join(folder, copy), source)
      }
    }
    const options = { noEmit: true, noUnusedLocals: false, noUnusedParameters: false }
    const project = { extends: './tsconfig.json', compilerOptions: options, include: [], files: [...copies.keys()] }
    await writeFile(join(folder, 'tsconfig.mutants.json'), JSON.stringify(project))
    return errorsIn(await compile(folder), copies)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function compile(folder: string): Promise<string> {
  const args = [compiler, '-p', 'tsconfig.mutants.json', '--pretty', 'false']
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { cwd: folder, maxBuffer: outputBytesMax }, (error, out) => {
      // Errors in the files are an exit code with a text.
      if (error && out === '') reject(error)
      else resolve(out)
    })
  })
}

function errorsIn(out: string, copies: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  const errors = new Map<string, string[]>()
  for (const line of out.split('\n')) {
    const [, file = '', fault] = /^([^\s(][^(]*)\(\d+,\d+\): (error .*)$/.exec(line) ?? []
    if (fault === undefined) continue
    const name = copies.get(file)
    if (name === undefined) throw new Error(`the compiler reports a file that no mutant has: ${line}`)
    errors.set(name, [...(errors.get(name) ?? []), fault])
  }
  return errors
}
