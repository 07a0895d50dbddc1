// Nonces that foreign transactions may have: left to them for a time, and used after it.
import { describe, expect, test } from 'vitest'
import type { PoolCount, Work } from '../../../../src/domain/decide/plan/work.ts'
import {
  awaitHidden,
  blockingPool,
  explainBlocked,
  foreignPatience,
  leftToOthers,
  poolCountsAfter,
} from '../../../../src/domain/decide/rules/foreign-nonces.ts'
import type { Observation } from '../../../../src/domain/observation.ts'
import { decideInWords as decide } from '../../in-words.ts'
import { headAt, height, inFlight, now, queued, someAttempt, someSituation } from '../../some.ts'

const policy = { bumpAfter: { blocks: 3, ms: 3_000 } }
const patience = foreignPatience(policy)
/** A transaction with this nonce, signed so many blocks ago. */
const signedAgo = (nonce: number, blocks: number, ms = patience.ms) =>
  inFlight(nonce, [someAttempt(nonce, { recordedAtBlock: height - blocks, recordedAt: now - ms })])
/** A count of the pool that this process first read so many blocks ago. */
const countAgo = (below: number, blocks = patience.blocks, ms = patience.ms): PoolCount => {
  return { below, block: height - blocks, ms: now - ms, isBeyond: false }
}
const beyondAgo = (blocks: number, ms: number) => ({ poolCounts: [{ ...countAgo(21, blocks, ms), isBeyond: true }] })

describe('a pool that counts above the record', () => {
  const cases: readonly [string, Partial<Work>, Partial<Observation>, readonly number[]][] = [
    ['the queue goes above the foreign ones', {}, { nonce: 5, pendingNonce: 7 }, [7, 8]],
    ['with one of ours above, between them', { open: [signedAgo(8, 1)] }, { nonce: 5, pendingNonce: 7 }, [7, 9]],
    [
      'one block before their time is over',
      { open: [signedAgo(8, patience.blocks - 1)], poolCounts: [countAgo(7)] },
      { nonce: 5, pendingNonce: 7 },
      [7, 9],
    ],
    [
      'on a fast chain, before 24 s have passed',
      { open: [signedAgo(8, 100, 23_999)], poolCounts: [countAgo(7)] },
      { nonce: 5, pendingNonce: 7 },
      [7, 9],
    ],
    [
      'while the chain stands still, or a head stays behind',
      { open: [signedAgo(8, 0, 3_600_000)], poolCounts: [countAgo(7)] },
      { nonce: 5, pendingNonce: 7 },
      [7, 9],
    ],
    [
      'after their time the queue takes their nonces',
      { open: [signedAgo(8, patience.blocks)], poolCounts: [countAgo(7)] },
      { nonce: 5, pendingNonce: 7 },
      [5, 6],
    ],
    [
      'each has its own time: only what lies below ours of long ago is taken',
      { open: [signedAgo(6, patience.blocks), signedAgo(8, 1)], poolCounts: [countAgo(8)] },
      { nonce: 5, pendingNonce: 8 },
      [5, 9],
    ],
    [
      'those above ours, however long ours below them has waited',
      { open: [signedAgo(5, 100), signedAgo(6, 100)], poolCounts: [countAgo(8)] },
      { nonce: 5, pendingNonce: 8 },
      [8, 9],
    ],
    [
      'however long ago ours was signed, they have their time in each process',
      { open: [signedAgo(8, 100)] },
      { nonce: 5, pendingNonce: 7 },
      [7, 9],
    ],
    [
      'one that a pool counts later has its time since then',
      { open: [signedAgo(8, 100)], poolCounts: [countAgo(6), countAgo(7, 1)] },
      { nonce: 5, pendingNonce: 7 },
      [5, 7],
    ],
    [
      'what a pool counted has its time, also where no node shows its pool now',
      { open: [signedAgo(8, 100)], poolCounts: [countAgo(7, 1)] },
      { nonce: 5, isPoolUnseen: true },
      [],
    ],
    ['15 of them, as many as a node may hold', {}, { nonce: 5, pendingNonce: 20 }, [20, 21]],
    ['16 of them: nothing gets a nonce', {}, { nonce: 5, pendingNonce: 21 }, []],
    [
      '16 of them, after the time of the count',
      beyondAgo(patience.blocks, patience.ms),
      { nonce: 5, pendingNonce: 21 },
      [5, 6],
    ],
    [
      '16 of them, on a fast chain, before 24 s have passed',
      beyondAgo(100, 23_999),
      { nonce: 5, pendingNonce: 21 },
      [],
    ],
    [
      'a count that goes on rising holds nothing up for longer',
      beyondAgo(patience.blocks, patience.ms),
      { nonce: 5, pendingNonce: 300 },
      [5, 6],
    ],
    [
      '16 of them behind the last one whose time is over: one gets its nonce',
      { open: [signedAgo(6, 100)], poolCounts: [countAgo(7)] },
      { nonce: 5, pendingNonce: 23 },
      [5],
    ],
    ['outside this world: no pool counts above the record', {}, { nonce: 5, pendingNonce: 5 }, [5, 6]],
    ['outside this world: a pool that was not read, without a gap', {}, { nonce: 5 }, [5, 6]],
  ]
  test.each(cases)('%s', (_, work, observation, expected) => {
    const { decisions } = decide(someSituation({ queued: [queued(1), queued(2)], ...work }, observation, policy))
    expect(decisions.flatMap((each) => (each.do === 'assignNonce' ? [each.nonce] : []))).toEqual(expected)
  })
})

describe('what a process remembers of the counts', () => {
  const at = { block: height, ms: 7 }
  const remembered = (before: readonly PoolCount[], observation: Partial<Observation>, work: Partial<Work> = {}) =>
    poolCountsAfter(before, someSituation({ poolCounts: before, ...work }, observation, policy), at)
  const first = countAgo(7, 1)

  test('is the first one above each foreign nonce', () => {
    expect(remembered([], { nonce: 5, pendingNonce: 7 })).toEqual([{ ...at, below: 7, isBeyond: false }])
    expect(remembered([first], { nonce: 5, pendingNonce: 7 })).toEqual([first])
    expect(remembered([first], { nonce: 5, pendingNonce: 6 })).toEqual([first])
    expect(remembered([first], { nonce: 5 })).toEqual([first])
    expect(remembered([first], { nonce: 5, pendingNonce: 8 })).toEqual([first, { ...at, below: 8, isBeyond: false }])
    expect(remembered([first], { nonce: 5, pendingNonce: 8 }, { open: [inFlight(7)] })).toEqual([first])
    expect(remembered([first], { nonce: 7, pendingNonce: 7 })).toEqual([])
  })

  test('says whether it skips 16, since when it does', () => {
    expect(remembered([], { nonce: 5, pendingNonce: 21 })).toEqual([{ ...at, below: 21, isBeyond: true }])
    const counts = remembered([countAgo(20)], { nonce: 5, pendingNonce: 21 })
    expect(counts).toEqual([countAgo(20), { ...at, below: 21, isBeyond: true }])
    expect(remembered(counts, { nonce: 5, pendingNonce: 21 })).toEqual(counts)
  })

  test('has at most 16 of them: what a pool counts above has the time of the last', () => {
    const counts = Array.from({ length: 16 }, (_, index) => countAgo(10 + index, 1))
    expect(remembered(counts, { nonce: 5, pendingNonce: 99 })).toEqual([
      ...counts.slice(0, 15),
      { ...countAgo(99, 1), isBeyond: true },
    ])
  })
})

test('each rule changes nothing where no pool counts above the record', () => {
  for (const pendingNonce of [undefined, 0, 5]) {
    const seen = { nonce: 5, ...(pendingNonce !== undefined && { pendingNonce }), head: headAt(height) }
    const situation = someSituation({ open: [inFlight(5)], queued: [queued(1)] }, seen)
    expect(leftToOthers(situation)?.last ?? 0).toBeLessThan(5)
    expect(blockingPool(situation)(5)).toBeUndefined()
    expect(poolCountsAfter([], situation, { block: height, ms: now })).toEqual([])
    expect(explainBlocked(inFlight(5), situation)).toEqual([])
  }
  expect(awaitHidden(5, someSituation({ open: [inFlight(6)] }, { nonce: 5, pendingNonce: 5 }))).toBeUndefined()
})
