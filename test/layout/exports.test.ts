import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { expect, test } from 'vitest'
import { unusedExports } from './exports.ts'

const root = join(import.meta.dirname, '../..')

async function filesOf(folder: string) {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && /\.(ts|tsx|mjs)$/.test(entry.name))
  return Promise.all(
    files.map(async (entry) => {
      const full = join(entry.parentPath, entry.name)
      return { path: relative(root, full).split(sep).join('/'), source: await readFile(full, 'utf8') }
    }),
  )
}

test('every export under src is used by another file; programs import the client from the package', async () => {
  const folders = await Promise.all(['src', 'test', 'sim', 'tooling', 'bench', 'demo'].map(filesOf))
  const isHeld = (path: string) => path.startsWith('src/') && !path.startsWith('src/client/')
  expect(unusedExports(folders.flat(), isHeld)).toEqual([])
})

test.each([
  ['an import by its name', `import { one } from './one.ts'`, []],
  ['an import of a type under another name', `import { type one as other } from './one.ts'`, []],
  ['a namespace', `import * as all from './one.ts'`, []],
  ['a module that is loaded later', `const { one } = await import('./one.ts')`, []],
  ['an import of another name', `import { two } from './one.ts'`, ['src/one.ts: one']],
  ['an import from another file', `import { one } from './two.ts'`, ['src/one.ts: one']],
])('%s', (_, source, unused) => {
  const files = [
    { path: 'src/one.ts', source: 'export function one() {}\nfunction own() {}\n' },
    { path: 'src/user.ts', source },
  ]
  expect(unusedExports(files, (path) => path === 'src/one.ts')).toEqual(unused)
})
