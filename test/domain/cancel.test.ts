// Taking back: what it refuses, what it leaves as it is, and the verdict, read from the chain's facts alone.
import { expect, test } from 'vitest'
import { cancel, verdictOn } from '../../src/domain/cancel.ts'
import { include } from '../../src/domain/decide/facts/inclusion.ts'
import { cancelRefusalCodes } from '../../src/domain/refusals.ts'
import { type Inclusion, type InPhase, isTerminal, statusOf, type Transaction } from '../../src/domain/transaction.ts'
import { withWait } from '../../src/domain/wait.ts'
import type { Reason } from '../../src/domain/wait-facts.ts'
import {
  broadcastStates,
  by,
  byForeign,
  canceled,
  frozen,
  inFlight,
  mined,
  now,
  queued,
  someAttempt,
  someNoOp,
} from './some.ts'

const [attempt, noOp] = [someAttempt(0), someNoOp(0)]
const settled = (transaction: Transaction): Transaction => {
  if (transaction.lifecycle.phase !== 'mined') throw new Error('not mined')
  return { ...transaction, lifecycle: { ...transaction.lifecycle, phase: 'final', finalAt: now, witnesses: 1 } }
}
const dropped = (reason: 'canceled' | 'expired' | 'refused'): Transaction => ({
  ...queued(1),
  lifecycle: { phase: 'dropped', reason, droppedAt: now },
})
const expiry = { cancellation: { origin: 'expiry', requestedAt: now } } as const

test.each<[string, Transaction, string, string?]>([
  ['queued', queued(1), 'pending'],
  ['recorded', inFlight(0, [someAttempt(0, { broadcast: broadcastStates.sending })]), 'sent'],
  ['held', inFlight(0, [someAttempt(0, { broadcast: broadcastStates.held })]), 'sent'],
  ['in doubt', inFlight(0, [someAttempt(0, { broadcast: broadcastStates.unknown })]), 'submitted'],
  ['accepted', inFlight(0), 'submitted'],
  ['canceled in flight', inFlight(0, [attempt, noOp], canceled), 'canceled'],
  ['expired in flight', inFlight(0, [attempt, noOp], expiry), 'expired', 'TRANSACTION_ALREADY_EXPIRED'],
  ['mined', mined(0, by(attempt), [attempt]), 'mined', 'TRANSACTION_ALREADY_MINED'],
  [
    'mined, its cancellation lost',
    mined(0, by(attempt), [attempt, noOp], canceled),
    'mined',
    'TRANSACTION_ALREADY_MINED',
  ],
  ['its nonce a foreign transaction’s for now', mined(0, byForeign(), [attempt]), 'submitted'],
  ['taken by the no-op', mined(0, by(noOp), [attempt, noOp], canceled), 'canceled'],
  ['confirmed', settled(mined(0, by(attempt), [attempt])), 'confirmed', 'TRANSACTION_ALREADY_CONFIRMED'],
  ['reverted', settled(mined(0, by(attempt, 9, false), [attempt])), 'failed', 'TRANSACTION_ALREADY_FAILED'],
  ['won', settled(mined(0, by(noOp), [attempt, noOp], canceled)), 'canceled'],
  ['refused', dropped('refused'), 'failed', 'TRANSACTION_ALREADY_FAILED'],
  ['dropped', { ...dropped('canceled'), ...canceled }, 'canceled'],
  ['expired in the queue', { ...dropped('expired'), ...expiry }, 'expired', 'TRANSACTION_ALREADY_EXPIRED'],
])('%s', (_, transaction, status, refusal) => {
  expect(statusOf(frozen(transaction))).toBe(status)
  if (refusal) {
    expect(() => cancel(transaction, now)).toThrow(expect.objectContaining({ code: refusal }))
    // The document of the DELETE lists these.
    expect(cancelRefusalCodes).toContain(refusal)
    return
  }
  const after = cancel(transaction, now)
  expect(statusOf(after)).toBe('canceled')
  expect(cancel(after, now + 1)).toBe(after)
  if (transaction.cancellation) expect(after).toBe(transaction)
})

test('what no node ever had ends at once; anything else is a race', () => {
  expect(isTerminal(cancel(inFlight(0, [someAttempt(0, { broadcast: broadcastStates.held })]), now))).toBe(true)
  for (const open of [
    broadcastStates.sending,
    broadcastStates.unknown,
    broadcastStates.accepted,
    broadcastStates.underpriced,
    broadcastStates.refused,
  ]) {
    const after = cancel(inFlight(0, [someAttempt(0, { broadcast: open })]), now)
    expect(isTerminal(after)).toBe(false)
    expect(verdictOn(after)).toEqual({ state: 'racing', final: false, safeToRetry: false, cost: 0n })
  }
})

test('an original that a sequencer has ordered is lost by a preconfirmation, until a no-op competes with it', () => {
  const broadcast = { state: 'handed', outcome: { kind: 'accepted', code: 'ordered' }, at: now } as const
  const ordered = someAttempt(0, { broadcast })
  const lost = { state: 'lost', final: false, safeToRetry: false, preconfirmed: true, cost: 0n }
  expect(verdictOn(inFlight(0, [ordered], canceled))).toEqual(lost)
  expect(verdictOn(inFlight(0, [ordered, noOp], canceled))).toMatchObject({ state: 'racing' })
})

test.each([
  ['won', noOp, 63_000n * 1_000_000_000n],
  ['lost', attempt, 0n],
] as const)('a cancellation that %s is final only once it is settled', (state, spender, cost) => {
  const open = mined(0, by(spender), [attempt, noOp], canceled)
  const winner = { hash: spender.hash, block: by(spender).block }
  expect(verdictOn(open)).toEqual({ state, final: false, safeToRetry: false, winner, cost })
  expect(verdictOn(settled(open))).toEqual({
    state,
    final: true,
    safeToRetry: state === 'won',
    winner,
    witnesses: 1,
    cost,
  })
})

test('the fee of a rollup’s L1 is part of the cost', () => {
  const spender = { ...by(noOp), l1Fee: 5n }
  expect(verdictOn(mined(0, spender, [attempt, noOp], canceled)).cost).toBe(63_000n * 1_000_000_000n + 5n)
})

test.each(['gasUsed', 'effectiveGasPrice'] as const)('a cost is not guessed where %s is missing', (member) => {
  const { [member]: _, ...spender } = by(noOp) as Extract<Inclusion, { by: 'attempt' }>
  const verdict = verdictOn(settled(mined(0, spender, [attempt, noOp], canceled)))
  expect(verdict).toMatchObject({ state: 'won', final: true, safeToRetry: true })
  expect(verdict).not.toHaveProperty('cost')
})

test('a payload that was executed with an unknown result ends as mined, neither confirmed nor failed, and says so', () => {
  const { succeeded: _, ...spender } = by(attempt) as Extract<Inclusion, { by: 'attempt' }>
  const included = include(inFlight(0, [attempt]), spender)
  expect(included.statusReason).toMatch(/no node reports whether it succeeded/)
  const ended = settled(included as InPhase<'mined'>)
  expect([statusOf(included), statusOf(ended), isTerminal(ended)]).toEqual(['mined', 'mined', true])
  expect(() => cancel(ended, now)).toThrow(/already mined/)
})

test('a nonce that went to a foreign transaction costs nothing, and its payload is safe to send anew at finality', () => {
  const open = mined(0, byForeign(), [attempt, noOp], canceled)
  expect(verdictOn(open)).toMatchObject({ state: 'external', final: false, safeToRetry: false, cost: 0n })
  expect(verdictOn(settled(open))).toMatchObject({ state: 'external', final: true, safeToRetry: true, cost: 0n })
  expect(verdictOn(dropped('canceled'))).toEqual({ state: 'dropped', final: true, safeToRetry: true, cost: 0n })
})

test.each([
  ['lifted', undefined],
  ['raised', 2n * 10n ** 15n],
])('a bound that is %s ends the wait for it, and no other wait', (_, costMax) => {
  const racing = inFlight(0, [attempt], { cancellation: { ...canceled.cancellation, costMax: 7n } })
  const costBound: Reason = { condition: 'cost_bound', facts: { costMax: 7n, cost: 10n ** 15n } }
  const capped: Reason = { condition: 'cancel_unfunded', facts: { cost: 10n ** 15n } }
  expect(cancel(withWait(racing, costBound, now), now, 'request', costMax)).not.toHaveProperty('wait')
  const still = withWait(racing, capped, now)
  expect(cancel(still, now, 'request', costMax).wait).toEqual(still.wait)
  const same = withWait(racing, costBound, now)
  expect(cancel(same, now, 'request', 7n)).toBe(same)
})
