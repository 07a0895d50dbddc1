// Each thing that must never be is seen when it is there.
import { expect, test } from 'vitest'
import { violations } from '../../../src/domain/decide/plan/invariants.ts'
import {
  broadcastStates,
  by,
  byForeign,
  hashOf,
  inFlight,
  mined,
  queued,
  someAttempt,
  someNoOp,
  someWork,
} from '../some.ts'

const attempt = someAttempt(0)

test('sound work has none', () => {
  const open = [mined(0, by(attempt), [attempt]), inFlight(1)]
  expect(violations(someWork({ open, queued: [queued(7)] }))).toEqual([])
})

test('a PUT that repeats the payload may be signed as the same bytes', () => {
  const open = [
    inFlight(0, [
      { ...attempt, broadcast: { state: 'withdrawn' } },
      { ...attempt, revision: 1 },
    ]),
  ]
  expect(violations(someWork({ open }))).toEqual([])
})

test.each([
  ['a queued one among the bound', { open: [queued(1)] }, /is queued among those with a nonce/],
  ['one nonce for two', { open: [inFlight(1), { ...inFlight(1), id: queued(9).id }] }, /belongs to .* and to/],
  ['an attempt of another nonce', { open: [inFlight(1, [someAttempt(2)])] }, /with attempts of another/],
  [
    'a no-op without a cancellation',
    { open: [inFlight(1, [someAttempt(1), someNoOp(1)])] },
    /has a no-op but no cancellation/,
  ],
  ['one attempt twice', { open: [inFlight(0, [attempt, attempt])] }, /the same attempt twice/],
  [
    'mined by bytes never recorded',
    { open: [mined(0, { ...by(attempt), hash: hashOf(99) }, [attempt])] },
    /never recorded/,
  ],
  ['mined by bytes that never left', mineHeld(), /never recorded/],
  [
    'a foreign transaction with our hash',
    { open: [mined(0, { ...byForeign(), hash: attempt.hash }, [attempt])] },
    /never recorded/,
  ],
  ['a bound one in the queue', { queued: [inFlight(1)] }, /is inFlight in the queue/],
])('%s', (_, work, reported) => {
  const found = violations(someWork(work))
  expect(found).toHaveLength(1)
  expect(found[0]).toMatch(reported)
})

function mineHeld() {
  const held = someAttempt(0, { broadcast: broadcastStates.held })
  return { open: [mined(0, by(held), [held])] }
}
