// No file under src/ imports itself over others, and a circle is noticed, however it is closed.
import { expect, test } from 'vitest'
import { cyclesOf } from './cycles.ts'
import { sourceFiles } from './source-files.ts'

test('no file under src imports itself over others', async () => {
  expect(cyclesOf(await sourceFiles())).toEqual([])
})

const file = (path: string, ...specifiers: readonly string[]) => ({
  path,
  source: specifiers.map((each) => `import { x } from '${each}'\n`).join(''),
})

test('a circle is reported once, from its first file by the alphabet on', () => {
  expect(
    cyclesOf([file('a/one.ts', './two.ts'), file('a/two.ts', '../b/three.ts'), file('b/three.ts', '../a/one.ts')]),
  ).toEqual(['a/one.ts -> a/two.ts -> b/three.ts -> a/one.ts'])
})

test.each([
  "import type { X } from './a.ts'",
  "import { type X } from './a.ts'",
  "export { x } from './a.ts'",
  "export type { X } from './a.ts'",
  "const lazy = await import('./a.ts')",
])('a circle is noticed that is closed by: %s', (source) => {
  expect(cyclesOf([file('a.ts', './b.ts'), { path: 'b.ts', source }])).toEqual(['a.ts -> b.ts -> a.ts'])
})

test('a file that two others import closes no circle', () => {
  expect(cyclesOf([file('a.ts', './b.ts', './c.ts'), file('b.ts', './c.ts'), file('c.ts', 'node:fs')])).toEqual([])
})
