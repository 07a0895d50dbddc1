// What demo, bench, simulator and tests share lies in tooling/: none of them is a library of another's.
import { readdir, readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { expect, test } from 'vitest'
import { importsOf } from './source.ts'

const root = join(import.meta.dirname, '../..')

/** Folder: what of the repository it may import besides itself. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  tooling: ['src'],
  sim: ['src', 'tooling'],
  demo: ['src', 'tooling'],
  bench: ['src', 'tooling'],
}

test.each(Object.entries(allowed))('%s/ imports from %j and from itself alone', async (folder, others) => {
  const entries = await readdir(join(root, folder), { recursive: true })
  const files = entries.filter((entry) => entry.endsWith('.ts'))
  expect(files.length).toBeGreaterThan(5)
  const strays: string[] = []
  for (const file of files) {
    const path = posix.join(folder, file)
    for (const { specifier } of importsOf(await readFile(join(root, path), 'utf8'))) {
      if (!specifier.startsWith('.')) continue
      const target = posix.join(posix.dirname(path), specifier).split('/')[0] ?? ''
      if (target !== folder && !others.includes(target)) strays.push(`${path}: ${specifier}`)
    }
  }
  expect(strays).toEqual([])
})
