// The effect of a bulk cancellation on each transaction that it may meet.
import { expect, test } from 'vitest'
import { effectOfBulk } from '../../src/domain/bulk-effect.ts'
import { cancel } from '../../src/domain/cancel.ts'
import { isRacing, isTakenByBulk } from '../../src/domain/refusals.ts'
import { statusOf, type Transaction } from '../../src/domain/transaction.ts'
import { broadcastStates, by, canceled, inFlight, mined, now, queued, someAttempt } from './some.ts'

const attempt = someAttempt(5)
const met: readonly (readonly [string, Transaction])[] = [
  ['in flight', inFlight(5)],
  ['in flight, but no node had it', inFlight(5, [someAttempt(5, { broadcast: broadcastStates.sending })])],
  ['racing', inFlight(5, [attempt], canceled)],
  ['racing within a bound', inFlight(5, [attempt], { cancellation: { ...canceled.cancellation, costMax: 1n } })],
  ['mined', mined(5, by(attempt), [attempt])],
  ['canceled, and mined', mined(5, by(attempt), [attempt], canceled)],
  ['a gap filler', inFlight(5, [attempt], { origin: 'gap' })],
  ['queued', queued(5)],
]
const filters = { all: {}, matching: { valueFrom: 0n }, other: { nonceFrom: 6 } }
const left = { reason: 'costs', facts: { by: 'no_op' } } as const
const choices = { none: undefined, taken: { taken: true, share: 9n }, left: { taken: false, why: left } } as const
const cases = met.flatMap(([what, transaction]) =>
  Object.entries(filters).flatMap(([filter, of]) =>
    Object.entries(choices).map(([chosen, choice]) => ({ what, filter, chosen, transaction, of, choice })),
  ),
)

test.each(cases)('$what, with the filter $filter and the choice $chosen', ({ filter, transaction, of, choice }) => {
  const effect = effectOfBulk(transaction, { filter: of, now, tags: [], ...(choice && { choice }) })
  const isOpen = isTakenByBulk(transaction)
  const isMatch = filter !== 'other' && (isOpen || isRacing(statusOf(transaction), transaction.lifecycle.phase))
  if (!isMatch) return expect(effect).toEqual({ kind: 'none' })
  const after = cancel(transaction, now, 'request', choice?.taken ? choice.share : undefined)
  if (!isOpen) return expect(effect).toEqual({ kind: 'already', ...(choice?.taken && { after }) })
  if (choice?.taken === false) return expect(effect).toEqual({ kind: 'left', refusal: { id: transaction.id, ...left } })
  return expect(effect).toEqual({ kind: 'canceled', after })
})

test('a race that has the share of the object as its bound already keeps it', () => {
  const racing = inFlight(5, [attempt], { cancellation: { ...canceled.cancellation, costMax: 9n } })
  const aim = { filter: {}, now, tags: [], choice: choices.taken }
  expect(effectOfBulk(racing, aim)).toEqual({ kind: 'already' })
})
