// Transactions on hold: released at their time by two clocks, and nothing changes for the others.
import { expect, test } from 'vitest'
import { decide } from '../../../../src/domain/decide/decide.ts'
import { hasDueHold, isIdle, nextRelease, releaseEnded } from '../../../../src/domain/decide/rules/holds.ts'
import { headPatienceMs } from '../../../../src/domain/hold.ts'
import type { Transaction } from '../../../../src/domain/transaction.ts'
import { inFlight, now, queued, someObservation, somePolicy, someRelayer, someSituation, someWork } from '../../some.ts'

const until = now + 3_600_000
const onHold = (end: number | undefined, more: Partial<Transaction> = {}): Transaction => ({
  ...queued(1),
  ...more,
  lifecycle: { phase: 'held', hold: { rule: 'hold_for', since: now, ...(end !== undefined && { until: end }) } },
})
const paused = someRelayer({ paused: true })

test.each<[string, { held?: Transaction; at: number; headAt: number; work?: object }, readonly string[]]>([
  ['before its time, by a chain that is ahead', { at: until - 1, headAt: until + 1_000 }, []],
  ['at its time, by a chain that is behind', { at: until, headAt: until - 1 }, []],
  ['at its time by both clocks', { at: until, headAt: until }, ['release']],
  [
    'a minute after the last new head, by our clock alone',
    { at: until + headPatienceMs, headAt: until - 1, work: { headSince: until } },
    ['release'],
  ],
  [
    'a moment before that minute is over',
    { at: until + headPatienceMs, headAt: until - 1, work: { headSince: until + 1 } },
    [],
  ],
  [
    'a minute after its time, while heads came until then',
    { at: until + headPatienceMs - 1, headAt: until - 1, work: { headSince: now } },
    [],
  ],
  ['under a pause', { at: until, headAt: until, work: { relayer: paused } }, []],
  ['until a release', { held: onHold(undefined), at: until * 2, headAt: until * 2 }, []],
  ['that expired meanwhile', { held: onHold(until, { validUntil: until }), at: until, headAt: until }, []],
  ['outside this world: none is on hold', { held: queued(1), at: until, headAt: until }, []],
])('a hold %s', (_, { held = onHold(until), at, headAt, work = {} }, expected) => {
  const { head } = someObservation()
  const observation = someObservation({ head: { ...head, timestampMs: headAt } })
  const { decisions } = decide({ work: someWork({ held: [held], ...work }), observation, policy: somePolicy, now: at })
  expect(decisions.map(({ do: what }) => what)).toEqual(expected)
})

test('the engine sleeps until the end of the next hold, and then until our clock alone suffices', () => {
  const work = someWork({ held: [onHold(until), onHold(undefined)] })
  expect([nextRelease(work, now), hasDueHold(work, until - 1), isIdle(work, until - 1)]).toEqual([until, false, true])
  const later = { ...work, headSince: until }
  expect([nextRelease(later, until), hasDueHold(later, until), isIdle(later, until)]).toEqual([
    until + headPatienceMs,
    true,
    false,
  ])
  const under = { ...work, relayer: paused }
  expect([nextRelease(under, until), hasDueHold(under, until)]).toEqual([undefined, false])
})

test('without transactions on hold nothing is due', () => {
  const situation = someSituation({ open: [inFlight(0)], queued: [queued(1)] }, {}, {}, until)
  expect(releaseEnded(situation)).toEqual([])
  expect([nextRelease(situation.work, until), hasDueHold(situation.work, until)]).toEqual([undefined, false])
})
