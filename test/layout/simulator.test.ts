// The simulator keeps rules of src/: no import circle, short files, a first line that says the job, and plain names.
import { expect, test } from 'vitest'
import { cyclesOf } from './cycles.ts'
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

/** A mutant's texts without its edits, which are code of src/. */
function withoutEdits(source: string): string {
  return source.replace(/\b(file|find|put): (?:'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")/g, "$1: ''")
}

test('no file names an option or a fault by a figure of speech', () => {
  expect(files.filter(({ source }) => figurative.test(withoutEdits(source))).map(({ path }) => path)).toEqual([])
})
