// The documents name files that exist: a file that is renamed or moved takes its mentions with it.
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { documentNames } from './english.ts'

const root = join(import.meta.dirname, '../..')
const folders = ['src', 'test', 'sim', 'tooling', 'bench', 'demo']

/** Paths and names of TypeScript files in backticks; `VERB.ts` and `PROVIDER.ts` stand for any. */
function filesNamed(markdown: string): readonly string[] {
  const named = [...markdown.matchAll(/`([\w./-]+\.ts)`/g)].map(([, path = '']) => path)
  return named.filter((path) => !/(?:VERB|PROVIDER)\.(?:test\.)?ts$/.test(path))
}

async function fileNames(): Promise<ReadonlySet<string>> {
  const lists = await Promise.all(folders.map((folder) => readdir(join(root, folder), { recursive: true })))
  return new Set([...lists.flat().map((path) => basename(path)), 'vitest.config.ts'])
}

test('every file that a document names exists', async () => {
  const known = await fileNames()
  const missing: string[] = []
  for (const document of await documentNames()) {
    for (const path of filesNamed(await readFile(join(root, document), 'utf8'))) {
      const isThere = path.includes('/')
        ? existsSync(join(root, path)) || existsSync(join(root, 'src', path))
        : known.has(path)
      if (!isThere) missing.push(`${document}: ${path}`)
    }
  }
  expect(missing).toEqual([])
})

test('names are found in backticks, and stand-ins are left out', () => {
  expect(filesNamed('`domain/fees.ts` and `fees.ts`, not fees.ts or `src/domain/VERB.ts`')).toEqual([
    'domain/fees.ts',
    'fees.ts',
  ])
})
