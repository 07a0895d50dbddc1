// Which conditions begin and end an event of a relayer: those that held for a minute, once absent for a minute, one pair in ten minutes.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Attention,
  attend,
  endOf,
  type LookedAt,
  ofSharedNodes,
  shownConditions,
} from '../../src/domain/attention.ts'
import type { HeldCondition } from '../../src/domain/condition.ts'
import { now } from './some.ts'

const s = 1_000
const look = (at: number, since: number, condition: HeldCondition = 'balance_short'): LookedAt => ({
  ...{ condition, since: now + since * s, observedAt: now + at * s, isAcknowledged: false },
})

interface Step {
  /** Seconds. */
  readonly at: number
  readonly held: readonly LookedAt[]
}

/** The events: when, and what each shows. */
function follow(steps: readonly Step[]) {
  let before: Attention = []
  const events: { readonly at: number; readonly shown: readonly HeldCondition[] }[] = []
  for (const { at, held } of steps) {
    const { attention, isEvent } = attend(before, held, now + at * s)
    if (isEvent) events.push({ at, shown: shownConditions(attention).map(({ condition }) => condition) })
    before = attention
  }
  return events
}

const from = (since: number, ...ats: readonly number[]): Step[] => ats.map((at) => ({ at, held: [look(at, since)] }))
const none = (...ats: readonly number[]): Step[] => ats.map((at) => ({ at, held: [] }))

test('begins with a look after a minute, and ends with a look a minute after the first without it', () => {
  const steps = [...from(0, 0, 30, 59, 60, 90), ...none(100, 130, 159, 160, 190)]
  expect(follow(steps)).toEqual([
    { at: 60, shown: ['balance_short'] },
    { at: 160, shown: [] },
  ])
})

test('goes on where it is back within the minute', () => {
  expect(
    follow([
      ...from(0, 0, 60),
      ...none(70),
      ...from(80, 80),
      ...none(90, 149),
      ...from(149, 149),
      ...none(200, 259, 260),
    ]),
  ).toEqual([
    { at: 60, shown: ['balance_short'] },
    { at: 260, shown: [] },
  ])
})

test('begins at most once in ten minutes, then with what holds by then', () => {
  const steps = [...from(0, 0, 60), ...none(100, 160), ...from(200, 200, 260, 659, 660), ...none(700, 760)]
  expect(follow(steps)).toEqual([
    { at: 60, shown: ['balance_short'] },
    { at: 160, shown: [] },
    { at: 660, shown: ['balance_short'] },
    { at: 760, shown: [] },
  ])
})

test('shows a set, and the last to end leaves it empty', () => {
  const both = (at: number): Step => ({ at, held: [look(at, 0), look(at, 30, 'gas_price_cap')] })
  expect(follow([both(60), both(90), ...from(0, 100, 160), ...none(170, 230)])).toEqual([
    { at: 60, shown: ['balance_short'] },
    { at: 90, shown: ['balance_short', 'gas_price_cap'] },
    { at: 160, shown: ['balance_short'] },
    { at: 230, shown: [] },
  ])
})

test.each(['on_hold', 'paused'] as const)('%s is a user’s decision', (condition) => {
  expect(attend([], [look(600, 0, condition)], now + 600 * s)).toEqual({ attention: [], isEvent: false })
})

test('an acknowledged condition does not begin, and ends where it had begun', () => {
  const seen = { ...look(60, 0), isAcknowledged: true }
  expect(attend([], [seen], now + 60 * s)).toEqual({ attention: [], isEvent: false })
  const { attention } = attend([], [look(60, 0)], now + 60 * s)
  expect(attend(attention, [seen], now + 90 * s)).toEqual({ attention, isEvent: false })
  expect(follow([...from(0, 60), { at: 90, held: [seen] }, ...none(100, 160)])).toHaveLength(2)
})

test('says when another look may make an event', () => {
  const next = (before: Attention, held: readonly LookedAt[], at: number) => attend(before, held, now + at * s).nextAt
  expect(next([], [look(10, 0)], 10)).toBe(now + 60 * s)
  const { attention } = attend([], [look(60, 0)], now + 60 * s)
  expect(next(attention, [look(70, 0)], 70)).toBe(undefined)
  expect(next(attention, [], 70)).toBe(now + 130 * s)
  const gone = attend(attention, [], now + 70 * s).attention
  const over = attend(gone, [], now + 130 * s).attention
  expect(next(over, [], 140)).toBe(undefined)
  expect(next(over, [look(140, 140)], 140)).toBe(now + 660 * s)
  expect(next(over, [look(700, 690)], 700)).toBe(now + 750 * s)
})

test('of shared nodes: as the relayer has it that has seen it for the longest, and unless all have acknowledged it', () => {
  const [short, long] = [look(100, 50, 'node_unreachable'), look(80, 10, 'node_unreachable')]
  expect(ofSharedNodes([short, long])).toEqual([long])
  expect(ofSharedNodes([{ ...short, isAcknowledged: true }, long])).toEqual([long])
  const acknowledged = [short, long].map((each) => ({ ...each, isAcknowledged: true }))
  expect(ofSharedNodes(acknowledged)).toMatchObject([{ isAcknowledged: true }])
})

test('a subject without relayers ends what was shown', () => {
  const { attention } = attend([], [look(60, 0)], now + 60 * s)
  expect(endOf(attention)).toEqual({ attention: [], isEvent: true })
  expect(endOf([])).toEqual({ attention: [], isEvent: false })
})

test('whatever comes and goes: beginnings and ends alternate, and beginnings lie ten minutes apart', () => {
  const steps = fc.array(fc.record({ ms: fc.constantFrom(1, 12, 30, 59, 60, 61, 120), isHeld: fc.boolean() }), {
    maxLength: 200,
  })
  fc.assert(
    fc.property(steps, (all) => {
      let [at, since] = [0, 0]
      const looks = all.map(({ ms, isHeld }, index): Step => {
        at += ms
        if (!all[index - 1]?.isHeld) since = at
        return { at, held: isHeld ? [look(at, since)] : [] }
      })
      const events = follow(looks)
      events.forEach(({ shown }, index) => void expect(shown.length).toBe(index % 2 === 0 ? 1 : 0))
      const begun = events.filter(({ shown }) => shown.length > 0)
      for (const [index, { at }] of begun.entries())
        if (index > 0) expect(at - (begun[index - 1]?.at ?? 0)).toBeGreaterThanOrEqual(600)
    }),
  )
})
