// How far above the record a nonce is bound, and what confirms more: another endpoint's count, or an operator's permit.
import { describe, expect, test } from 'vitest'
import { decide } from '../../../../src/domain/decide/decide.ts'
import type { Work } from '../../../../src/domain/decide/plan/work.ts'
import { limitGapFillers } from '../../../../src/domain/decide/rules/gap-fillers.ts'
import { limitReach, nonceLimit, reachMax } from '../../../../src/domain/decide/rules/reach.ts'
import type { GapRecord } from '../../../../src/domain/gap-record.ts'
import type { Observation } from '../../../../src/domain/observation.ts'
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
  someSituation,
  someWork,
} from '../../some.ts'

const unpermitted: GapRecord = { released: new Set(), filledInHour: 0, permitted: 0 }
const permitted: GapRecord = { ...unpermitted, permitted: 1 }
/** The highest nonce on record is 99. */
const floor = { spentBelow: 100, explainedBelow: 100 }
const farthest = 99 + reachMax
const far = 500_000_000

function reach(nonce: number, work: Partial<Work> = {}, observation: Partial<Observation> = {}) {
  return limitReach(nonce, {
    work: someWork({ floor, gapRecord: unpermitted, ...work }),
    observation: someObservation(observation),
  })
}

function plan(work: Partial<Work>, observation: Partial<Observation>) {
  return decide(someSituation(work, observation))
}

function bound(...given: Parameters<typeof plan>): readonly number[] {
  return plan(...given).decisions.flatMap((each) => (each.do === 'assignNonce' ? [each.nonce] : []))
}

describe('a nonce', () => {
  test('is bound up to 10,000 above the record; one more waits for a second count', () => {
    expect(reachMax).toBe(10_000)
    expect(reach(farthest)).toEqual({ isWithin: true })
    expect(reach(farthest + 1)).toEqual({ isWithin: false, lacks: 'secondCount' })
  })

  test('is bound where another endpoint confirms the count, and not where it has no more than the first', () => {
    expect(reach(far, {}, { secondCount: far })).toEqual({ isWithin: true })
    expect(reach(far, {}, { secondCount: 'unknown' })).toMatchObject({ blockedBy: { facts: { of: 'reach' } } })
    expect(reach(far, {}, { secondCount: 100 })).toMatchObject({
      blockedBy: { facts: { of: 'reach', recordedBelow: 100 } },
    })
  })

  test('is not bound on the word of the only endpoint, however often it repeats it', () => {
    expect(reach(far, {}, { secondCount: far, isSecondCountOwn: true })).toMatchObject({ isWithin: false })
  })

  test('is bound on an operator’s permit, which is read before another count', () => {
    const { gapRecord: _, ...work } = someWork({ floor })
    const unread = limitReach(far, { work, observation: someObservation() })
    expect(unread).toEqual({ isWithin: false, lacks: 'gapRecord' })
    expect(reach(far, { gapRecord: permitted })).toEqual({ isWithin: true })
  })

  test('is never bound from 10^9 on: no permit, no count and no missing record allows it', () => {
    expect(nonceLimit).toBe(1_000_000_000)
    for (const work of [{}, { gapRecord: permitted }, { floor: { spentBelow: 0, explainedBelow: 0 } }]) {
      const held = reach(nonceLimit, work, { secondCount: nonceLimit })
      expect(held).toMatchObject({ isWithin: false, blockedBy: { facts: { of: 'limit', limit: nonceLimit } } })
    }
    const high = { floor: { spentBelow: nonceLimit - 1, explainedBelow: 0 } }
    expect(reach(nonceLimit - 1, high)).toEqual({ isWithin: true })
    expect(reach(nonceLimit, high)).toMatchObject({ isWithin: false })
  })

  test('is bound at any count below that if it is the first on record', () => {
    const empty = { floor: { spentBelow: 0, explainedBelow: 0 } }
    expect(reach(nonceLimit - 1, empty)).toEqual({ isWithin: true })
  })
})

test('the record is everything settled, explained, confirmed, mined or in flight', () => {
  const empty = { floor: { spentBelow: 0, explainedBelow: 0 } }
  const attempt = someAttempt(99)
  const records: readonly Partial<Work>[] = [
    { floor: { spentBelow: 100, explainedBelow: 0 } },
    { floor: { spentBelow: 0, explainedBelow: 100 } },
    { ...empty, open: [inFlight(99), inFlight(3)] },
    { ...empty, open: [mined(99, by(attempt), [attempt])] },
    {
      ...empty,
      confirmedNotFinal: { newest: headAt(90), nonce: 99, oldestBlock: 90, isStalled: false },
    },
    { ...empty, recordedBelow: 100 },
  ]
  for (const record of records) {
    expect(reach(farthest, record)).toEqual({ isWithin: true })
    expect(reach(farthest + 1, record), JSON.stringify(Object.keys(record))).toMatchObject({ isWithin: false })
  }
})

test('the record holds what this step settles', () => {
  const attempt = someAttempt(far)
  const work = { floor, open: [mined(far, by(attempt), [attempt])], queued: [queued(1)], gapRecord: unpermitted }
  const { decisions } = plan(work, {
    ...{ nonce: far + 1, head: headAt(height + 2) },
    canonical: new Map([[height, blockHash(height)]]),
  })
  expect(decisions).toMatchObject([{ do: 'finalize' }, { do: 'assignNonce', nonce: far + 1 }])
})

describe('a count of the only endpoint', () => {
  const [first, second] = [queued(1), queued(2)]

  test.each([10 ** 12, Number.MAX_SAFE_INTEGER])(
    'that is %d binds nothing, also for the first transaction',
    (nonce) => {
      for (const spentBelow of [0, 100]) {
        const work = { floor: { spentBelow, explainedBelow: spentBelow }, queued: [first], gapRecord: unpermitted }
        expect(plan(work, { nonce }).decisions).toMatchObject([
          { do: 'explain', condition: 'gap_unconfirmed', facts: { of: 'limit', nonce } },
        ])
      }
    },
  )

  test('that lies far above the record is compared with another, and then binds nothing', () => {
    const { gapRecord: _, ...unread } = someWork({ floor, queued: [first, second] })
    const observation = someObservation({ nonce: far })
    const situation = { work: unread, observation, policy: somePolicy, now }
    expect(decide(situation)).toMatchObject({ decisions: [], lacks: new Set(['gapRecord']) })
    const work = { floor, queued: [first, second], gapRecord: unpermitted }
    expect(plan(work, { nonce: far })).toMatchObject({ decisions: [], lacks: new Set(['secondCount']) })
    const held = plan(work, { nonce: far, secondCount: far, isSecondCountOwn: true })
    expect(held.decisions).toMatchObject([{ do: 'explain', transaction: { id: first.id }, facts: { of: 'reach' } }])
    expect(held.conditions).toContain('gap_unconfirmed')
    expect(bound(work, { nonce: far, secondCount: far })).toEqual([far, far + 1])
  })

  test('that lies above the record by less binds as before, without another count', () => {
    expect(bound({ floor, queued: [first, second], gapRecord: unpermitted }, { nonce: farthest - 1 })).toEqual([
      farthest - 1,
      farthest,
    ])
  })

  test('binds the nonces of one step up to the reach, and no further', () => {
    const work = { floor, queued: [first, second], gapRecord: unpermitted }
    const beside = { nonce: farthest, secondCount: 'unknown' } as const
    const { decisions } = plan(work, beside)
    expect(decisions).toMatchObject([
      { do: 'assignNonce', nonce: farthest },
      { do: 'explain', transaction: { id: second.id }, condition: 'gap_unconfirmed' },
    ])
  })
})

test('a gap filler has the same reach, and no permit fills a nonce from 10^9 on', () => {
  const at = (nonce: number, gapRecord: GapRecord, more: Partial<Observation> = {}) =>
    limitGapFillers([nonce], {
      work: someWork({ floor, gapRecord }),
      observation: someObservation(more),
    })
  expect(at(far, unpermitted)).toMatchObject({ fill: [], lacks: 'secondCount' })
  expect(at(far, unpermitted, { secondCount: far, isSecondCountOwn: true })).toMatchObject({
    fill: [],
    blocked: { by: { facts: { of: 'reach' } } },
  })
  expect(at(far, unpermitted, { secondCount: far }).fill).toHaveLength(1)
  expect(at(nonceLimit, permitted, { secondCount: nonceLimit })).toMatchObject({
    fill: [],
    blocked: { by: { facts: { of: 'limit' } } },
  })
})

test('nothing is bound, and no gap is filled, while a count above all that is explained may be true', () => {
  const work = { floor, queued: [queued(1)], gapRecord: unpermitted }
  expect(bound(work, { nonce: 100 })).toEqual([100])
  const doubted = { nonce: 100, doubtedCount: 104 }
  expect(bound(work, doubted)).toEqual([])
  const facts = { of: 'count', nonce: 104, explainedBelow: 100 }
  expect(plan(work, doubted).decisions).toMatchObject([{ do: 'explain', condition: 'gap_unconfirmed', facts }])
  const gaps = { work: someWork(work), observation: someObservation({ ...doubted, secondCount: 100 }) }
  expect(limitGapFillers([100], gaps)).toMatchObject({ fill: [], blocked: { nonce: 100, by: { facts } } })
})

test('a history check does not remember how far a pool counts while the count at the head is in doubt', () => {
  const lostHistory = { through: 1 }
  const work = { floor, queued: [queued(1)], gapRecord: unpermitted, lostHistory, lastSequence: 1 }
  const nonce = 10 ** 12
  const { lostHistory: kept, decisions } = plan(work, { nonce, pendingNonce: nonce, lostHistory: { below: nonce } })
  expect(kept).toEqual(lostHistory)
  expect(decisions).toMatchObject([{ do: 'explain', condition: 'gap_unconfirmed' }])
})

test('a history check raises no floor to a count beyond the reach: nothing below it would be bound again', () => {
  const work = {
    floor,
    queued: [queued(1)],
    gapRecord: unpermitted,
    lostHistory: { through: 1, seen: { below: far, at: 1, isWhole: true } },
    lastSequence: 1,
    found: [],
  }
  const beside = { nonce: far, pendingNonce: far, lostHistory: { below: far, finalBelow: far, spenders: [] } }
  expect(plan(work, beside)).toMatchObject({
    decisions: [],
    lacks: new Set(['secondCount']),
    floor: { spentBelow: 100 },
  })
  const doubted = plan(work, { ...beside, secondCount: far, isSecondCountOwn: true })
  expect(doubted).toMatchObject({
    decisions: [{ do: 'explain', condition: 'gap_unconfirmed', facts: { of: 'reach', nonce: far } }],
    floor: { spentBelow: 100, explainedBelow: 100 },
    lostHistory: { through: 1 },
  })
  expect(plan(work, { ...beside, secondCount: far }).floor).toEqual({ spentBelow: far, explainedBelow: far })
})
