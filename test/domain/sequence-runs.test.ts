// Sets of sequences as runs.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countLacking, runsOf, setOf } from '../../src/domain/sequence-runs.ts'

const sequences = fc.uniqueArray(fc.nat({ max: 60 }), { maxLength: 60 })

test('a set has what it was made of, and nothing else', () => {
  fc.assert(
    fc.property(sequences, (all) => {
      const set = setOf(runsOf(all))
      expect(set.size).toBe(all.length)
      for (let each = -1; each <= 62; each += 1) expect(set.has(each)).toBe(all.includes(each))
    }),
  )
})

test('counts what another one lacks', () => {
  fc.assert(
    fc.property(sequences, sequences, (one, other) => {
      expect(countLacking(runsOf(one), runsOf(other))).toBe(one.filter((each) => !other.includes(each)).length)
    }),
  )
})

test('a queue without gaps is one run', () => {
  expect(runsOf([9, 7, 8, 5])).toEqual([5, 1, 1, 3])
  expect(runsOf([])).toEqual([])
})
