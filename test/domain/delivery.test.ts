// When a delivery is tried again: later each time, never all at once, and not for ever.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Due, nextTry } from '../../src/domain/delivery.ts'
import type { TransactionId } from '../../src/domain/ids.ts'

const day = 86_400_000
const draws = fc.double({ min: 0, max: 0.999_999, noNaN: true })

test('each time is at most double the one before, between half of it and all of it, and an hour at most', () => {
  fc.assert(
    fc.property(fc.nat(200), draws, (tries, draw) => {
      const due: Due = { eventId: 1, subjectId: 't' as TransactionId, tries, givesUpAt: 1_000 + day }
      const wait = (nextTry(due, 1_000, draw, 0) ?? Number.NaN) - 1_000
      const most = Math.min(3_600_000, 250 * 2 ** tries)
      expect(wait).toBeGreaterThanOrEqual(most / 2)
      expect(wait).toBeLessThanOrEqual(most)
    }),
  )
})

test('however the dice fall, a day of failures ends, after tens of tries, and not before 22 hours', () => {
  fc.assert(
    fc.property(fc.array(draws, { minLength: 10, maxLength: 10 }), (some) => {
      let due: Due = { eventId: 1, subjectId: 't' as TransactionId, tries: 0, givesUpAt: 5_000 + day }
      let now = 5_000
      for (;;) {
        const at = nextTry(due, now, some[due.tries % some.length] ?? 0, 0)
        due = { ...due, tries: due.tries + 1 }
        if (at === undefined) break
        now = at
      }
      expect(now - 5_000).toBeGreaterThan(22 * 3_600_000)
      expect(now - 5_000).toBeLessThanOrEqual(24 * 3_600_000)
      expect(due.tries).toBeGreaterThan(30)
      expect(due.tries).toBeLessThan(80)
    }),
  )
})

test('a receiver’s Retry-After is followed, for an hour at most', () => {
  const due: Due = { eventId: 1, subjectId: 't' as TransactionId, tries: 0, givesUpAt: day }
  expect(nextTry(due, 0, 0, 120_000)).toBe(120_000)
  expect(nextTry(due, 0, 0, 10 ** 9)).toBe(3_600_000)
})

test('the day of an event ends a day after its commit, however late its first try was', () => {
  const due: Due = { eventId: 1, subjectId: 't' as TransactionId, tries: 0, givesUpAt: day }
  expect(nextTry(due, day - 250, 0, 0)).toBe(day)
  expect(nextTry(due, day - 249, 0, 0)).toBeUndefined()
  expect(nextTry(due, 2 * day, 0, 0)).toBeUndefined()
})
