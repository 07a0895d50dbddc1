// Sends where a node keeps a nonce that is too high only for a moment: one after the other, each once the last is accepted.
import { expect, test } from 'vitest'
import { afterBroadcast, type BroadcastState } from '../../../src/domain/attempt.ts'
import { decide } from '../../../src/domain/decide/decide.ts'
import type { Work } from '../../../src/domain/decide/plan/work.ts'
import {
  answered,
  broadcastStates,
  canceled,
  inFlight,
  now,
  queued,
  someAttempt,
  someNoOp,
  somePolicy,
  someSituation,
} from '../some.ts'

function planOf(work: Partial<Work>, keepsFutureNonceMs = 1_000) {
  const policy = { ...somePolicy, profile: { ...somePolicy.profile, keepsFutureNonceMs } }
  return decide(someSituation(work, { pendingNonce: 0 }, policy, now + 30_000))
}
const bound = (...given: Parameters<typeof planOf>) =>
  planOf(...given).decisions.flatMap((each) => (each.do === 'assignNonce' ? [each.nonce] : []))
const sent = (nonce: number, broadcast: BroadcastState) => inFlight(nonce, [someAttempt(nonce, { broadcast })])
const repeated = (...states: BroadcastState[]) =>
  planOf({ open: states.map((state, nonce) => sent(nonce, state)) }).decisions.flatMap((each) =>
    each.do === 'rebroadcast' ? [each.attempt.nonce] : [],
  )
const tooHigh = answered({ kind: 'rejected', code: 'nonceGap', message: 'nonce too high' })
const { spent } = broadcastStates

test('one of the queue gets a nonce, and the next step follows at once', () => {
  const work = { queued: [queued(1), queued(2), queued(3)] }
  expect(bound(work)).toEqual([0])
  expect(planOf(work).observeAgainAtOnce).toBe(true)
  expect(planOf({ queued: [queued(1)] }).observeAgainAtOnce).toBe(false)
  expect(bound(work, 0)).toEqual([0, 1, 2])
})

test('none gets one while an earlier one is not accepted', () => {
  for (const state of [broadcastStates.unknown, broadcastStates.held, tooHigh]) {
    const work = { open: [sent(0, state)], queued: [queued(1), queued(2)] }
    expect(bound(work)).toEqual([])
    expect(planOf(work).observeAgainAtOnce).toBe(false)
  }
  expect(bound({ open: [sent(0, broadcastStates.accepted)], queued: [queued(1)] })).toEqual([1])
})

test('one that was accepted holds up nothing while a repeat of it has no answer', () => {
  const accepted = someAttempt(0, { broadcast: broadcastStates.accepted })
  const unanswered = afterBroadcast(accepted, { kind: 'unknown', message: 'timeout' }, now)
  expect(bound({ open: [inFlight(0, [unanswered])], queued: [queued(1)] })).toEqual([1])
  const forgotten = afterBroadcast(accepted, { kind: 'rejected', code: 'nonceGap', message: 'nonce too high' }, now)
  expect(bound({ open: [inFlight(0, [forgotten])], queued: [queued(1)] })).toEqual([])
})

// The head may come from a node that is behind the sequencer: a repeat is refused, though no block shows the nonce as used.
test('one whose nonce is spent holds up nothing, though the head does not show it yet', () => {
  expect(bound({ open: [sent(0, spent)], queued: [queued(1), queued(2)] })).toEqual([1])
  expect(repeated(spent, tooHigh)).toContain(1)
})

test('a gap below one in flight is filled all the same, by the next of the queue', () => {
  expect(bound({ open: [sent(1, tooHigh)], queued: [queued(3), queued(4)] })).toEqual([0])
})

test('a payload refused as too high goes out again once the one before it is accepted', () => {
  expect(repeated(broadcastStates.unknown, tooHigh)).toEqual([0])
  expect(repeated(broadcastStates.accepted, tooHigh)).toContain(1)
})

test('a no-op does not wait for its turn', () => {
  const noOp = someNoOp(1, { broadcast: broadcastStates.held })
  const race = inFlight(1, [someAttempt(1, { broadcast: broadcastStates.unknown }), noOp], canceled)
  const { decisions } = planOf({ open: [sent(0, broadcastStates.unknown), race] })
  expect(decisions).toContainEqual(expect.objectContaining({ do: 'rebroadcast', attempt: noOp }))
})
