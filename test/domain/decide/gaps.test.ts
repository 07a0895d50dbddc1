// Gaps below transactions in flight: which one takes the missing nonce, when, and the conditions until then.
import { describe, expect, test } from 'vitest'
import type { Decision } from '../../../src/domain/decide/plan/decision.ts'
import type { Work } from '../../../src/domain/decide/plan/work.ts'
import { invalidPauseMaxMs } from '../../../src/domain/decide/race/repeat-after.ts'
import { foreignPatience } from '../../../src/domain/decide/rules/foreign-nonces.ts'
import type { Observation } from '../../../src/domain/observation.ts'
import { decideInWords as decide } from '../in-words.ts'
import {
  calledInvalid,
  canceled,
  headAt,
  height,
  idOf,
  inFlight,
  now,
  queued,
  someAttempt,
  somePolicy,
  someRelayer,
  someRepeatAfter,
  someSituation,
} from '../some.ts'

function plan(work: Partial<Work>, observation: Partial<Observation> = {}, at = now) {
  return decide(someSituation(work, observation, {}, at))
}

const verbs = (decisions: readonly Decision[]) => decisions.map(({ do: what }) => what)

describe('a gap below transactions in flight, where no node shows its pool', () => {
  const unseen = { nonce: 4, isPoolUnseen: true } as const
  const overAt = height + foreignPatience(somePolicy).blocks

  test('makes the transactions behind it and the queue wait: both conditions name the nonce and the block', () => {
    const { decisions, lacks } = plan({ open: [inFlight(5), inFlight(6)], queued: [queued(9)] }, unseen)
    const reported = {
      do: 'explain',
      condition: 'pool_unseen',
      reason: expect.stringContaining('waits: nonce 4 comes'),
    }
    expect(decisions).toMatchObject([
      { ...reported, transaction: { id: idOf(5) } },
      { ...reported, transaction: { id: idOf(9) } },
    ])
    expect(decisions).toMatchObject([
      { reason: expect.stringContaining(`block ${overAt}`) },
      { reason: expect.stringContaining(`block ${overAt}`) },
    ])
    expect(lacks).toEqual(new Set())
  })

  test('is read first: an unread pool is not an unshown one', () => {
    expect(plan({ open: [inFlight(5)] }, { nonce: 4 })).toMatchObject({
      lacks: new Set(['pendingNonce']),
      decisions: [],
    })
  })

  test('is reported for a canceled transaction behind it beside its race, in one reason', () => {
    const { decisions } = plan({ open: [inFlight(5, undefined, canceled)] }, unseen)
    expect(decisions).toMatchObject([
      { do: 'signNoOp' },
      { do: 'explain', reason: expect.stringContaining('canceled; nonce 4 comes first') },
    ])
  })

  test('goes to the queue once a foreign transaction had its time, and without one to a no-op', () => {
    const late = { ...unseen, head: headAt(overAt) }
    expect(verbs(plan({ open: [inFlight(5)] }, late).decisions)).toEqual(['fillGap'])
    expect(plan({ open: [inFlight(5)], queued: [queued(9)] }, late).decisions).toMatchObject([
      { do: 'assignNonce', transaction: { id: idOf(9) }, nonce: 4 },
    ])
    const before = { ...unseen, head: headAt(overAt - 1) }
    expect(verbs(plan({ open: [inFlight(5)] }, before).decisions)).toEqual(['explain'])
  })

  test('between two of ours counts from when the one behind it was signed, like any other', () => {
    const open = [inFlight(4), inFlight(6)]
    const { decisions } = plan({ open }, unseen)
    expect(decisions).toMatchObject([{ do: 'explain', transaction: { id: idOf(6) }, condition: 'pool_unseen' }])
    expect(verbs(plan({ open }, { ...unseen, head: headAt(overAt) }).decisions)).toContain('fillGap')
  })

  test('is no news to what waits in the queue of a paused relayer', () => {
    const relayer = someRelayer({ paused: true })
    const { decisions } = plan({ relayer, open: [inFlight(5)], queued: [queued(9)] }, unseen)
    expect(decisions).toMatchObject([
      { transaction: { id: idOf(5) }, condition: 'pool_unseen' },
      { transaction: { id: idOf(9) }, condition: 'paused' },
    ])
  })
})

describe('a gap filler that a node calls invalid', () => {
  const refusedAt = (at: number, recordedAt = now) =>
    inFlight(0, [someAttempt(0, { recordedAt, broadcast: calledInvalid(at, recordedAt) })], {
      origin: 'gap',
    })
  const second = someRepeatAfter.doubtfulMs

  test('is reported with the node’s words, and so are those that wait behind it', () => {
    const { decisions, conditions } = plan({ open: [refusedAt(now), inFlight(1)] })
    expect(decisions).toMatchObject([
      { do: 'explain', transaction: { origin: 'gap' }, reason: expect.stringContaining('intrinsic gas too low') },
      { do: 'explain', transaction: { id: idOf(1) }, reason: expect.stringContaining('waits: nonce 0 comes first') },
    ])
    expect(conditions).toEqual(['node_refuses'])
  })

  test('is broadcast again as it is, after pauses that double and have a bound', () => {
    const tried = (afterMs: number, pausedMs: number) => {
      const gapFiller = refusedAt(now + afterMs)
      const { decisions } = plan({ open: [gapFiller, inFlight(1)] }, {}, now + afterMs + pausedMs)
      return decisions.some((each) => each.do === 'rebroadcast' && each.transaction.origin === 'gap')
    }
    for (const [afterMs, pauseMs] of [
      [1, second],
      [second, second],
      [2 * second, 2 * second],
      [64 * second, 64 * second],
      [100 * invalidPauseMaxMs, invalidPauseMaxMs],
    ] as const) {
      expect([tried(afterMs, pauseMs - 1), tried(afterMs, pauseMs)]).toEqual([false, true])
    }
  })

  test('after a clock was set back is tried again rather than waited for', () => {
    const { decisions } = plan({ open: [refusedAt(now + 3_600_000), inFlight(1)] })
    expect(verbs(decisions)).toContain('rebroadcast')
  })

  test('gives its nonce to no other transaction: a pool may have it all the same', () => {
    const open = [refusedAt(now - second, now - 2 * second), inFlight(1)]
    for (const observed of [{}, { pendingNonce: 0 }, { pendingNonce: 1 }, { balance: 0n }]) {
      const { decisions } = plan({ open, queued: [queued(9)] }, observed)
      expect(verbs(decisions)).not.toContain('refuse')
      expect(decisions.flatMap((each) => (each.do === 'assignNonce' ? [each.nonce] : []))).not.toContain(0)
    }
  })

  test('stays where nothing waits behind it, and gets no second no-op', () => {
    expect(verbs(plan({ open: [refusedAt(now)] }).decisions)).toEqual(['explain'])
    expect(plan({ open: [refusedAt(now)], queued: [queued(9)] }).decisions).toContainEqual(
      expect.objectContaining({ do: 'assignNonce', nonce: 1 }),
    )
  })
})
