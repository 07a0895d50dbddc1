// A mutant replaces text of the engine, which moves on: what it replaces stands exactly once.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { mutants } from '../../sim/mutants/mutants.ts'
import { pins } from '../../sim/mutants/pins.ts'

test.each(mutants)('$name replaces text that is there once', ({ edits, caughtBy }) => {
  for (const { file, find } of edits) expect(readFileSync(file, 'utf8').split(find), `${file}: ${find}`).toHaveLength(2)
  if (caughtBy !== undefined) expect(() => readFileSync(caughtBy)).not.toThrow()
})

test('each mutant has a name of its own', () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length)
})

test('the words that a mutant expects are more than a letter or two: they name a check', () => {
  expect(mutants.filter(({ expects }) => expects.trim().length < 4)).toEqual([])
})

test('no mutant has a pin beside its test: the pin alone would be tried', () => {
  expect(mutants.filter(({ name, caughtBy }) => caughtBy !== undefined && pins()[name] !== undefined)).toEqual([])
})
