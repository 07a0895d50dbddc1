// No two folders under src/ import each other, except the pairs that are left, and a new pair is noticed.
import { expect, test } from 'vitest'
import { mutualFolders, mutualFoldersOf } from './mutual-folders.ts'
import { sourceFiles } from './source-files.ts'

test('the folders that import each other are the pairs that are left; a pair that is gone leaves the list', async () => {
  expect(mutualFoldersOf(await sourceFiles())).toEqual(mutualFolders)
})

const file = (path: string, ...specifiers: readonly string[]) => ({
  path,
  source: specifiers.map((each) => `import type { X } from '${each}'\n`).join(''),
})

test('siblings that import each other are a pair, through other files as well', () => {
  expect(mutualFoldersOf([file('a/b/one.ts', '../c/two.ts'), file('a/c/three.ts', '../b/four.ts')])).toEqual([
    'a/b <-> a/c',
  ])
})

test('folders that import one way are no pair, and a folder is none with itself', () => {
  expect(mutualFoldersOf([file('a/one.ts', './b/two.ts', './four.ts', 'viem'), file('a/four.ts', './one.ts')])).toEqual(
    [],
  )
})
