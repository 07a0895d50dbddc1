// Casts are counted, and each new one has to take the place of another.
import { expect, test } from 'vitest'
import { castsOf } from './casts.ts'
import { sourceFiles } from './source-files.ts'

const castsMax = 60

test(`there are at most ${castsMax} casts under src`, async () => {
  const files = (await sourceFiles()).map(({ path, source }) => ({ path, lines: castsOf(source) }))
  const casts = files.flatMap(({ path, lines }) => lines.map((line) => `src/${path}:${line}`))
  expect(casts.length, casts.join('\n')).toBeLessThanOrEqual(castsMax)
})

test.each([
  'const id = given as Id',
  `const id = (given.id) as \`0x\${string}\``,
  "const kind = row.kind as 'a' | 'b'",
  'const list = [] as string[]',
  'const odd = given as { readonly a: string }',
  'const first = list[0]!',
  'const name = find(id)!.name',
  'class A { name!: string }',
  'const rows = query.$castTo<Row>()',
  `const text = \`\${given as string}\``,
  "import { a } from 'a'\nconst b = a as B",
])('a cast: %s', (source) => {
  expect(castsOf(source)).toHaveLength(1)
})

test('two at once are two', () => {
  expect(castsOf('const a = b as unknown as C\nconst d = e as F')).toEqual([1, 1, 2])
})

test.each([
  'const list = [1] as const',
  "import { a as b } from 'a'",
  "import type { A as B } from 'a'",
  "import c, { a as b } from 'a'",
  "import * as A from 'a'",
  "export { a as b } from 'a'",
  '// known as Id',
  '/* known\nas Id */',
  "const text = 'such as this'",
  `const text = \`such as \${this}, as Id\``,
  'const pattern = /known as Id/',
  "const query = db.selectFrom('a').as('b')",
  'type Keys = { [K in keyof T as T[K] extends U ? K : never]: T[K] }',
  'if (a !== b || !c) as()',
  'const as = 1',
])('none: %s', (source) => {
  expect(castsOf(source)).toEqual([])
})
