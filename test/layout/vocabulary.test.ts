// One word per concept, kept by every name under src, sim, tooling and test; and no exported type means two things.
import { readdir, readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { expect, test } from 'vitest'
import { type NamedFile, sharedTypeNames, vocabularyViolations } from './vocabulary.ts'

const root = join(import.meta.dirname, '../..')

/** The rule and its samples. */
const own = ['test/layout/vocabulary.ts', 'test/layout/vocabulary.test.ts']

async function filesUnder(folder: string): Promise<readonly NamedFile[]> {
  const entries = await readdir(join(root, folder), { recursive: true })
  const paths = entries.filter((entry) => entry.endsWith('.ts')).map((entry) => posix.join(folder, entry))
  return Promise.all(paths.map(async (path) => ({ path, source: await readFile(join(root, path), 'utf8') })))
}

test.each(['src', 'sim', 'tooling', 'test'])('every name under %s uses the words of the glossary', async (folder) => {
  const files = (await filesUnder(folder)).filter(({ path }) => !own.includes(path))
  expect(files.length).toBeGreaterThan(5)
  expect(files.flatMap(vocabularyViolations)).toEqual([])
})

test('no exported type of src is declared in two files', async () => {
  expect(sharedTypeNames(await filesUnder('src'))).toEqual([])
})

test.each([
  'const handOver = 1',
  'const { envelope } = signed',
  'const byStranger = 1',
  'const tellError = 1',
  'const refusedFiller = 1',
  'function isOutpaced() {}',
  'row.handed_at',
  `const text = \`\${taker.hash}\``,
])('a name that is not of the glossary is reported: %s', (source) => {
  expect(vocabularyViolations({ path: 'src/domain/fees.ts', source })).toHaveLength(1)
})

test.each([
  'const gapFiller = 1',
  "const text = 'told by an envelope'",
  '// the taker of an estate',
  'const handle = 1',
  'const overtaken = 1',
  "import { success } from '../response/envelope.ts'",
])('none: %s', (source) => {
  expect(vocabularyViolations({ path: 'src/domain/fees.ts', source })).toEqual([])
})

test('a type that two files export is reported with both', () => {
  const files = ['a.ts', 'b.ts', 'c.ts'].map((path) => ({ path, source: 'export interface Verdict {}' }))
  expect(sharedTypeNames(files)).toEqual(['Verdict: a.ts, b.ts, c.ts'])
  expect(sharedTypeNames([{ path: 'a.ts', source: 'export interface A {}\nexport type B = A' }])).toEqual([])
})
