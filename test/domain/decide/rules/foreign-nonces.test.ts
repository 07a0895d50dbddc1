// Nonces that foreign transactions may have: left to them for a time, and used after it.
import { describe, expect, test } from 'vitest'
import type { Work } from '../../../../src/domain/decide/plan/work.ts'
import {
  awaitHidden,
  blockedByPool,
  explainBlocked,
  foreignBelow,
  foreignPatience,
  isPoolBeyond,
} from '../../../../src/domain/decide/rules/foreign-nonces.ts'
import type { Observation } from '../../../../src/domain/observation.ts'
import { decideInWords as decide } from '../../in-words.ts'
import { headAt, height, inFlight, now, queued, someAttempt, someSituation } from '../../some.ts'

const policy = { bumpAfter: { blocks: 3, ms: 3_000 } }
const patience = foreignPatience(policy)
/** A transaction with this nonce, signed so many blocks ago. */
const signedAgo = (nonce: number, blocks: number, ms = patience.ms) =>
  inFlight(nonce, [someAttempt(nonce, { recordedAtBlock: height - blocks, recordedAt: now - ms })])
const beyondAgo = (blocks: number, ms: number) => ({ poolBeyondSince: { block: height - blocks, ms: now - ms } })

describe('a pool that counts above the record', () => {
  const cases: readonly [string, Partial<Work>, Partial<Observation>, readonly number[]][] = [
    ['the queue goes above the foreign ones', {}, { nonce: 5, pendingNonce: 7 }, [7, 8]],
    ['with one of ours above, between them', { open: [signedAgo(8, 1)] }, { nonce: 5, pendingNonce: 7 }, [7, 9]],
    [
      'one block before their time is over',
      { open: [signedAgo(8, patience.blocks - 1)] },
      { nonce: 5, pendingNonce: 7 },
      [7, 9],
    ],
    [
      'on a fast chain, before 24 s have passed',
      { open: [signedAgo(8, 100, 23_999)] },
      { nonce: 5, pendingNonce: 7 },
      [7, 9],
    ],
    [
      'while the chain stands still, or a head stays behind',
      { open: [signedAgo(8, 0, 3_600_000)] },
      { nonce: 5, pendingNonce: 7 },
      [7, 9],
    ],
    [
      'after their time the queue takes their nonces',
      { open: [signedAgo(8, patience.blocks)] },
      { nonce: 5, pendingNonce: 7 },
      [5, 6],
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
    ['outside this world: no pool counts above the record', {}, { nonce: 5, pendingNonce: 5 }, [5, 6]],
    ['outside this world: a pool that was not read, without a gap', {}, { nonce: 5 }, [5, 6]],
  ]
  test.each(cases)('%s', (_, work, observation, expected) => {
    const { decisions } = decide(someSituation({ queued: [queued(1), queued(2)], ...work }, observation, policy))
    expect(decisions.flatMap((each) => (each.do === 'assignNonce' ? [each.nonce] : []))).toEqual(expected)
  })
})

test('each rule changes nothing where no pool counts above the record', () => {
  for (const pendingNonce of [undefined, 0, 5]) {
    const seen = { nonce: 5, ...(pendingNonce !== undefined && { pendingNonce }), head: headAt(height) }
    const situation = someSituation({ open: [inFlight(5)], queued: [queued(1)] }, seen)
    expect(foreignBelow(situation)).toBeLessThanOrEqual(5)
    expect(blockedByPool(situation)).toBeUndefined()
    expect(isPoolBeyond(situation.work, situation.observation)).toBe(false)
    expect(explainBlocked(inFlight(5), situation)).toEqual([])
  }
  expect(awaitHidden(5, someSituation({ open: [inFlight(6)] }, { nonce: 5, pendingNonce: 5 }))).toBeUndefined()
})
