// The congestion window: when it doubles, when it halves, and when it begins anew.
import { describe, expect, test } from 'vitest'
import type { Work } from '../../../src/domain/decide/plan/work.ts'
import { roomOnArrival } from '../../../src/domain/decide/rules/arrival-order.ts'
import {
  firstWindow,
  inFlightMaxOf,
  nextWindow,
  roomIn,
  wantsPool,
  windowMax,
} from '../../../src/domain/decide/terms/window.ts'
import type { Observation } from '../../../src/domain/observation.ts'
import type { Policies } from '../../../src/domain/policy-table.ts'
import type { DecisionProfile } from '../../../src/domain/relayer.ts'
import {
  answered,
  by,
  headAt,
  height,
  inFlight,
  mined,
  someAttempt,
  someObservation,
  somePolicy,
  someRelayer,
  someWork,
} from '../some.ts'

const { maxInFlight: _, ...automatic } = { minBalance: 0n, maxInFlight: 1, eip1559Pricing: true } satisfies Policies
const relayer = someRelayer({ policies: automatic })

/** Nonces from 0, accepted by a node, recorded at `height`. */
const flight = (count: number, broadcast = answered({ kind: 'accepted' })) =>
  Array.from({ length: count }, (_, nonce) =>
    inFlight(nonce, [someAttempt(nonce, { broadcast, recordedAtBlock: height })]),
  )
const later = (blocks: number, changes: Partial<Observation> = {}) =>
  someObservation({ head: headAt(height + blocks), nonce: 0, ...changes })
const next = (size: number, count: number, observation: Observation) =>
  nextWindow({ size }, { relayer, open: flight(count) }, observation).size

function room(work: Partial<Work>, seen: Partial<Observation> = {}, profile: Partial<DecisionProfile> = {}): number {
  const some = someWork(work)
  return roomIn(some, roomOnArrival(some, { nonce: 0, ...seen }, { ...somePolicy.profile, ...profile }))
}

test('a number in the configuration stays, and without one 16 may be in flight at first', () => {
  const fixed = someRelayer({ policies: { ...automatic, maxInFlight: 3 } })
  expect(inFlightMaxOf(fixed, 64)).toBe(3)
  expect(nextWindow({ size: 64 }, { relayer: fixed, open: flight(3) }, later(1, { nonce: 3 }))).toBe(firstWindow)
  expect(room({ relayer, open: flight(10) })).toBe(6)
  expect(room({ relayer, open: flight(10), window: 64 })).toBe(54)
  // EIP-7702: a delegated account may have one, or what the configuration says.
  expect(room({ relayer, window: 64 }, { delegated: true })).toBe(1)
  expect(room({ relayer: fixed, window: 64 }, { delegated: true })).toBe(3)
})

describe('a nonce that the count calls spent', () => {
  test('makes room before its receipt, up to twice the window in flight', () => {
    expect(room({ relayer, open: flight(16) }, { nonce: 5 })).toBe(5)
    expect(room({ relayer, open: flight(26) }, { nonce: 20 })).toBe(6)
    expect(room({ relayer, open: flight(32) }, { nonce: 32 })).toBe(0)
  })
  test('makes room once: its receipt makes no more', () => {
    const [first, ...rest] = flight(16)
    if (!first) throw new Error('none in flight')
    expect(room({ relayer, open: [first, ...rest] }, { nonce: 1 })).toBe(1)
    const attempt = first.lifecycle.attempts[0]
    expect(room({ relayer, open: [mined(0, by(attempt, height), [attempt]), ...rest] }, { nonce: 1 })).toBe(1)
  })
  test('makes none where pools keep one of the account, or drop what is above a gap', () => {
    expect(room({ relayer, open: flight(1) }, { nonce: 1, delegated: true })).toBe(0)
    expect(room({ relayer, open: flight(16) }, { nonce: 5 }, { keepsFutureNonceMs: 1_000 })).toBe(0)
  })
})

describe('it doubles', () => {
  test('where it was full, and all of it is mined within two blocks, up to a bound', () => {
    expect(next(16, 16, later(1, { nonce: 16 }))).toBe(32)
    expect(next(16, 16, later(2, { nonce: 16 }))).toBe(32)
    expect(next(windowMax, windowMax, later(1, { nonce: windowMax }))).toBe(windowMax)
  })
  test('never where there was room, one is not mined, or it took longer', () => {
    expect(next(16, 15, later(1, { nonce: 15 }))).toBe(16)
    expect(next(16, 16, later(1, { nonce: 15 }))).toBe(16)
    expect(next(16, 16, later(3, { nonce: 16 }))).toBe(16)
  })
  test('once a block', () => {
    const grown = nextWindow({ size: 16 }, { relayer, open: flight(16) }, later(1, { nonce: 16 }))
    expect(nextWindow(grown, { relayer, open: flight(32) }, later(1, { nonce: 32 }))).toBe(grown)
  })
})

test('it halves where blocks do not keep up, never below 16', () => {
  expect(next(64, 64, later(4, { nonce: 20, pendingNonce: 64 }))).toBe(64)
  expect(next(64, 64, later(5, { nonce: 20, pendingNonce: 64 }))).toBe(32)
  expect(next(16, 16, later(5))).toBe(16)
  // A few that wait are no reason: there is room.
  expect(next(64, 20, later(5, { nonce: 10, pendingNonce: 20 }))).toBe(64)
})

describe('it begins anew', () => {
  const full = answered({ kind: 'rejected', code: 'poolFull', message: 'txpool is full' })
  test('where a node has no room for more', () => {
    const open = [...flight(30), inFlight(30, [someAttempt(30, { broadcast: full })])]
    expect(nextWindow({ size: 64 }, { relayer, open }, later(1, { pendingNonce: 30 }))).toBe(firstWindow)
  })
  test('where a pool lacks what it had accepted: it was evicted, or the node restarted', () => {
    expect(next(64, 30, later(1, { pendingNonce: 30 }))).toBe(64)
    expect(next(64, 30, later(1, { pendingNonce: 29 }))).toBe(16)
    // The answer to the last one is still to come.
    const open = [...flight(29), ...flight(30, answered({ kind: 'unknown', message: 'timed out' })).slice(29)]
    expect(nextWindow({ size: 64 }, { relayer, open }, later(1, { pendingNonce: 29 })).size).toBe(64)
  })
  test('where no node shows its pool, which is read once there are more than every node keeps', () => {
    expect(next(64, 30, later(1, { isPoolUnseen: true }))).toBe(16)
    expect([16, 17].map((count) => wantsPool({ relayer, open: flight(count) }))).toEqual([false, true])
    expect(wantsPool({ relayer: someRelayer(), open: flight(17) })).toBe(false)
  })
})
