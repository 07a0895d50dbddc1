// The simulator keeps rules of src/: no import circle, short files, a first line that says the job, and plain English.
import { expect, test } from 'vitest'
import { cyclesOf } from './cycles.ts'
import { commentsOf, countPhrases, stringsOf, total, withoutEdits } from './english.ts'
import { sourceFiles } from './source-files.ts'

const files = await sourceFiles('sim')

test('no file under sim imports itself over others', () => {
  expect(cyclesOf(files)).toEqual([])
})

test('every file has at most 400 lines', () => {
  const long = files.map(({ path, source }) => ({ path, lines: source.trimEnd().split('\n').length }))
  expect(long.filter(({ lines }) => lines > 400)).toEqual([])
})

test('every file begins with a line that says its job', () => {
  expect(files.filter(({ source }) => !source.startsWith('// ')).map(({ path }) => path)).toEqual([])
})

/** Words that need an explanation: an option or a fault has a plain name. */
const figurative = /weather|mood|fates?\b|\bseats?\b|doom|zombie/i

test('no file names an option or a fault by a figure of speech', () => {
  expect(files.filter(({ source }) => figurative.test(withoutEdits(source))).map(({ path }) => path)).toEqual([])
})

/** Phrases to decode for 1,000 lines: fewer than this. */
const phrasesMax = 4

test('comments and strings have few phrases to decode', () => {
  const lines = files.reduce((sum, { source }) => sum + source.split('\n').length, 0)
  const texts = files.map(({ path, source }) =>
    countPhrases(path, `${commentsOf(source)}\n${stringsOf(withoutEdits(source))}`),
  )
  expect((1_000 * total(texts)) / lines).toBeLessThanOrEqual(phrasesMax)
})
