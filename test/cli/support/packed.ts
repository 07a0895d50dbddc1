// The packed package, unpacked where it finds the packages of the repository, and its commands as processes.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const execute = promisify(execFile)

interface Packed extends AsyncDisposable {
  readonly directory: string
}

/** As `npm pack` makes it, with its build. */
export async function pack(): Promise<Packed> {
  const cache = join(root, 'node_modules/.cache')
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, 'packed-'))
  await execute('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root })
  const archive = (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? ''
  await execute('tar', ['-xzf', archive], { cwd: folder })
  return {
    directory: join(folder, 'package'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

export interface Ran {
  readonly exit: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Running {
  readonly child: ChildProcess
  stdout(): string
  readonly ended: Promise<Ran>
}

/** `main`: a file, or the first argument of Node. Exactly `env` is its environment. */
export function start(
  main: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Running {
  const { NODE_COMPILE_CACHE: cache } = process.env
  const child = spawn(process.execPath, [main, ...args], {
    cwd,
    env: { ...(cache !== undefined && { NODE_COMPILE_CACHE: cache }), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const read = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      read[name] += chunk
    })
  }
  const ended = new Promise<Ran>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (exit) => resolve({ exit, ...read }))
  })
  return { child, stdout: () => read.stdout, ended }
}
