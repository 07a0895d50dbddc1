// Why a transaction waits: a condition with its facts, written once, anew when a figure changes, and cleared when it is over.
import { describe, expect, test } from 'vitest'
import type { Attempt, BroadcastOutcome, RejectionCode } from '../../../src/domain/attempt.ts'
import { cancel } from '../../../src/domain/cancel.ts'
import { roughly } from '../../../src/domain/condition.ts'
import { afterAnswers, apply, dropIfNoNodeHasIt } from '../../../src/domain/decide/apply.ts'
import { decide } from '../../../src/domain/decide/decide.ts'
import { include } from '../../../src/domain/decide/facts/inclusion.ts'
import type { Decision } from '../../../src/domain/decide/plan/decision.ts'
import type { Signing } from '../../../src/domain/decide/plan/signing.ts'
import type { Work } from '../../../src/domain/decide/plan/work.ts'
import { explainUnreachable } from '../../../src/domain/decide/waits/explain-waits.ts'
import type { Observation } from '../../../src/domain/observation.ts'
import type { Relayer } from '../../../src/domain/relayer.ts'
import type { Transaction } from '../../../src/domain/transaction.ts'
import { statusReasonOf } from '../../../src/domain/wait.ts'
import type { ReasonCondition } from '../../../src/domain/wait-facts.ts'
import {
  answered,
  blockHash,
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
import { someWait } from '../some-reasons.ts'

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

type Case = readonly [ReasonCondition, object, Partial<Work>, Partial<Observation>, Observation?]

const cases: readonly Case[] = [
  [
    'paused',
    { by: 'relayer', network: 'localhost' },
    { relayer: someRelayer({ paused: true }), queued: [queued(1)] },
    {},
  ],
  [
    'signer_unavailable',
    { signerId: 'dev', code: 'Throttling', isPermanent: false },
    { signing: signing({ failures: new Map([[queued(1).id, failure]]) }), queued: [queued(1), queued(2)] },
    {},
  ],
  [
    'signer_unavailable',
    { signerId: 'dev', code: 'Throttling', isPermanent: false },
    { signing: signing({ failures: new Map([[0, failure]]) }), open: [inFlight(1)] },
    { pendingNonce: 0 },
  ],
  [
    'signer_unavailable',
    { signerId: 'dev', code: 'Throttling', isPermanent: true, activity: '7-a' },
    {
      signing: signing({ failures: new Map([[queued(1).id, { ...failure, isPermanent: true, activity: '7-a' }]]) }),
      queued: [queued(1)],
    },
    {},
  ],
  [
    'signer_unavailable',
    { signerId: 'dev', code: 'Throttling', isPermanent: false, activity: '7-a' },
    {
      signing: signing({ failures: new Map([[queued(1).id, { ...failure, activity: '7-a' }]]) }),
      queued: [queued(1)],
    },
    {},
  ],
  [
    'signer_unavailable',
    { signerId: 'dev', code: 'Throttling', isPermanent: true },
    { signing: signing({ outage: { ...failure, isPermanent: true } }), open: [inFlight(0, undefined, canceled)] },
    {},
  ],
  ['facts_missing', { fact: 'price' }, { queued: [queued(1)] }, {}, unpriced],
  ['facts_missing', { fact: 'balance' }, { queued: [queued(1)] }, {}, unfunded],
  [
    'history_unknown',
    { from: 4, to: 5 },
    { floor: { spentBelow: 4, explainedBelow: 4 }, lostHistory: { through: 1 }, queued: [queued(1)] },
    { nonce: 5, lostHistory: { below: 6 } },
  ],
  [
    'node_behind',
    { nonce: 4, settledBelow: 9 },
    { floor: { spentBelow: 9, explainedBelow: 9 }, queued: [queued(1)] },
    { nonce: 4 },
  ],
  [
    'node_behind',
    { nonce: 4, settledBelow: 9 },
    { floor: { spentBelow: 9, explainedBelow: 9 }, open: [inFlight(9)] },
    { nonce: 4 },
  ],
  [
    'balance_below_minimum',
    { balance: 7n, minBalance: 10n },
    { relayer: withPolicies({ minBalance: 10n }), queued: [queued(1)] },
    { balance: 7n },
  ],
  ['balance_short', { of: 'send', balance: 5n, value: 1n, paysL1: false }, { queued: [queued(1)] }, { balance: 5n }],
  [
    'gas_price_cap',
    { of: 'send', cap: 5n, price: 10n * gwei, isNamed: false },
    { relayer: withPolicies({ gasPriceCap: 5n }), queued: [queued(1)] },
    {},
  ],
  [
    'gas_price_cap',
    { of: 'send', cap: 2n, price: 3n, isNamed: true },
    { relayer: withPolicies({ gasPriceCap: 2n }), queued: [queued(1, { payload: own })] },
    {},
  ],
  ['gas_unknown', { of: 'send' }, { queued: [queued(1, { payload: unlimited })] }, estimating({ kind: 'unknown' })],
  [
    'gas_unknown',
    { of: 'send', words: 'bad jump' },
    { queued: [queued(1, { payload: unlimited })] },
    estimating({ kind: 'fails', reason: 'bad jump', isLasting: false }),
  ],
  [
    'gas_unknown',
    { of: 'send', words: 'bad jump' },
    { open: [inFlight(0)], queued: [queued(1, { payload: unlimited })] },
    estimating({ kind: 'fails', reason: 'bad jump', isLasting: true }),
  ],
  [
    'gas_unknown',
    { of: 'differ', lower: 40_000, higher: 9_000_000 },
    { queued: [queued(1, { payload: unlimited })] },
    estimating({ kind: 'differ', lower: 40_000, higher: 9_000_000 }),
  ],
  [
    'would_revert',
    { of: 'send', words: 'no' },
    { open: [inFlight(0)], queued: [queued(1, { payload: unlimited })] },
    estimating({ kind: 'reverts', reason: 'no' }),
  ],
  [
    'balance_short',
    { of: 'attempt', cost: 500_000n * gwei },
    { open: [inFlight(0, [someAttempt(0, { broadcast: rejected('insufficientFunds') })])] },
    {},
  ],
  ['own_price', { of: 'attempt', perGas: 3n, tip: 2n }, { open: [inFlight(0, undefined, { payload: own })] }, late],
  [
    'attempts_exhausted',
    { of: 'attempt', until: 'double', nonce: 0, attempts: 64 },
    { open: [inFlight(0, legacy.map((price) => someAttempt(0, price)) as unknown as [Attempt])] },
    late,
  ],
  [
    'attempts_exhausted',
    { of: 'attempt', until: 'market', nonce: 0, attempts: 64 },
    { open: [inFlight(0, many as unknown as [Attempt])] },
    late,
  ],
  [
    'attempts_exhausted',
    { of: 'noOp', until: 'market', nonce: 0, attempts: 64 },
    { open: [inFlight(0, [someAttempt(0), ...manyNoOps], canceled)] },
    late,
  ],
  ['head_stalled', { block: 100 }, { open: [inFlight(0)] }, { headStandsMs: 80_001, blocktimeMs: 1_000 }],
  [
    'node_refuses',
    { of: 'payload', refusal: { kind: 'error', words: 'on hold' } },
    { open: [inFlight(0, [someAttempt(0, { broadcast: unrecognized })])] },
    {},
  ],
  [
    'node_refuses',
    { of: 'noOp', refusal: { kind: 'error', words: 'on hold' } },
    { open: [inFlight(0, [someAttempt(0), someNoOp(0, { broadcast: unrecognized })], canceled)] },
    {},
  ],
  ['balance_short', { of: 'higherPrice', cost: 500_000n * gwei }, { open: [inFlight(0)] }, { ...late, balance: 5n }],
  [
    'cancel_unfunded',
    { cost: 1_000_000n * gwei },
    { open: [inFlight(0, [someAttempt(0), someNoOp(0)], canceled)] },
    { ...late, balance: 5n },
  ],
  [
    'gas_price_cap',
    { of: 'attempt', cap: 20n * gwei, offer: { perGas: 50n * gwei, hasRoom: true }, nonce: 0, since: 100 },
    { relayer: withPolicies({ gasPriceCap: 20n * gwei }), open: [inFlight(0)] },
    late,
  ],
  [
    'node_unreachable',
    { of: 'payload', words: 'no connection' },
    { open: [inFlight(0, [someAttempt(0, { broadcast: broadcastStates.held })])] },
    {},
  ],
  [
    'node_refuses',
    { of: 'payload', refusal: { kind: 'forNow', words: 'txpool is full' } },
    { open: [inFlight(0, [someAttempt(0, { broadcast: rejected('poolFull') })])] },
    {},
  ],
  [
    'nonce_blocked',
    { by: 'transaction', nonce: 0, until: 112 },
    { open: [inFlight(1), inFlight(2)] },
    { pendingNonce: 3 },
  ],
  ['pool_unseen', { nonce: 0, from: 112 }, { open: [inFlight(1), inFlight(2)] }, { isPoolUnseen: true }],
  [
    'gap_unconfirmed',
    { of: 'gap', nonce: 0 },
    { open: [inFlight(1), inFlight(2)], gapRecord: { released: new Set(), filledInHour: 0, permitted: 0 } },
    { pendingNonce: 0, secondCount: 'unknown' },
  ],
  [
    'gap_unconfirmed',
    { of: 'reach', nonce: 20_000, recordedBelow: 100, relayerId: 'treasury' },
    {
      ...{ floor: { spentBelow: 100, explainedBelow: 100 }, queued: [queued(1)] },
      gapRecord: { released: new Set(), filledInHour: 0, permitted: 0 },
    },
    { nonce: 20_000, secondCount: 'unknown' },
  ],
  [
    'gap_unconfirmed',
    { of: 'limit', nonce: 1_000_000_000_000, limit: 1_000_000_000 },
    { queued: [queued(1)] },
    { nonce: 10 ** 12 },
  ],
  [
    'gap_unconfirmed',
    { of: 'count', nonce: 9, explainedBelow: 4 },
    { floor: { spentBelow: 4, explainedBelow: 4 }, queued: [queued(1)] },
    { nonce: 4, doubtedCount: 9 },
  ],
  [
    'gap_fillers_limited',
    { nonce: 0, filled: 64, relayerId: 'treasury' },
    {
      open: [inFlight(1, undefined, canceled), inFlight(2)],
      gapRecord: { released: new Set(), filledInHour: 64, permitted: 0 },
    },
    { pendingNonce: 0, secondCount: 0 },
  ],
  [
    'node_refuses',
    { of: 'gapFiller', nonce: 0, words: 'intrinsic gas too low' },
    { open: [inFlight(0, [someAttempt(0, { broadcast: broadcastStates.refused })], { origin: 'gap' }), inFlight(1)] },
    {},
  ],
  ['nonce_unproven', { nonce: 0 }, { open: [inFlight(0)] }, { nonce: 1, ...late }],
  ['nonce_unproven', { nonce: 0 }, { open: [inFlight(0, undefined, canceled)] }, { nonce: 1, ...late }],
  [
    'node_unreachable',
    { of: 'noOp', words: 'no connection' },
    { open: [inFlight(0, [someAttempt(0), someNoOp(0, { broadcast: broadcastStates.held })], canceled)] },
    {},
  ],
  [
    'attempts_exhausted',
    { of: 'noOp', until: 'double', nonce: 0, attempts: 64 },
    { open: [inFlight(0, [someAttempt(0, legacy[0]), ...legacy.map((price) => someNoOp(0, price))], canceled)] },
    late,
  ],
  [
    'cancel_unfunded',
    { cost: 1_000_000n * gwei },
    { open: [inFlight(0, [someAttempt(0), someNoOp(0, { broadcast: rejected('insufficientFunds') })], canceled)] },
    {},
  ],
  [
    'price_ceiling',
    { perGas: 200n * gwei, cap: 'gas_price_cap' },
    { open: [inFlight(0, [someAttempt(0, { fees: eip1559(125n * gwei, 115n * gwei) })])] },
    suggested,
  ],
  [
    'price_ceiling',
    { perGas: 200n * gwei, cap: 'cancel_gas_price_cap' },
    { open: [inFlight(0, [someAttempt(0), someNoOp(0, { fees: eip1559(145n * gwei, 135n * gwei) })], canceled)] },
    suggested,
  ],
  [
    'cancel_gas_price_cap',
    { of: 'noOp', cap: 7n, perGas: 50n * gwei },
    { relayer: withPolicies({ cancelGasPriceCap: 7n }), open: [inFlight(0, undefined, canceled)] },
    {},
  ],
  [
    'cost_bound',
    { costMax: 7n, cost: 1_000_000n * gwei },
    { open: [inFlight(0, undefined, { cancellation: { ...canceled.cancellation, costMax: 7n } })] },
    {},
  ],
  [
    'node_refuses',
    { of: 'noOp', refusal: { kind: 'invalid', words: 'intrinsic gas too low' } },
    { open: [inFlight(0, [someAttempt(0), someNoOp(0, { broadcast: broadcastStates.refused })], canceled)] },
    {},
  ],
  [
    'node_refuses',
    { of: 'noOp', refusal: { kind: 'forNow', words: 'txpool is full' } },
    { open: [inFlight(0, [someAttempt(0), someNoOp(0, { broadcast: rejected('poolFull') })], canceled)] },
    {},
  ],
]

const seen = cases.map(([condition, facts, work, changes, whole]) => {
  return { condition, facts, work, observation: whole ?? someObservation(changes) }
})

function planOf(work: Partial<Work>, observation: Observation) {
  return decide({ work: frozen(someWork(work)), observation: frozen(observation), policy: frozen(somePolicy), now })
}

test('an answer that a pool has the bytes ends the wait that a short balance began', () => {
  const attempt = someAttempt(0, { broadcast: rejected('insufficientFunds') })
  const wait = { condition: 'balance_short', facts: { of: 'attempt', cost: 5n }, since: now } as const
  const refused = inFlight(0, [attempt], { wait })
  const after = (outcome: BroadcastOutcome) => afterAnswers(refused, new Map([[attempt.hash, outcome]]), now).wait
  expect(after({ kind: 'accepted' })).toBeUndefined()
  expect(after({ kind: 'rejected', code: 'insufficientFunds', message: 'no' })).toEqual(wait)
})

test.each([{ attempts: [someAttempt(0), someNoOp(0)] as const }, { attempts: [someAttempt(0)] as const }])(
  'a race that lacks money reads a remembered balance anew: it may have been topped up',
  ({ attempts }) => {
    const work = { open: [inFlight(0, attempts, canceled)] }
    const lacksOf = (balanceReadAt: number) =>
      planOf(work, someObservation({ ...late, balance: 5n, balanceReadAt })).lacks
    expect(lacksOf(1)).toEqual(new Set(['balance']))
    expect(lacksOf(someObservation(late).head.number)).toEqual(new Set())
  },
)

const explained = (decisions: readonly Decision[]) =>
  decisions.flatMap((decision) => (decision.do === 'explain' ? [decision] : []))

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

test.each(seen)(
  '$condition is found with its facts $facts, and reported once',
  ({ condition, facts, work, observation }) => {
    const plan = planOf(work, observation)
    expect(plan.conditions).toContain(condition)
    expect(explained(plan.decisions)[0]).toMatchObject({ condition, facts })

    const again = planOf(reported(work, plan.decisions), observation)
    expect(explained(again.decisions)).toEqual([])
    expect(again.conditions).toEqual(plan.conditions)
  },
)

test('a foreign transaction in the place of ours is a condition as long as it is not final', () => {
  const open = [mined(0, byForeign(), [someAttempt(0)])]
  expect(planOf({ open }, someObservation({ nonce: 1 })).conditions).toEqual(['nonce_taken'])
})

describe('a wait', () => {
  const held = [someAttempt(0, { recordedAtBlock: height })] as const
  const capped = someWait('gas_price_cap')
  const stuck = (reported: Partial<Transaction>) => inFlight(0, [held[0]], reported)

  test('is written anew when a figure changes, and not when it hardly does', () => {
    const relayer = withPolicies({ gasPriceCap: 5n })
    const at = (baseFee: bigint) => someObservation({ market: { ...someMarket, baseFee } })
    const first = planOf({ relayer, queued: [queued(1)] }, at(11n * gwei))
    const work = reported({ relayer, queued: [queued(1)] }, first.decisions)
    expect(planOf(work, at(19n * gwei)).decisions).toEqual([])
    expect(explained(planOf(work, at(21n * gwei)).decisions)).toMatchObject([{ facts: { price: 50n * gwei } }])
    expect(
      explained(planOf({ ...work, relayer: withPolicies({ gasPriceCap: 6n }) }, at(19n * gwei)).decisions),
    ).toMatchObject([{ facts: { cap: 6n } }])
  })

  test('is cleared once it is over, in the queue and in flight', () => {
    const full = [0, 1, 2, 3].map((nonce) => inFlight(nonce))
    const waiting = queued(1, { wait: someWait('balance_short') })
    expect(planOf({ open: full, queued: [waiting] }, someObservation()).decisions).toEqual([
      { do: 'clearWait', transaction: waiting },
    ])
    const open = stuck({ wait: capped })
    const [decision] = planOf({ open: [open] }, someObservation()).decisions
    expect(decision).toEqual({ do: 'clearWait', transaction: open })
    if (decision?.do !== 'clearWait') throw new Error('nothing is cleared')
    expect(apply(decision, open, undefined, now)).toEqual(stuck({}))
  })

  test('is cleared behind one that returns to the queue, or whose hold ends: the next step may not load it', () => {
    const [first, waiting] = [3, 9].map((sequence) => queued(sequence, { wait: someWait('paused') })) as [
      Transaction,
      Transaction,
    ]
    const balance = 5n
    const open = [mined(6, byForeign(height - 5), [someAttempt(6)], { sequence: 5 })]
    const canonical = new Map([[height - 5, blockHash(height - 5)]])
    const lost = planOf({ open, queued: [first, waiting] }, someObservation({ nonce: 7, canonical, balance }))
    const due: Transaction = {
      ...queued(5),
      lifecycle: { phase: 'held', hold: { rule: 'hold_for', since: 0, until: 0 } },
    }
    const released = planOf({ held: [due], queued: [first, waiting] }, someObservation({ balance }))
    const saysMore = { do: 'explain', transaction: first, condition: 'balance_short' }
    const clears = { do: 'clearWait', transaction: waiting }
    expect(lost.decisions).toMatchObject([{ do: 'requeue' }, saysMore, clears])
    expect(released.decisions).toMatchObject([{ do: 'release' }, saysMore, clears])
    // Nothing says more about the first while a signature is under way, and it keeps its wait, as nothing returned before it.
    const blocked = { held: [due], queued: [first, waiting], signing: signing({ underWay: new Set(['bind']) }) }
    expect(planOf(blocked, someObservation()).decisions).toMatchObject([{ do: 'release' }, clears])
  })

  test('is cleared with another bid, also while a payload awaits its answer', () => {
    const racing = inFlight(0, [held[0], someNoOp(0)], { ...canceled, wait: someWait('cancel_unfunded') })
    const awaited = someAttempt(1)
    const work = { open: [racing, inFlight(1, [awaited])], underWay: new Set([awaited.hash]) }
    const { decisions } = planOf(work, someObservation({ ...late, balance: 10n ** 18n }))
    expect(decisions).toMatchObject([{ do: 'signNoOp' }, { do: 'clearWait', transaction: racing }])
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

  test('stays while the present condition is unknown', () => {
    expect(planOf({ open: [stuck({ wait: capped })] }, unpriced).decisions).toEqual([])
  })
})

test('a canceled, mined or ended transaction waits for nothing any more', () => {
  const wait = someWait('node_unreachable')
  const attempts = [someAttempt(0, { broadcast: broadcastStates.held })] as const
  expect(cancel(queued(1, { wait }), now)).not.toHaveProperty('wait')
  expect(cancel(inFlight(0, undefined, { wait }), now)).not.toHaveProperty('wait')
  expect(dropIfNoNodeHasIt(inFlight(0, attempts, { ...canceled, wait }), now)).not.toHaveProperty('wait')
  expect(include(inFlight(0, undefined, { wait }), byForeign())).not.toHaveProperty('wait')
})

test('while no node answers, the first of each place says so', () => {
  const work = someWork({ open: [inFlight(0, undefined, canceled), inFlight(1)], queued: [queued(8), queued(9)] })
  const facts = { of: 'network', words: 'endpoint 0: refused' }
  expect(explained(explainUnreachable(work, facts.words))).toMatchObject([
    { transaction: { sequence: 0 }, facts },
    { transaction: { sequence: 8 }, facts },
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
