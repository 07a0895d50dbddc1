// skip_unfunded: later transactions pass one that the balance does not cover, and it takes the next nonce once it is
// covered. Without the policy the queue keeps its order.

import { expect, test } from 'vitest'
import type { Condition } from '../../../src/domain/condition.ts'
import { apply } from '../../../src/domain/decide/apply.ts'
import { inquire } from '../../../src/domain/decide/facts/inquire.ts'
import { lacksNothing } from '../../../src/domain/decide/plan/lacks.ts'
import type { Work } from '../../../src/domain/decide/plan/work.ts'
import type { TransactionId } from '../../../src/domain/ids.ts'
import type { Estimate, Observation } from '../../../src/domain/observation.ts'
import type { Policies } from '../../../src/domain/policy-table.ts'
import { decideInWords as decide } from '../in-words.ts'
import {
  ether,
  inFlight,
  now,
  queued,
  someAttempt,
  somePayload,
  somePolicies,
  somePolicy,
  someRelayer,
  someSituation,
  someWork,
} from '../some.ts'
import { someWait } from '../some-reasons.ts'

const { gasLimit: _, ...estimated } = somePayload
const dear = (sequence: number) => queued(sequence, { payload: { ...somePayload, value: 100n * ether } })
const known = someWait('balance_short')

function decided(
  policies: Partial<Policies>,
  work: Partial<Work>,
  observation: Partial<Observation> = {},
  profile = {},
) {
  const relayer = someRelayer({ policies: { ...somePolicies, ...policies } })
  const policy = { ...somePolicy, profile: { ...somePolicy.profile, ...profile } }
  const plan = decide(someSituation({ relayer, ...work }, { balance: ether, ...observation }, policy))
  const sequences = (what: string) =>
    plan.decisions.flatMap((each) => (each.do === what && 'transaction' in each ? [each.transaction.sequence] : []))
  const waits = plan.decisions.flatMap((each): [number, Condition][] =>
    each.do === 'explain' ? [[each.transaction.sequence, each.condition]] : [],
  )
  return { ...plan, bound: sequences('assignNonce'), waits, refused: sequences('refuse') }
}

const skips = { skipUnfunded: true }
const queue = [queued(1), dear(2), queued(3), dear(4), queued(5)]

test('without it the first that cannot be paid holds up the queue', () => {
  expect(decided({}, { queued: queue })).toMatchObject({
    bound: [1],
    waits: [[2, 'balance_short']],
    observeAgainAtOnce: false,
  })
})

test('with it the others take the nonces, in their order and as many as there is room for', () => {
  const all = decided(skips, { queued: queue })
  expect(all).toMatchObject({
    bound: [1, 3, 5],
    waits: [
      [2, 'balance_short'],
      [4, 'balance_short'],
    ],
  })
  expect(all.decisions.flatMap((each) => (each.do === 'assignNonce' ? [each.nonce] : []))).toEqual([0, 1, 2])
  // What was passed proves no order after a restore.
  const explained = all.decisions.filter((each) => each.do === 'explain')
  expect(explained.map((each) => apply(each, each.transaction, undefined, now).wasPassed)).toEqual([true, true])
  expect(decided({ ...skips, maxInFlight: 2 }, { queued: queue }).bound).toEqual([1, 3])
})

test('once the balance covers it, it is the first to take a nonce', () => {
  const paid = decided({ ...skips, maxInFlight: 1 }, { queued: [dear(2), queued(3)] }, { balance: 101n * ether })
  expect(paid).toMatchObject({ bound: [2], waits: [] })
})

test('its wait is recorded before the next step loads the transactions behind it, and then that step ends', () => {
  expect(decided(skips, { queued: [dear(2)] })).toMatchObject({
    waits: [[2, 'balance_short']],
    observeAgainAtOnce: true,
  })
  expect(decided(skips, { queued: [{ ...dear(2), wait: known }] }).observeAgainAtOnce).toBe(false)
})

test('a remembered balance is read anew before any is passed', () => {
  const remembered = decided(skips, { queued: queue }, { balanceReadAt: 1 })
  expect(remembered).toMatchObject({ lacks: new Set(['balance']), bound: [] })
})

test('a remembered balance is read anew before any is passed, whatever holds up the next', () => {
  const unestimated = queued(3, { payload: estimated })
  const estimates = new Map<TransactionId, Estimate>([[unestimated.id, { kind: 'unknown' }]])
  const behind = decided(skips, { queued: [dear(2), unestimated] }, { balanceReadAt: 1, estimates })
  expect(behind).toMatchObject({ lacks: new Set(['balance']), decisions: [] })
})

test.each<[string, Estimate]>([
  ['is not estimated', { kind: 'unknown' }],
  ['is said to revert', { kind: 'reverts', reason: 'insufficient funds' }],
])('a value above the balance whose gas %s waits for funds, and is passed', (__, estimate) => {
  const first = queued(1, { payload: { ...estimated, value: 100n * ether } })
  const estimates = new Map([[first.id, estimate]])
  const passed = decided(skips, { queued: [first, queued(2)] }, { estimates })
  expect(passed).toMatchObject({ bound: [2], waits: [[1, 'balance_short']], refused: [] })
  expect(decided({}, { queued: [first, queued(2)] }, { estimates })).toMatchObject({
    ...{ bound: [], waits: [[1, 'balance_short']], refused: [] },
  })
})

test('a balance below min_balance holds up all of them', () => {
  const low = decided({ ...skips, minBalance: 2n * ether }, { queued: queue })
  expect(low).toMatchObject({ bound: [], waits: [[1, 'balance_below_minimum']] })
})

test('where sends go out one by one, it is passed as well', () => {
  const keepsFutureNonceMs = 1_000
  expect(decided(skips, { queued: queue }, {}, { keepsFutureNonceMs }).bound).toEqual([1])
  expect(decided(skips, { queued: queue.slice(1) }, {}, { keepsFutureNonceMs }).bound).toEqual([3])
})

test('the gas of each is estimated, as any may be the next', () => {
  const waiting = Array.from({ length: 6 }, (__, index) => queued(index + 2, { payload: estimated }))
  const open = [inFlight(0, [someAttempt(0)])]
  const countOf = (policies: Partial<Policies>) => {
    const relayer = someRelayer({ policies: { ...somePolicies, ...policies } })
    return inquire(someWork({ relayer, open, queued: waiting }), lacksNothing).estimates.length
  }
  expect([countOf({}), countOf(skips)]).toEqual([3, 6])
})
