// Two thresholds: a status follows the required confirmations, a verdict follows the finality rule of its network.
import { describe, expect, test } from 'vitest'
import { verdictOn } from '../../../src/domain/cancel.ts'
import { apply } from '../../../src/domain/decide/apply.ts'
import { tagToRead } from '../../../src/domain/decide/facts/inquire.ts'
import type { Change, Decision } from '../../../src/domain/decide/plan/decision.ts'
import { violations } from '../../../src/domain/decide/plan/invariants.ts'
import { eventsOf } from '../../../src/domain/event.ts'
import { type Finality, finalDepth, isFinal, stalledAfterMinutes } from '../../../src/domain/finality.ts'
import { confirmedAtOf, type Inclusion, statusOf, type Transaction } from '../../../src/domain/transaction.ts'
import { decideInWords as decide } from '../in-words.ts'
import {
  blockHash,
  by,
  byForeign,
  canceled,
  headAt,
  height,
  inFlight,
  mined,
  now,
  queued,
  someAttempt,
  someNoOp,
  someObservation,
  somePolicy,
  someWork,
} from '../some.ts'

const minute = 60_000
const attempt = someAttempt(0)
const noOp = someNoOp(0)

interface Sight {
  readonly finality: Finality
  /** Of the inclusion's block. */
  readonly confirmations: number
  readonly tagged?: number
  readonly canonical?: number
  readonly at?: number
}

/** A plan for one transaction whose inclusion is in the block at `height`. */
function planFor(transaction: Transaction, { finality, confirmations, tagged, canonical = height, at = now }: Sight) {
  return decide({
    work: someWork({ open: [transaction] }),
    observation: someObservation({
      nonce: 1,
      head: headAt(height + confirmations - 1),
      canonical: new Map([[height, blockHash(canonical)]]),
      ...(tagged !== undefined && { tagged }),
    }),
    policy: { ...somePolicy, finality },
    now: at,
  })
}

const decisionsFor = (transaction: Transaction, sight: Sight) =>
  planFor(transaction, sight).decisions.map((decision) => decision.do)

function applied(transaction: Transaction, decisions: readonly Decision[], at = now): Transaction {
  return decisions.reduce((latest, each) => apply(each as Change, latest, undefined, at), transaction)
}

const minedBy = (inclusion: Inclusion, changes: Partial<Transaction> = {}) =>
  mined(0, inclusion, changes.cancellation ? [attempt, noOp] : [attempt], changes)
const confirmedAt = now - minute
const confirmedBy = (inclusion: Inclusion, changes: Partial<Transaction> = {}) => {
  const transaction = minedBy(inclusion, changes)
  return { ...transaction, lifecycle: { ...transaction.lifecycle, confirmedAt } }
}

describe('the rule', () => {
  test('a number below the required confirmations counts as those', () => {
    expect(finalDepth({ requiredConfirmations: 3, finality: 1 })).toEqual({ depth: 3 })
    expect(finalDepth({ requiredConfirmations: 3, finality: 7 })).toEqual({ depth: 7 })
    expect(finalDepth({ requiredConfirmations: 3, finality: 'safe' })).toEqual({ depth: 3 })
  })

  test.each([
    ['by depth', 7, 6, undefined, false],
    ['by depth', 7, 7, undefined, true],
    ['by depth, whatever a tag says', 7, 6, height + 5, false],
    ['without the tag', 'finalized', 500, undefined, false],
    ['below the tag', 'finalized', 500, height + 1, true],
    ['at the tag', 'finalized', 500, height, true],
    ['above the tag', 'finalized', 500, height - 1, false],
    ['below the tag, before it is confirmed', 'safe', 2, height, false],
    ['below a tag above the head', 'safe', 3, height + 3, false],
  ] as const)('%s: %s, %s confirmations, tag %s', (_, finality, confirmations, tagged, expected) => {
    const seen = { head: { number: height + confirmations - 1 }, ...(tagged !== undefined && { tagged }) }
    expect(isFinal(height, seen, { requiredConfirmations: 3, finality })).toBe(expected)
  })

  test('a tag that has not come is a stall after 15 minutes for `safe`, and after 30 for `finalized`', () => {
    const minutes = [14, 15, 29, 30].map((each) => now + each * minute)
    expect(minutes.map((at) => stalledAfterMinutes('safe', now, at))).toEqual([undefined, 15, 15, 15])
    expect(minutes.map((at) => stalledAfterMinutes('finalized', now, at))).toEqual([
      undefined,
      undefined,
      undefined,
      30,
    ])
    expect(stalledAfterMinutes(100, now, now + 600 * minute)).toBeUndefined()
    expect(stalledAfterMinutes('finalized', now, now + 600 * minute, 601 * minute)).toBeUndefined()
    expect(stalledAfterMinutes('finalized', now, now + 601 * minute, 601 * minute)).toBe(601)
  })
})

describe('an execution', () => {
  const transaction = minedBy(by(attempt))

  test('is settled at once where both thresholds coincide', () => {
    expect(decisionsFor(transaction, { finality: 1, confirmations: 2 })).toEqual([])
    expect(decisionsFor(transaction, { finality: 1, confirmations: 3 })).toEqual(['finalize'])
    const settled = applied(transaction, planFor(transaction, { finality: 3, confirmations: 3 }).decisions)
    expect(settled.lifecycle).toEqual({ ...transaction.lifecycle, phase: 'final', finalAt: now, witnesses: 1 })
    expect(confirmedAtOf(settled)).toBe(now)
    expect(eventsOf(transaction, settled)).toEqual(['update'])
  })

  test.each(['safe', 'finalized', 9] as const)('is confirmed first, and final by the rule: %s', (finality) => {
    const plan = planFor(transaction, { finality, confirmations: 3 })
    expect(plan.decisions.map((each) => each.do)).toEqual(['confirm'])
    // The observation that confirms did not read the tag.
    expect(plan.observeAgainAtOnce).toBe(finality !== 9)
    expect(plan.floor.spentBelow).toBe(0)
    const confirmed = applied(transaction, plan.decisions)
    expect([statusOf(confirmed), confirmed.lifecycle.phase, confirmedAtOf(confirmed)]).toEqual([
      'confirmed',
      'mined',
      now,
    ])
    expect(eventsOf(transaction, confirmed)).toEqual(['update'])
    expect(decisionsFor(confirmed, { finality, confirmations: 8, tagged: height - 1 })).toEqual([])

    const last = planFor(confirmed, { finality, confirmations: 9, tagged: height, at: now + minute })
    expect(last.decisions.map((each) => each.do)).toEqual(['finalize'])
    expect(last.floor.spentBelow).toBe(1)
    const settled = applied(confirmed, last.decisions, now + minute)
    expect(settled.lifecycle).toMatchObject({ phase: 'final', finalAt: now + minute, confirmedAt: now })
    expect(confirmedAtOf(settled)).toBe(now)
    // The status stands, and the event is the terminal one.
    expect(eventsOf(confirmed, settled)).toEqual(['update'])
  })

  test('that reverted is `failed` when it is confirmed', () => {
    const reverted = minedBy(by(attempt, height, false))
    const confirmed = applied(reverted, planFor(reverted, { finality: 'safe', confirmations: 3 }).decisions)
    expect(statusOf(confirmed)).toBe('failed')
  })

  test('a tag above our head makes nothing final', () => {
    const sight = { finality: 'finalized', confirmations: 5, tagged: height + 5 } as const
    expect(decisionsFor(confirmedBy(by(attempt)), sight)).toEqual([])
  })

  test('that was not confirmed yet is reopened as ever, without an alarm', () => {
    const plan = planFor(transaction, { finality: 'safe', confirmations: 2, canonical: 7 })
    expect(plan.decisions.map((each) => each.do)).toEqual(['reopen'])
    expect(eventsOf(transaction, applied(transaction, plan.decisions))).toEqual(['update'])
  })

  test('that a reorganization takes back after it was confirmed is an alarm, and its reason says so', () => {
    const confirmed = confirmedBy(by(attempt))
    const plan = planFor(confirmed, { finality: 'safe', confirmations: 9, tagged: height + 1, canonical: 7 })
    expect(plan.decisions.map((each) => each.do)).toEqual(['reopen'])
    const reopened = applied(confirmed, plan.decisions)
    expect([statusOf(reopened), confirmedAtOf(reopened)]).toEqual(['submitted', undefined])
    expect(reopened.statusReason).toMatch(/removed its block .* after it had the required confirmations$/)
    expect(eventsOf(confirmed, reopened)).toEqual(['update', 'alarm'])
  })
})

describe('a cancellation', () => {
  test('is won when it is confirmed, and safe to retry only when it is final', () => {
    const won = minedBy(by(noOp), canceled)
    const confirmed = applied(won, planFor(won, { finality: 'finalized', confirmations: 50 }).decisions)
    expect(verdictOn(confirmed)).toMatchObject({ state: 'won', final: false, safeToRetry: false })
    expect(eventsOf(won, confirmed)).toEqual([])
    const sight = { finality: 'finalized', confirmations: 60, tagged: height + 2 } as const
    const settled = applied(confirmed, planFor(confirmed, sight).decisions)
    expect(verdictOn(settled)).toMatchObject({ state: 'won', final: true, safeToRetry: true })
    expect(eventsOf(confirmed, settled)).toEqual(['update'])
  })

  test('whose no-op is taken back raises no alarm: nothing was reported as confirmed', () => {
    const confirmed = confirmedBy(by(noOp), canceled)
    const plan = planFor(confirmed, { finality: 'safe', confirmations: 9, canonical: 7 })
    expect(eventsOf(confirmed, applied(confirmed, plan.decisions))).toEqual(['attention'])
  })
})

test('a foreign transaction returns ours to the queue at finality', () => {
  const displaced = minedBy(byForeign())
  expect(decisionsFor(displaced, { finality: 'safe', confirmations: 30 })).toEqual(['confirm'])
  const confirmed = confirmedBy(byForeign())
  expect(decisionsFor(confirmed, { finality: 'safe', confirmations: 30, tagged: height - 1 })).toEqual([])
  expect(decisionsFor(confirmed, { finality: 'safe', confirmations: 30, tagged: height })).toEqual(['requeue'])
  expect(confirmedAtOf(confirmed)).toBeUndefined()
})

describe('a tag that stands still', () => {
  const at = confirmedAt + 30 * minute
  const stalled = { finality: 'finalized', confirmations: 900, tagged: height - 1, at } as const

  test('is a wait with a condition, once, until the block is final', () => {
    const confirmed = confirmedBy(by(attempt))
    expect(decisionsFor(confirmed, { ...stalled, at: at - 1 })).toEqual([])
    const plan = planFor(confirmed, stalled)
    expect(plan.conditions).toEqual(['finality_stalled'])
    const waiting = applied(confirmed, plan.decisions)
    expect(waiting.wait).toMatchObject({
      condition: 'finality_stalled',
      facts: { minutes: 30, tag: 'finalized' },
    })
    expect(statusOf(waiting)).toBe('confirmed')
    expect(eventsOf(confirmed, waiting)).toEqual(['attention'])
    expect(violations(someWork({ open: [waiting] }))).toEqual([])
    const again = planFor(waiting, { ...stalled, at: at + minute })
    expect([again.decisions, again.conditions]).toEqual([[], ['finality_stalled']])
    const settled = applied(waiting, planFor(waiting, { ...stalled, tagged: height }).decisions)
    expect([settled.lifecycle.phase, settled.wait]).toEqual(['final', undefined])
    const reopened = applied(waiting, planFor(waiting, { ...stalled, canonical: 7 }).decisions)
    expect([reopened.lifecycle.phase, reopened.wait]).toEqual(['inFlight', undefined])
  })

  test('is none for a network that counts blocks', () => {
    expect(decisionsFor(confirmedBy(by(attempt)), { ...stalled, finality: 5_000 })).toEqual([])
  })
})

test('the tag is read only while a confirmed transaction, or a lost history, waits for it', () => {
  const history = { from: 0, explained: new Set<number>(), since: 0, confirmations: 3 }
  const policy = { finality: 'safe' } as const
  const waiting = someWork({ open: [confirmedBy(by(attempt))] })
  expect(tagToRead(waiting, undefined, policy)).toBe('safe')
  expect(tagToRead(waiting, history, { finality: 30 })).toBeUndefined()
  const others = someWork({ open: [inFlight(0), minedBy(by(attempt))], queued: [queued(1)] })
  expect(tagToRead(others, undefined, policy)).toBeUndefined()
  expect(tagToRead(others, history, policy)).toBe('safe')
})
