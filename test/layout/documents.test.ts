// The documents name files that exist: a file that is renamed or moved takes its mentions with it.
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { documentNames } from './document-names.ts'

const root = join(import.meta.dirname, '../..')
const folders = ['src', 'test', 'sim', 'tooling', 'bench', 'demo']

/** Paths and names of files in backticks. */
function filesNamed(markdown: string): readonly string[] {
  return [...markdown.matchAll(/`([\w./-]+\.tsx?)`/g)].map(([, path = '']) => path)
}

const standIn = /VERB|PROVIDER|NAME/

async function pathsThere(): Promise<readonly string[]> {
  const lists = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(join(root, folder), { recursive: true })).map((path) => `${folder}/${path}`),
    ),
  )
  return [...lists.flat(), 'vitest.config.ts']
}

/** A stand-in needs a neighbor of its form: `src/config/parse-PROVIDER.ts` stands for `src/config/parse-vault.ts`. */
function isThere(named: string, paths: readonly string[]): boolean {
  if (!named.includes('/')) return standIn.test(named) || paths.some((path) => basename(path) === named)
  if (!standIn.test(named)) return existsSync(join(root, named)) || existsSync(join(root, 'src', named))
  const form = new RegExp(`^${named.replaceAll('.', '\\.').replace(standIn, '[^/]+')}$`)
  return paths.some((path) => form.test(path))
}

test('every file that a document names exists', async () => {
  const paths = await pathsThere()
  const missing: string[] = []
  for (const document of await documentNames()) {
    const named = filesNamed(await readFile(join(root, document), 'utf8'))
    missing.push(...named.filter((file) => !isThere(file, paths)).map((file) => `${document}: ${file}`))
  }
  expect(missing).toEqual([])
})

test('names are found in backticks, and stand-ins need a file of their form', async () => {
  expect(filesNamed('`domain/fees.ts` and `fees.ts`, not fees.ts')).toEqual(['domain/fees.ts', 'fees.ts'])
  const paths = await pathsThere()
  expect(isThere('src/config/parse-PROVIDER.ts', paths)).toBe(true)
  expect(isThere('tooling/key-services/PROVIDER.test.ts', paths)).toBe(false)
})
