// Confirmed and not final: which rows a step reads, and what the summary of the others keeps it from doing.

import { describe, expect, test } from 'vitest'
import { decide } from '../../../src/domain/decide/decide.ts'
import { dueOf, withConfirmedRows } from '../../../src/domain/decide/facts/confirmed-not-final.ts'
import { inquire, tagToRead } from '../../../src/domain/decide/facts/inquire.ts'
import { checkHistory } from '../../../src/domain/decide/lost-history/check-history.ts'
import { lacksNothing } from '../../../src/domain/decide/plan/lacks.ts'
import type { ConfirmedNotFinal, Work } from '../../../src/domain/decide/plan/work.ts'
import type { Observation } from '../../../src/domain/observation.ts'
import type { NetworkPolicy } from '../../../src/domain/relayer.ts'
import {
  blockHash,
  by,
  headAt,
  height,
  inFlight,
  mined,
  now,
  queued,
  someAttempt,
  someObservation,
  somePolicy,
  someWork,
} from '../some.ts'

const minute = 60_000
const policy: NetworkPolicy = { ...somePolicy, finality: 'finalized' }
const newest = { number: height, hash: blockHash(height) }
const unsettled: ConfirmedNotFinal = {
  newest,
  nonce: 4,
  oldestBlock: height - 9,
  unreportedSince: now - minute,
  isStalled: false,
}

/** The head is nine blocks above the newest of them. */
const seen = (changes: Partial<Observation> = {}) =>
  someObservation({
    head: headAt(height + 9),
    nonce: 5,
    canonical: new Map([[height, blockHash(height)]]),
    ...changes,
  })
const onAnotherBranch = new Map([[height, blockHash(7)]])

function decided(work: Partial<Work>, observation: Observation) {
  const plan = decide({ work: someWork({ confirmedNotFinal: unsettled, ...work }), observation, policy, now })
  return { ...plan, doing: plan.decisions.map((each) => each.do) }
}

describe('the rows that a step reads', () => {
  const work = someWork({ confirmedNotFinal: unsettled })
  test.each<[string, Partial<Observation>, number, unknown]>([
    ['none while nothing is due', { tagged: height - 10 }, now, undefined],
    ['none without them', {}, now, undefined],
    ['those up to the tag', { tagged: height - 9 }, now, { kind: 'final', through: height - 9 }],
    ['the newest, if their block is gone', { tagged: height, canonical: onAnotherBranch }, now, { kind: 'takenBack' }],
    ['none, if their block could not be read', { canonical: new Map() }, now, undefined],
    ['those that are late', {}, now + 29 * minute, { kind: 'stalled', confirmedBy: now - minute }],
    ['none just before they are late', {}, now + 29 * minute - 1, undefined],
  ])('%s', (_, changes, at, expected) => {
    expect(dueOf(work, seen(changes), policy, at)).toEqual(expected)
  })

  test('those deep enough, where blocks are counted', () => {
    const due = dueOf(work, seen(), { ...policy, finality: 18 }, now + 600 * minute)
    expect(due).toEqual({ kind: 'final', through: height - 8 })
    expect(dueOf(work, seen(), { ...policy, finality: 20 }, now)).toBeUndefined()
  })

  test('not twice: all of the late ones may have been reported', () => {
    const { unreportedSince: _, ...reported } = unsettled
    expect(dueOf(someWork({ confirmedNotFinal: reported }), seen(), policy, now + 600 * minute)).toBeUndefined()
  })
})

test('one block, one tag and one nonce are read for all of them', () => {
  const work = someWork({ confirmedNotFinal: unsettled })
  const inquiry = inquire(work, lacksNothing)
  expect(inquiry).toMatchObject({ inclusionBlocks: [height], spentBelow: 5 })
  expect(tagToRead(work, undefined, policy)).toBe('finalized')
})

test('another is confirmed only on the branch of the newest', () => {
  const attempt = someAttempt(5)
  const open = [mined(5, by(attempt, height + 1), [attempt])]
  const both = (hash: number) =>
    new Map([
      [height, blockHash(hash)],
      [height + 1, blockHash(height + 1)],
    ])
  expect(decided({ open }, seen({ nonce: 6, canonical: both(height) })).doing).toEqual(['confirm'])
  expect(decided({ open }, seen({ nonce: 6, canonical: both(7) })).doing).toEqual([])
  const unread = new Map([[height + 1, blockHash(height + 1)]])
  expect(decided({ open }, seen({ nonce: 6, canonical: unread })).doing).toEqual([])
})

test('their nonces stay theirs, whatever a node that lags reports', () => {
  const [assigned] = decided({ queued: [queued(9)] }, seen({ nonce: 2 })).decisions
  expect(assigned).toMatchObject({ do: 'assignNonce', nonce: 5 })
  const behind = decided({ open: [inFlight(6)] }, seen({ nonce: 2, pendingNonce: 2 })).decisions
  expect(behind).toContainEqual(expect.objectContaining({ do: 'fillGap', nonce: 5 }))
})

test('nothing gets a nonce in a step that finds them taken back', () => {
  const attempt = someAttempt(4)
  const row = mined(4, by(attempt), [attempt])
  const confirmed = { ...row, lifecycle: { ...row.lifecycle, confirmedAt: now } }
  const work = withConfirmedRows(someWork({ confirmedNotFinal: unsettled, queued: [queued(9)] }), [confirmed], true)
  const plan = decided(work, seen({ canonical: onAnotherBranch }))
  expect([plan.doing, plan.observeAgainAtOnce]).toEqual([['reopen'], true])
})

describe('a page of them', () => {
  const rows = [3, 4].map((nonce) => {
    const attempt = someAttempt(nonce)
    const row = mined(nonce, by(attempt), [attempt])
    return { ...row, lifecycle: { ...row.lifecycle, confirmedAt: now } }
  })
  const page = (isWhole: boolean) =>
    withConfirmedRows(
      someWork({
        confirmedNotFinal: unsettled,
        open: [inFlight(5, [someAttempt(5, { recordedAtBlock: height + 9 })])],
      }),
      rows,
      isWhole,
    )

  test('joins the others by nonce, and the next page follows at once', () => {
    expect(page(true).open.map(({ lifecycle }) => 'nonce' in lifecycle && lifecycle.nonce)).toEqual([3, 4, 5])
    const final = seen({ tagged: height })
    expect([decided(page(false), final).doing, decided(page(false), final).observeAgainAtOnce]).toEqual([
      ['finalize', 'finalize'],
      true,
    ])
    expect(decided(page(true), final).observeAgainAtOnce).toBe(false)
  })

  test('without any decision waits for a block', () => {
    const unread = decided(page(false), seen({ tagged: height, canonical: new Map() }))
    expect([unread.doing, unread.observeAgainAtOnce]).toEqual([[], false])
  })
})

test('that one of them is late is a condition of the relayer for as long as it lasts', () => {
  expect(decided({}, seen()).conditions).toEqual([])
  expect(decided({ confirmedNotFinal: { ...unsettled, isStalled: true } }, seen()).conditions).toEqual([
    'finality_stalled',
  ])
})

describe('a history check', () => {
  const explained = [{ first: 1, last: 4, ahead: 2 }]
  const head = headAt(height + 9)
  const check = (work: Partial<Work>) => {
    const checked = someWork({ confirmedNotFinal: { ...unsettled, explained }, queued: [queued(1)], ...work })
    return checkHistory(checked, checked, { below: 5, finalBelow: 0 }, { nonce: 5, head, confirmations: 3 })
  }

  test('counts their nonces as explained, up to its sequence', () => {
    const floor = { spentBelow: 1, explainedBelow: 1 }
    expect(check({ floor, lostHistory: { through: 6 } }).lostHistory).toBeUndefined()
    expect(check({ floor, lostHistory: { through: 5 } }).lostHistory).toMatchObject({ through: 5 })
    expect(
      check({ floor: { spentBelow: 0, explainedBelow: 0 }, lostHistory: { through: 6 } }).lostHistory,
    ).toBeDefined()
  })

  test('trusts the row, where this step read it', () => {
    const floor = { spentBelow: 1, explainedBelow: 1 }
    // Its block was taken back, and the chain has spent its nonce since.
    const reopened = inFlight(3, [someAttempt(3)], { sequence: 5 })
    expect(check({ floor, open: [reopened], lostHistory: { through: 6 } }).lostHistory).toBeDefined()
  })
})
