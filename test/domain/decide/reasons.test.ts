// Why a transaction waits or is stuck: a condition for machines, and a reason with figures and the action that
// would help; reported once, anew when the figure changes, and cleared when it is over.
import { describe, expect, test } from 'vitest'
import type { Attempt, RejectionCode } from '../../../src/domain/attempt.ts'
import { cancel } from '../../../src/domain/cancel.ts'
import { type Condition, conditions, roughly } from '../../../src/domain/condition.ts'
import { apply, dropIfNoNodeHasIt } from '../../../src/domain/decide/apply.ts'
import { include } from '../../../src/domain/decide/facts/inclusion.ts'
import type { Decision } from '../../../src/domain/decide/plan/decision.ts'
import type { Signing } from '../../../src/domain/decide/plan/signing.ts'
import type { Work } from '../../../src/domain/decide/plan/work.ts'
import { explainUnreachable } from '../../../src/domain/decide/waits/explain-waits.ts'
import type { Observation } from '../../../src/domain/observation.ts'
import type { Relayer } from '../../../src/domain/relayer.ts'
import type { Transaction } from '../../../src/domain/transaction.ts'
import { statusReasonOf } from '../../../src/domain/wait.ts'
import type { Wait } from '../../../src/domain/wait-facts.ts'
import { decideInWords as decide, inWords } from '../in-words.ts'
import {
  answered,
  broadcastStates,
  byForeign,
  canceled,
  eip1559,
  frozen,
  gwei,
  headAt,
  height,
  inFlight,
  mined,
  now,
  queued,
  someAttempt,
  someMarket,
  someNoOp,
  someObservation,
  somePayload,
  somePolicies,
  somePolicy,
  someRelayer,
  someWork,
} from '../some.ts'

const rejected = (code: RejectionCode, message = 'txpool is full') => answered({ kind: 'rejected', code, message })
const withPolicies = (policies: Partial<Relayer['policies']>) =>
  someRelayer({ policies: { ...somePolicies, ...policies } })
const unrecognized = answered({ kind: 'unknown', code: 'unrecognized', message: 'on hold' })
const { gasLimit: _, ...unlimited } = somePayload
const late = { head: headAt(height + 20) }
const suggested = { ...late, market: { ...someMarket, suggestedTip: 300n * gwei } }
const dear = Array.from({ length: 64 }, (_, index) => ({ fees: eip1559(BigInt(index + 1) * 10n * gwei, 40n * gwei) }))
const many = dear.map((price) => someAttempt(0, price))
const manyNoOps = dear.map((price) => someNoOp(0, price))
/** The last is refused over a foreign transaction, which has to be outbid whatever that takes. */
const legacy = Array.from({ length: 64 }, (_, index) => ({
  fees: { kind: 'legacy', gasPrice: BigInt(index + 1) * 10n * gwei } as const,
  ...(index === 63 && { broadcast: rejected('replacementUnderpriced') }),
}))
const own = { ...somePayload, pricing: { kind: 'eip1559', maxFeePerGas: 3n, maxPriorityFeePerGas: 2n } as const }
const { market: __, ...unpriced } = someObservation()
const { balance: ___, ...unfunded } = someObservation()
const estimating = (estimate: object) => ({ estimates: new Map([[queued(1).id, estimate as never]]) })
const failure = { code: 'Throttling', isPermanent: false, retryAt: now + 1 }
const signing = (state: Partial<Signing>): Signing => ({
  ...{ underWay: new Set(), late: new Set(), failures: new Map() },
  ...state,
})

type Case = readonly [Condition, RegExp, Partial<Work>, Partial<Observation>, Observation?]

const cases: readonly Case[] = [
  [
    'paused',
    /^waits: the relayer is paused; unpause it/,
    { relayer: someRelayer({ paused: true }), queued: [queued(1)] },
    {},
  ],
  [
    'signer_unavailable',
    /^waits: signer "\w+" does not sign now \(Throttling\), and is tried again$/,
    { signing: signing({ failures: new Map([[queued(1).id, failure]]) }), queued: [queued(1), queued(2)] },
    {},
  ],
  [
    'signer_unavailable',
    /^waits: signer "\w+" does not sign now \(Throttling\), and is tried again$/,
    { signing: signing({ failures: new Map([[0, failure]]) }), open: [inFlight(1)] },
    { pendingNonce: 0 },
  ],
  [
    'signer_unavailable',
    /^waits: signer "\w+" does not sign this now \(Throttling\), until people approve activity 7-a there: then the service goes on$/,
    {
      signing: signing({ failures: new Map([[queued(1).id, { ...failure, isPermanent: true, activity: '7-a' }]]) }),
      queued: [queued(1)],
    },
    {},
  ],
  [
    'signer_unavailable',
    /^waits: signer "\w+" does not sign this now \(Throttling\): activity 7-a has not ended yet, and is looked at again$/,
    {
      signing: signing({ failures: new Map([[queued(1).id, { ...failure, activity: '7-a' }]]) }),
      queued: [queued(1)],
    },
    {},
  ],
  [
    'signer_unavailable',
    /^canceled; signer "\w+" does not sign now \(Throttling\), until an operator acts/,
    { signing: signing({ outage: { ...failure, isPermanent: true } }), open: [inFlight(0, undefined, canceled)] },
    {},
  ],
  ['facts_missing', /^waits: no node reports the price of gas$/, { queued: [queued(1)] }, {}, unpriced],
  ['facts_missing', /^waits: no node reports the balance$/, { queued: [queued(1)] }, {}, unfunded],
  [
    'history_unknown',
    /^waits: nonces from 4 to 5 were used by transactions that this database does not hold/,
    { floor: { spentBelow: 4, explainedBelow: 4 }, lostHistory: { through: 1 }, queued: [queued(1)] },
    { nonce: 5, lostHistory: { below: 6 } },
  ],
  [
    'node_behind',
    /reports nonce 4, but every nonce below 9 is settled; .*DATABASE_URL/,
    { floor: { spentBelow: 9, explainedBelow: 9 }, queued: [queued(1)] },
    { nonce: 4 },
  ],
  [
    'balance_below_minimum',
    /^waits: the balance \(0\.000000007 gwei\) is below min_balance \(0\.00000001 gwei\): top it up by about 0\.000000003 gwei$/,
    { relayer: withPolicies({ minBalance: 10n }), queued: [queued(1)] },
    { balance: 7n },
  ],
  [
    'balance_short',
    /^waits: the balance \(0\.000000005 gwei\) does not cover its value \(0\.000000001 gwei\) and gas .*: top it up, for this one by [\d.]+ ether at most$/,
    { queued: [queued(1)] },
    { balance: 5n },
  ],
  [
    'gas_price_cap',
    /^waits: the base fee \(up to 10 gwei\) is above gas_price_cap \(0\.000000005 gwei\): raise the cap/,
    { relayer: withPolicies({ gasPriceCap: 5n }), queued: [queued(1)] },
    {},
  ],
  [
    'gas_price_cap',
    /^waits: its own fee \(0\.000000003 gwei\) is above gas_price_cap \(0\.000000002 gwei\)/,
    { relayer: withPolicies({ gasPriceCap: 2n }), queued: [queued(1, { payload: own })] },
    {},
  ],
  [
    'gas_unknown',
    /could not estimate its gas; .*gas_limit/,
    { queued: [queued(1, { payload: unlimited })] },
    estimating({ kind: 'unknown' }),
  ],
  [
    'would_revert',
    /^waits for the transactions in flight: it would revert now: no/,
    { open: [inFlight(0)], queued: [queued(1, { payload: unlimited })] },
    estimating({ kind: 'reverts', reason: 'no' }),
  ],
  [
    'balance_short',
    /^waits: a node says that the balance does not cover it, which may cost 0\.00042 ether: top it up$/,
    { open: [inFlight(0, [someAttempt(0, { broadcast: rejected('insufficientFunds') })])] },
    {},
  ],
  [
    'own_price',
    /^waits at its own price \(0\.000000003 gwei per gas, 0\.000000002 gwei of it as tip\).*replace it/,
    { open: [inFlight(0, undefined, { payload: own })] },
    late,
  ],
  [
    'attempts_exhausted',
    /^waits: none of the 64 attempts for nonce 0 was mined/,
    { open: [inFlight(0, legacy.map((price) => someAttempt(0, price)) as unknown as [Attempt])] },
    late,
  ],
  [
    'attempts_exhausted',
    /^waits: no attempt for nonce 0 was mined, and a higher price would be beyond 10 times the market's price: .*once the market's rises: wait/,
    { open: [inFlight(0, many as unknown as [Attempt])] },
    late,
  ],
  [
    'attempts_exhausted',
    /^canceled; no no-op for nonce 0 was mined, and a higher price would be beyond 10 times the market's price/,
    { open: [inFlight(0, [someAttempt(0), ...manyNoOps], canceled)] },
    late,
  ],
  [
    'node_refuses',
    /^waits: a node answers with an unknown error, so it is broadcast again: on hold$/,
    { open: [inFlight(0, [someAttempt(0, { broadcast: unrecognized })])] },
    {},
  ],
  [
    'node_refuses',
    /^canceled; a node answers the no-op with an unknown error, so it is broadcast again: on hold$/,
    { open: [inFlight(0, [someAttempt(0), someNoOp(0, { broadcast: unrecognized })], canceled)] },
    {},
  ],
  [
    'balance_short',
    /^waits: a higher price is needed, and the balance does not cover it .*; it may cost 0\.0005 ether: top it up/,
    { open: [inFlight(0)] },
    { ...late, balance: 5n },
  ],
  [
    'cancel_unfunded',
    /^canceled; the balance does not cover the no-op, which may cost 0\.001 ether: top it up$/,
    { open: [inFlight(0, [someAttempt(0), someNoOp(0)], canceled)] },
    { ...late, balance: 5n },
  ],
  [
    'gas_price_cap',
    /^waits at gas_price_cap \(20 gwei\): it needs a higher price to be mined sooner; without the cap the next attempt would offer up to [\d.]+ gwei, with room for a rising base fee; it holds nonce 0 since block 100: raise the cap/,
    { relayer: withPolicies({ gasPriceCap: 20n * gwei }), open: [inFlight(0)] },
    late,
  ],
  [
    'node_unreachable',
    /^waits: no node could be reached: no connection$/,
    { open: [inFlight(0, [someAttempt(0, { broadcast: broadcastStates.held })])] },
    {},
  ],
  [
    'node_refuses',
    /^waits: the node refuses it for now, and it is broadcast again: txpool is full$/,
    { open: [inFlight(0, [someAttempt(0, { broadcast: rejected('poolFull') })])] },
    {},
  ],
  [
    'nonce_blocked',
    /^waits: nonce 0 comes first, .*if it is not mined by block 112, /,
    { open: [inFlight(1), inFlight(2)] },
    { pendingNonce: 3 },
  ],
  [
    'pool_unseen',
    /^waits: nonce 0 comes first and is unused, and no node shows its pool, .*: from block 112 on the relayer uses it;/,
    { open: [inFlight(1), inFlight(2)] },
    { isPoolUnseen: true },
  ],
  [
    'gap_unconfirmed',
    /^waits: nonce 0 comes first and is unused, and no second count of the account confirms that: /,
    { open: [inFlight(1), inFlight(2)], gapRecord: { released: new Set(), filledInHour: 0, permitted: 0 } },
    { pendingNonce: 0, secondCount: 'unknown' },
  ],
  [
    'gap_unconfirmed',
    /^waits: a node counts so many .* nonce 20000 would come next, .* below 100: another .*treasury\/gap-fillers\); otherwise replace the endpoint$/,
    {
      ...{ floor: { spentBelow: 100, explainedBelow: 100 }, queued: [queued(1)] },
      gapRecord: { released: new Set(), filledInHour: 0, permitted: 0 },
    },
    { nonce: 20_000, secondCount: 'unknown' },
  ],
  [
    'gap_unconfirmed',
    /^waits: a node counts so many .* nonce 1000000000000 would come next, and no nonce from 1000000000 on is used: /,
    { queued: [queued(1)] },
    { nonce: 10 ** 12 },
  ],
  [
    'gap_unconfirmed',
    /^waits: a node counts so many .* nonce 9 would come next, and only those below nonce 4 are explained: .* over 15 seconds$/,
    { floor: { spentBelow: 4, explainedBelow: 4 }, queued: [queued(1)] },
    { nonce: 4, doubtedCount: 9 },
  ],
  [
    'gap_fillers_limited',
    /^canceled; nonce 0 comes first and is unused, no transaction .* within an hour: .*treasury\/gap-fillers\), or wait$/,
    {
      open: [inFlight(1, undefined, canceled), inFlight(2)],
      gapRecord: { released: new Set(), filledInHour: 64, permitted: 0 },
    },
    { pendingNonce: 0, secondCount: 0, shownNonce: 'none' },
  ],
  [
    'node_refuses',
    /^waits: the node refuses the no-op that fills nonce 0, .*: intrinsic gas too low$/,
    { open: [inFlight(0, [someAttempt(0, { broadcast: broadcastStates.refused })], { origin: 'gap' }), inFlight(1)] },
    {},
  ],
  [
    'nonce_unproven',
    /^waits: nonce 0 is spent, and no node shows yet by which transaction: .*history$/,
    { open: [inFlight(0)] },
    { nonce: 1, ...late },
  ],
  [
    'nonce_unproven',
    /^canceled; nonce 0 is spent/,
    { open: [inFlight(0, undefined, canceled)] },
    { nonce: 1, ...late },
  ],
  [
    'node_unreachable',
    /^canceled; the no-op could not reach a node: no connection$/,
    { open: [inFlight(0, [someAttempt(0), someNoOp(0, { broadcast: broadcastStates.held })], canceled)] },
    {},
  ],
  [
    'attempts_exhausted',
    /^canceled; none of 64 no-ops for nonce 0 was mined/,
    { open: [inFlight(0, [someAttempt(0, legacy[0]), ...legacy.map((price) => someNoOp(0, price))], canceled)] },
    late,
  ],
  [
    'cancel_unfunded',
    /^canceled; the balance does not cover the no-op, which may cost 0\.00084 ether: top it up$/,
    { open: [inFlight(0, [someAttempt(0), someNoOp(0, { broadcast: rejected('insufficientFunds') })], canceled)] },
    {},
  ],
  [
    'price_ceiling',
    /^waits: another attempt needs 200 gwei per gas, above the ceiling of 10 times what recent blocks paid: .*; gas_price_cap replaces the ceiling$/,
    { open: [inFlight(0, [someAttempt(0, { fees: eip1559(125n * gwei, 115n * gwei) })])] },
    suggested,
  ],
  [
    'price_ceiling',
    /^canceled; another attempt needs 200 gwei per gas, .*; cancel_gas_price_cap replaces the ceiling$/,
    { open: [inFlight(0, [someAttempt(0), someNoOp(0, { fees: eip1559(145n * gwei, 135n * gwei) })], canceled)] },
    suggested,
  ],
  [
    'cancel_gas_price_cap',
    /^canceled; the no-op would need more \(up to 50 gwei per gas\) than cancel_gas_price_cap \(0\.000000007 gwei\).*raise the cap/,
    { relayer: withPolicies({ cancelGasPriceCap: 7n }), open: [inFlight(0, undefined, canceled)] },
    {},
  ],
  [
    'cost_bound',
    /^canceled; the no-op would cost up to 0\.001 ether, above its bound of 0\.000000007 gwei \(its share of max_cost\).* cancel it once more \(DELETE\) to lift the bound/,
    { open: [inFlight(0, undefined, { cancellation: { ...canceled.cancellation, costMax: 7n } })] },
    {},
  ],
  [
    'node_refuses',
    /^canceled; the node refused the no-op, and it is broadcast again at growing intervals: intrinsic/,
    { open: [inFlight(0, [someAttempt(0), someNoOp(0, { broadcast: broadcastStates.refused })], canceled)] },
    {},
  ],
  [
    'node_refuses',
    /^canceled; the node refuses the no-op for now, .*: txpool is full$/,
    { open: [inFlight(0, [someAttempt(0), someNoOp(0, { broadcast: rejected('poolFull') })], canceled)] },
    {},
  ],
]

const seen = cases.map(([condition, reason, work, changes, whole]) => {
  return { condition, reason, work, observation: whole ?? someObservation(changes) }
})

function planOf(work: Partial<Work>, observation: Observation) {
  return decide({ work: frozen(someWork(work)), observation: frozen(observation), policy: frozen(somePolicy), now })
}

const explained = (decisions: readonly Decision[]) =>
  inWords(decisions).flatMap((decision) => (decision.do === 'explain' ? [decision] : []))

/** The work with the reasons of the plan, as stored. */
function reported(work: Partial<Work>, decisions: readonly Decision[]): Partial<Work> {
  const explain = <T extends Transaction>(transaction: T): T => {
    const mine = explained(decisions).find((decision) => decision.transaction.id === transaction.id)
    return mine ? (apply(mine, transaction, undefined, now) as T) : transaction
  }
  return {
    ...work,
    ...(work.open && { open: work.open.map(explain) }),
    ...(work.queued && { queued: work.queued.map(explain) }),
  }
}

describe('what waits', () => {
  test.each(seen)('$condition is reported as $reason', ({ condition, reason, work, observation }) => {
    const plan = planOf(work, observation)
    expect(plan.conditions).toContain(condition)
    const [first] = explained(plan.decisions)
    expect(first).toMatchObject({ condition, reason: expect.stringMatching(reason) })
    expect(first?.reason).toMatch(/^(waits|canceled; )/)

    const again = planOf(reported(work, plan.decisions), observation)
    expect(explained(again.decisions)).toEqual([])
    expect(again.conditions).toEqual(plan.conditions)
  })
})

test('every condition has a case here, or comes of something else', () => {
  const elsewhere: readonly Condition[] = [
    ...(['policy', 'nonce_taken', 'cancellation_unclear'] as const),
    ...(['witnesses_contradict', 'witness_silent'] as const),
    // In test/domain/hold.test.ts: it begins with a send, not with a decision.
    'on_hold',
    // In test/engine/account-in-use.test.ts.
    'account_in_use',
    // In finality.test.ts, witnesses.test.ts, cancel-in-flight.test.ts and refusals.test.ts beside this file.
    ...(['finality_stalled', 'already_ordered', 'outcome_unknown', 'refused_by_all'] as const),
  ]
  const covered = new Set([...cases.map(([condition]) => condition), ...elsewhere])
  expect([...conditions].filter((condition) => !covered.has(condition))).toEqual([])
})

test('a foreign transaction in the place of ours is a condition as long as it is not final', () => {
  const open = [mined(0, byForeign(), [someAttempt(0)])]
  expect(planOf({ open }, someObservation({ nonce: 1 })).conditions).toEqual(['nonce_taken'])
})

describe('a reason', () => {
  const waiting = queued(1, {
    wait: { condition: 'balance_short', text: 'waits: the balance (0.000000005 gwei) does not cover …' },
  })
  const held = [someAttempt(0, { recordedAtBlock: height })] as const
  const capped: Wait = { condition: 'gas_price_cap', text: 'waits at gas_price_cap (0.000000001 gwei)' }
  const stuck = (reported: Partial<Transaction>) => inFlight(0, [held[0]], reported)

  test('is reported anew when the figure that decides it changes, and not when it hardly does', () => {
    const relayer = withPolicies({ gasPriceCap: 5n })
    const at = (baseFee: bigint) => someObservation({ market: { ...someMarket, baseFee } })
    const first = planOf({ relayer, queued: [queued(1)] }, at(11n * gwei))
    const work = reported({ relayer, queued: [queued(1)] }, first.decisions)
    expect(planOf(work, at(19n * gwei)).decisions).toEqual([])
    expect(explained(planOf(work, at(21n * gwei)).decisions)).toMatchObject([
      { reason: expect.stringContaining('up to 50 gwei') },
    ])
  })

  test('is cleared once it is over, in the queue and in flight', () => {
    const full = [0, 1, 2, 3].map((nonce) => inFlight(nonce))
    expect(planOf({ open: full, queued: [waiting] }, someObservation()).decisions).toEqual([
      { do: 'clearWait', transaction: waiting },
    ])
    const open = stuck({ wait: capped })
    const [decision] = planOf({ open: [open] }, someObservation()).decisions
    expect(decision).toEqual({ do: 'clearWait', transaction: open })
    if (decision?.do !== 'clearWait') throw new Error('nothing is cleared')
    expect(apply(decision, open, undefined, now)).toEqual(stuck({}))
  })

  test('of a canceled one gives way to why it was canceled', () => {
    const racing = inFlight(0, [held[0], someNoOp(0)], { ...canceled, statusReason: 'canceled on request' })
    const unfunded = someObservation({ ...late, balance: 5n })
    const { open = [] } = reported({ open: [racing] }, planOf({ open: [racing] }, unfunded).decisions)
    expect(open.map(statusReasonOf)).toEqual([expect.stringMatching(/^canceled; the balance does not cover/)])
    const [decision] = planOf({ open }, someObservation()).decisions
    if (decision?.do !== 'clearWait') throw new Error('nothing is cleared')
    expect(statusReasonOf(apply(decision, open[0] as Transaction, undefined, now))).toBe('canceled on request')
  })

  test('that is history stays, and so does every one while the present condition is unknown', () => {
    // Whatever words a history begins with.
    for (const statusReason of ['a reorganization removed its block from the chain', 'waits for nothing']) {
      expect(planOf({ open: [stuck({ statusReason })] }, someObservation()).decisions).toEqual([])
    }
    expect(planOf({ open: [stuck({ wait: capped })] }, unpriced).decisions).toEqual([])
  })
})

test('a canceled, mined or ended transaction waits for nothing any more', () => {
  const wait = { condition: 'node_unreachable', text: 'waits: no node of the network answers' } as const
  const attempts = [someAttempt(0, { broadcast: broadcastStates.held })] as const
  expect(cancel(queued(1, { wait }), now)).not.toHaveProperty('wait')
  expect(cancel(inFlight(0, undefined, { wait }), now)).not.toHaveProperty('wait')
  expect(dropIfNoNodeHasIt(inFlight(0, attempts, { ...canceled, wait }), now)).not.toHaveProperty('wait')
  expect(include(inFlight(0, undefined, { wait }), byForeign())).not.toHaveProperty('wait')
})

test('while no node answers, the first of each place says so, and a canceled one in its own words', () => {
  const work = someWork({ open: [inFlight(0, undefined, canceled), inFlight(1)], queued: [queued(8), queued(9)] })
  expect(explained(explainUnreachable(work, 'endpoint 0: refused'))).toMatchObject([
    { transaction: { sequence: 0 }, reason: 'canceled; no node of the network answers: endpoint 0: refused' },
    { transaction: { sequence: 8 }, reason: 'waits: no node of the network answers: endpoint 0: refused' },
  ])
})

test.each([
  [0n, 1n],
  [1n, 1n],
  [2n, 2n],
  [3n, 5n],
  [6n, 10n],
  [10n, 10n],
  [11n, 20n],
  [499n, 500n],
  [501n, 1000n],
])('about %i is %i: never less, and at most two and a half times as much', (wei, rounded) => {
  expect(roughly(wei)).toBe(rounded)
})
