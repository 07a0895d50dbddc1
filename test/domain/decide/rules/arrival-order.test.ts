// The order on arrival: what it does where a sequencer orders transactions as they come, and that it does nothing elsewhere.
import { expect, test } from 'vitest'
import type { Attempt } from '../../../../src/domain/attempt.ts'
import type { Situation } from '../../../../src/domain/decide/plan/work.ts'
import * as rule from '../../../../src/domain/decide/rules/arrival-order.ts'
import { noOpContender } from '../../../../src/domain/decide/terms/contender.ts'
import type { NonEmpty } from '../../../../src/domain/ids.ts'
import type { DecisionProfile, NetworkPolicy } from '../../../../src/domain/relayer.ts'
import {
  answered,
  canceled,
  gwei,
  headAt,
  height,
  inFlight,
  now,
  queued,
  someAttempt,
  someMarket,
  someNoOp,
  somePolicy,
  someSituation,
} from '../../some.ts'

const withProfile = (profile: Partial<DecisionProfile>): Partial<NetworkPolicy> => ({
  profile: { ...somePolicy.profile, ...profile },
})
const onArrival = withProfile({ pool: 'fcfs', keepsFutureNonceMs: 1_000 })
const elsewhere = withProfile({ pool: 'private' })

const spent = answered({ kind: 'rejected', code: 'nonceTooLow', message: 'nonce too low' }, now - 200)
const rejectedAt = (at: number) =>
  ({ ...answered({ kind: 'rejected', code: 'feeTooLow', message: 'too low' }, at), rejections: 'all' }) as const
const unknown = answered({ kind: 'unknown', message: 'timeout' }, now - 200)

const at = (policy: Partial<NetworkPolicy>, open = [inFlight(0, [someAttempt(0)], canceled)]): Situation =>
  someSituation({ open, queued: [queued(5), queued(6)] }, { head: headAt(height + 1) }, policy)
const race = (...attempts: NonEmpty<Attempt>) => inFlight(0, attempts, canceled)

test.each([
  [
    'spent: ordered, so no no-op',
    race(someAttempt(0, { broadcast: spent })),
    [{ do: 'explain', condition: 'already_ordered' }],
  ],
  ['rejected: dropped', race(someAttempt(0, { broadcast: rejectedAt(now - 1_000) })), [{ do: 'drop' }]],
  ['rejected just now: kept for a moment', race(someAttempt(0, { broadcast: rejectedAt(now - 200) })), []],
  ['accepted: a no-op', race(someAttempt(0)), undefined],
  ['unknown: a no-op', race(someAttempt(0, { broadcast: unknown })), undefined],
])('the answer decides the fate of a cancellation: %s', (_, transaction, steps) => {
  const fate = rule.fateOnArrival(transaction, at(onArrival))
  if (steps) expect(fate).toMatchObject(steps)
  else expect(fate).toBeUndefined()
  expect(rule.fateOnArrival(transaction, at(elsewhere))).toBeUndefined()
})

const noOp = someNoOp(0)
const late = race(someAttempt(0), noOp)
const contender = noOpContender(late, at(onArrival))
const bidder = { ...contender, purpose: 'noOp', gas: 21_000, cap: undefined, funds: undefined } as const
const waiting = at(onArrival).work
const bump = { do: 'bump', transaction: inFlight(1), fees: noOp.fees, gasLimit: 21_000 } as const

test.each<[string, (situation: Situation) => unknown, unknown, unknown]>([
  [
    'a bid is the market price',
    ({ policy }) => rule.bidOnArrival(bidder, someMarket, policy)?.kind,
    'repeat',
    undefined,
  ],
  ['nothing has to be replaced', ({ policy }) => rule.rivalsOf(late, policy).length, 0, 2],
  ['waiting is no reason to bid', (s) => rule.reasonOnArrival(contender, noOp, s), 'none', undefined],
  ['a tight no-op is due after a block', (s) => rule.isTightOnArrival(noOp, s), true, undefined],
  ['the next nonce may be left out', (s) => rule.mayBeLeftOut(noOp, s), true, false],
  [
    'an attempt that is not covered is left out',
    (s) => rule.isLeftOut(late, { ...noOp, gasLimit: 1e9 }, s),
    true,
    false,
  ],
  ['a cancellation reads the count', ({ policy }) => rule.wantsCount([late], policy), true, false],
  ['one level of pre-signed no-ops', ({ policy }) => rule.levelsOnArrival(2, policy), 1, 2],
  ['an accepted payload is not exposed', ({ policy }) => rule.isExposedOnArrival([noOp], policy), false, undefined],
  ['an accepted no-op is unknown', (s) => rule.explainUnordered(contender, s).length, 1, 0],
  ['a spent nonce is ordered', (s) => rule.isOrdered(race(someAttempt(0, { broadcast: spent })), s), true, false],
  [
    'a replacement of what is ordered waits',
    (s) => rule.explainOrdered(race(someAttempt(0, { broadcast: spent })), s).length,
    1,
    0,
  ],
])('%s, and elsewhere the rule changes nothing', (_, ask, here, there) => {
  expect(ask(at(onArrival))).toEqual(here)
  expect(ask(at(elsewhere))).toEqual(there)
})

test('sends go out one at a time', () => {
  const doubtful = inFlight(0, [someAttempt(0, { broadcast: unknown })])
  const bound = { do: 'assignNonce', transaction: queued(5), nonce: 1, fees: noOp.fees, gasLimit: 21_000 } as const
  for (const [policy, isAlone] of [
    [onArrival, true],
    [elsewhere, false],
  ] as const) {
    const { work, observation, policy: rules } = at(policy, [doubtful])
    expect(rule.queueAllowedNow(work, observation, rules).queued).toEqual(isAlone ? [] : work.queued)
    expect(rule.mayBindMore(work, [bound], rules)).toBe(isAlone)
    expect(rule.mayBroadcastNow(bump, work, rules)).toBe(!isAlone)
  }
  expect(rule.queueAllowedNow(waiting, at(elsewhere).observation, at(elsewhere).policy)).toBe(waiting)
})

test('no number of tries raises the price', () => {
  const { policy } = at(onArrival)
  const tried = Array.from({ length: 5 }, () => someNoOp(0, { fees: noOp.fees }))
  const cheap = { ...someMarket, baseFee: 10n * gwei }
  const once = rule.bidOnArrival({ ...bidder, own: [] }, cheap, policy)
  expect(once?.kind).toBe('sign')
  const again = rule.bidOnArrival(
    { ...bidder, own: once?.kind === 'sign' ? [...tried, someNoOp(0, { fees: once.fees })] : [] },
    cheap,
    policy,
  )
  expect(again?.kind).toBe('repeat')
})
