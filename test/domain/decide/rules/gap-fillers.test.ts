// The limits of gap fillers for nonces that the record never assigned, and the distances that a node may name.
import { describe, expect, test } from 'vitest'
import { decide } from '../../../../src/domain/decide/decide.ts'
import { nothing } from '../../../../src/domain/decide/plan/decision.ts'
import type { Work } from '../../../../src/domain/decide/plan/work.ts'
import {
  explainRefusedGapFiller,
  fillGaps,
  limitGapFillers,
  withGivenBack,
} from '../../../../src/domain/decide/rules/gap-fillers.ts'
import type { GapRecord } from '../../../../src/domain/gap-record.ts'
import type { Observation } from '../../../../src/domain/observation.ts'
import {
  headAt,
  height,
  inFlight,
  now,
  queued,
  someMarket,
  someObservation,
  someSituation,
  someWork,
} from '../../some.ts'

const unassigned: GapRecord = { released: new Set(), filledInHour: 0, permitted: 0 }
const range = (from: number, below: number) => Array.from({ length: below - from }, (_, index) => from + index)

function limited(gaps: readonly number[], gapRecord: GapRecord | undefined, secondCount?: Observation['secondCount']) {
  const { gapRecord: _, ...work } = someWork()
  return limitGapFillers(gaps, {
    work: { ...work, ...(gapRecord && { gapRecord }) },
    observation: someObservation(secondCount === undefined ? {} : { secondCount }),
  })
}

const filled = (...given: Parameters<typeof limited>) => limited(...given).fill.map(({ nonce }) => nonce)

function plan(work: Partial<Work>, observation: Partial<Observation>) {
  return decide(someSituation(work, observation))
}

describe('gap fillers', () => {
  test('need the record first, and for nonces that it never assigned a second count', () => {
    expect(limited([0], undefined)).toMatchObject({ fill: [], lacks: 'gapRecord' })
    expect(limited([0], unassigned)).toMatchObject({ fill: [], lacks: 'secondCount' })
    expect(limited([0], unassigned, 'unknown')).toMatchObject({ fill: [], blocked: { nonce: 0, by: 'count' } })
    expect(limited([4, 5], unassigned, 5)).toMatchObject({ fill: [], blocked: { nonce: 4, by: 'count' } })
    expect(limited([5], unassigned, 5).fill).toEqual([{ nonce: 5, unassigned: true }])
  })

  test('are at most 16 in a step', () => {
    expect(filled(range(0, 17), unassigned, 0)).toEqual(range(0, 16))
    const released = { ...unassigned, released: new Set(range(0, 17)) }
    expect(limited(range(0, 17), released)).toMatchObject({ hasMore: true, fill: { length: 16 } })
  })

  test('are at most 64 in an hour, and more as an operator permits; nonces that were given back do not count', () => {
    const at = (filledInHour: number, permitted = 0) =>
      filled(range(0, 10), { ...unassigned, filledInHour, permitted }, 0)
    expect(at(60)).toEqual(range(0, 4))
    expect(at(64)).toEqual([])
    expect(at(300)).toEqual([])
    expect(at(64, 3)).toEqual(range(0, 3))
    expect(at(64, 300)).toEqual(range(0, 10))
    const released = { released: new Set(range(0, 5)), filledInHour: 64, permitted: 0 }
    expect(limited(range(0, 10), released, 0)).toMatchObject({
      blocked: { nonce: 5, by: 'limit' },
      fill: { length: 5 },
    })
  })
})

describe.each([300, 10 ** 12, Number.MAX_SAFE_INTEGER])('a pool that counts %d', (pendingNonce) => {
  const poolCounts = [{ below: pendingNonce, block: height, ms: now, isBeyond: true }]

  test('delays the queue, and binds no nonce above the window', () => {
    const { decisions } = plan({ queued: [queued(1)] }, { nonce: 0, pendingNonce })
    expect(decisions).toMatchObject([{ do: 'explain', condition: 'nonce_blocked' }])
  })

  test('delays it for as long as a foreign transaction has', () => {
    const work = { queued: [queued(1)], poolCounts }
    const at = (head: number) => plan(work, { nonce: 0, pendingNonce, head: headAt(head) }).decisions
    expect(at(height + 11)).toMatchObject([{ do: 'explain' }])
    expect(at(height + 12)).toMatchObject([{ do: 'assignNonce', nonce: 0 }])
  })

  test('fills no gap before that, and after it as many as a step does', () => {
    const open = [inFlight(Number.MAX_SAFE_INTEGER - 1)]
    const fills = (changes: Partial<Observation>) =>
      plan({ open, poolCounts }, { nonce: 0, pendingNonce, ...changes }).decisions.filter(
        (each) => each.do === 'fillGap',
      )
    const [first] = fills({})
    expect(first?.nonce ?? pendingNonce).toBe(pendingNonce)
    expect(fills({ head: headAt(height + 12) }).map(({ nonce }) => nonce)).toEqual(range(0, 16))
  })
})

test('a pool that counts 15 of others shifts the next nonce by as many', () => {
  expect(plan({ queued: [queued(1)] }, { nonce: 4, pendingNonce: 19 }).decisions).toMatchObject([
    { do: 'assignNonce', nonce: 19 },
  ])
  expect(plan({ queued: [queued(1)] }, { nonce: 4, pendingNonce: 20 }).decisions).toMatchObject([{ do: 'explain' }])
})

test('without a gap nothing is filled, read or explained', () => {
  const situation = someSituation({ open: [inFlight(0), inFlight(1)], gapRecord: undefined as never })
  expect(fillGaps([], someMarket, situation)).toEqual(nothing)
  expect(explainRefusedGapFiller(situation.work)).toEqual([])
  expect(withGivenBack(situation.work, situation.work)).toBe(situation.work)
})
