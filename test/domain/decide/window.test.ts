// The congestion window: when it doubles, when it halves, and when it begins anew.
import { describe, expect, test } from 'vitest'
import type { Work } from '../../../src/domain/decide/plan/work.ts'
import { roomOnArrival } from '../../../src/domain/decide/rules/arrival-order.ts'
import {
  firstWindow,
  inFlightMaxOf,
  nextWindow,
  roomIn,
  type Window,
  wantsPool,
  windowMax,
} from '../../../src/domain/decide/terms/window.ts'
import type { Observation } from '../../../src/domain/observation.ts'
import type { Policies } from '../../../src/domain/policy-table.ts'
import type { DecisionProfile } from '../../../src/domain/relayer.ts'
import type { Transaction } from '../../../src/domain/transaction.ts'
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
const sentAt = someAttempt(0).recordedAt
/** A look that ends so long after the transactions were recorded and answered. */
const at = (ms: number, observation: Observation) => ({ observation, now: sentAt + ms, tookMs: 0 })
const stepped = (window: Window, open: readonly Transaction[], look: ReturnType<typeof at>) =>
  nextWindow(window, { relayer, open }, look)
const next = (size: number, count: number, observation: Observation, ms = 0) =>
  stepped({ size }, flight(count), at(ms, observation)).size

function room(work: Partial<Work>, seen: Partial<Observation> = {}, profile: Partial<DecisionProfile> = {}): number {
  const some = someWork(work)
  return roomIn(some, roomOnArrival(some, { nonce: 0, ...seen }, { ...somePolicy.profile, ...profile }))
}

test('a number in the configuration stays, and without one 16 may be in flight at first', () => {
  const fixed = someRelayer({ policies: { ...automatic, maxInFlight: 3 } })
  expect(inFlightMaxOf(fixed, 64)).toBe(3)
  expect(nextWindow({ size: 64 }, { relayer: fixed, open: flight(3) }, at(0, later(1, { nonce: 3 })))).toBe(firstWindow)
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
  test('where it was full, and all of it is mined within two blocks or four seconds, up to a bound', () => {
    expect(next(16, 16, later(1, { nonce: 16 }))).toBe(32)
    expect(next(16, 16, later(2, { nonce: 16 }), 24_000)).toBe(32)
    expect(next(16, 16, later(20, { nonce: 16 }), 4_000)).toBe(32)
    expect(next(windowMax, windowMax, later(1, { nonce: windowMax }))).toBe(windowMax)
  })
  test('never where there was room, or one of it is not mined', () => {
    expect(next(16, 15, later(1, { nonce: 15 }))).toBe(16)
    expect(next(16, 16, later(1, { nonce: 15 }))).toBe(16)
  })
  test('not after a round of which a look showed one late, by blocks and by time', () => {
    const end = at(5_000, later(21, { nonce: 16 }))
    const seen = (blocks: number, ms: number, tookMs = 0) => {
      const look = { ...at(ms, later(blocks, { nonce: 15, pendingNonce: 16 })), tookMs }
      return stepped(stepped({ size: 16 }, flight(16), look), flight(16), end).size
    }
    expect(seen(20, 4_000)).toBe(16)
    expect(seen(20, 3_999)).toBe(32)
    expect(seen(1, 24_000)).toBe(32)
    // The answers of a far node take their time.
    expect(seen(20, 5_000, 2_000)).toBe(32)
  })
  test('not after a round that blocks took for more than four seconds, although looks at a far node are far apart', () => {
    const far = (ms: number, nonce: number) => ({
      ...at(ms, later(ms / 200, { nonce, pendingNonce: 64 })),
      tookMs: 6_500,
    })
    const sizeAfter = (ms: number) =>
      [far(6_000, 10), far(ms, 50), far(12_000, 64)].reduce((window, look) => stepped(window, flight(64), look), {
        size: 64,
      } as Window).size
    expect(sizeAfter(10_000)).toBe(64)
    expect(sizeAfter(9_800)).toBe(128)
  })
  test('with those that got a nonce during the look', () => {
    const during = nextWindow({ size: 16 }, { relayer, open: flight(10) }, at(400, later(2)), flight(16))
    expect(during).toMatchObject({ size: 16, round: { last: 15 } })
  })
  test('after a round that began with half of it mined, and ends while later ones wait', () => {
    const open = flight(24)
    const begun = nextWindow({ size: 16 }, { relayer, open, counted: 8 }, at(400, later(2, { nonce: 16 })))
    expect(begun).toMatchObject({ size: 16, round: { last: 23, from: { nonce: 8 } } })
    const later40 = nextWindow(begun, { relayer, open: flight(40), counted: 16 }, at(800, later(4, { nonce: 24 })))
    expect(later40.size).toBe(32)
  })
  test('again once the last doubling has raised the rate by a quarter', () => {
    const again = (blocks: number, rateBefore?: number) => {
      const window = { size: 32, ...(rateBefore === undefined ? {} : { rateBefore }) }
      return stepped(window, flight(32), at(1_000, later(blocks, { nonce: 32 }))).size
    }
    expect(again(2, 12.7)).toBe(64)
    expect(again(2, 12.9)).toBe(32)
    expect(again(2)).toBe(64)
  })
  test('whatever the rate of the first round was: it may have begun just before a block', () => {
    const second = stepped({ size: 16 }, flight(16), at(100, later(1, { nonce: 16 })))
    expect(second).toEqual({ size: 32 })
    expect(stepped(second, flight(32), at(100, later(1, { nonce: 32 })))).toEqual({ size: 64, rateBefore: 32 })
  })
})

describe('it halves', () => {
  const stalled = (blocks: number, ms: number, tookMs = 0) =>
    stepped({ size: 64 }, flight(64), { ...at(ms, later(blocks, { nonce: 20, pendingNonce: 64 })), tookMs })

  test('where its oldest waits for more than four blocks and eight seconds, never below 16', () => {
    expect(stalled(5, 8_000).size).toBe(32)
    expect(stalled(4, 48_000).size).toBe(64)
    expect(stalled(40, 7_999).size).toBe(64)
    // The bytes and the answers of a far node take their time.
    expect(stalled(40, 12_000, 4_000).size).toBe(64)
    expect(next(16, 16, later(5), 8_000)).toBe(16)
    // A few that wait are no reason: there is room.
    expect(next(64, 20, later(5, { nonce: 10, pendingNonce: 20 }), 8_000)).toBe(64)
  })
  test('once until all of it is mined', () => {
    const halved = stalled(5, 8_000)
    expect(stepped(halved, flight(64), at(60_000, later(300, { nonce: 20, pendingNonce: 64 })))).toEqual(halved)
    expect(stepped(halved, flight(64), at(60_000, later(300, { nonce: 64 })))).toMatchObject({ size: 32 })
  })
})

describe('it begins anew', () => {
  const full = answered({ kind: 'rejected', code: 'poolFull', message: 'txpool is full' })
  test('where a node has no room for more', () => {
    const open = [...flight(30), inFlight(30, [someAttempt(30, { broadcast: full })])]
    expect(stepped({ size: 64 }, open, at(0, later(1, { pendingNonce: 30 })))).toBe(firstWindow)
  })
  test('where a pool lacks what it had accepted: it was evicted, or the node restarted', () => {
    expect(next(64, 30, later(1, { pendingNonce: 30 }))).toBe(64)
    expect(next(64, 30, later(1, { pendingNonce: 29 }))).toBe(16)
    // The answer to the last one is still to come.
    const open = [...flight(29), ...flight(30, answered({ kind: 'unknown', message: 'timed out' })).slice(29)]
    expect(stepped({ size: 64 }, open, at(0, later(1, { pendingNonce: 29 }))).size).toBe(64)
  })
  test('where no node shows its pool, which is read once there are more than every node keeps', () => {
    expect(next(64, 30, later(1, { isPoolUnseen: true }))).toBe(16)
    expect([16, 17].map((count) => wantsPool({ relayer, open: flight(count) }))).toEqual([false, true])
    expect(wantsPool({ relayer: someRelayer(), open: flight(17) })).toBe(false)
  })
})
