// Times on the wire, in whatever order they are told.
import { expect, test } from 'vitest'
import { presentTime } from '../../../src/http/response/present-values.ts'

test('each time is its own, whichever was told before', () => {
  const second = Date.UTC(2026, 10, 22, 23, 59, 59)
  const times = [0, 1, 999, 1_000, 60_000, 86_400_000, -1_000, -1 - second].map((after) => second + after)
  const inAnyOrder = [...times, ...times.toReversed(), ...times.map(() => second + 7)]
  expect(() => presentTime(9e15)).toThrow(RangeError)
  expect(inAnyOrder.map(presentTime)).toEqual(inAnyOrder.map((at) => new Date(at).toISOString()))
})
