// Times on the wire, in any order.
import { expect, test } from 'vitest'
import { presentTime } from '../../../src/http/response/present-values.ts'

test('each time is its own, after any other', () => {
  const second = Date.UTC(2026, 10, 22, 23, 59, 59)
  const times = [0, 1, 999, 1_000, 60_000, 86_400_000, -1_000, -1 - second].map((after) => second + after)
  const inAnyOrder = [...times, ...times.toReversed(), ...times.map(() => second + 7)]
  expect(() => presentTime(9e15)).toThrow(RangeError)
  expect(inAnyOrder.map(presentTime)).toEqual(inAnyOrder.map((at) => new Date(at).toISOString()))
})
