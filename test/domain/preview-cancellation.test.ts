// The preview of a bulk cancel, case by case, and for any relayer: what the engine would really sign.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Attempt, BroadcastState } from '../../src/domain/attempt.ts'
import { isNoOp } from '../../src/domain/attempt.ts'
import { cancel } from '../../src/domain/cancel.ts'
import { decide } from '../../src/domain/decide/decide.ts'
import { type Fees, feeCap } from '../../src/domain/fees.ts'
import type { NonEmpty } from '../../src/domain/ids.ts'
import type { Observation } from '../../src/domain/observation.ts'
import type { Policies } from '../../src/domain/policy-table.ts'
import { previewCancellation, previewWithoutNode } from '../../src/domain/preview/preview-cancellation.ts'
import { isTerminal, neverReachedANode, type Transaction } from '../../src/domain/transaction.ts'
import { maxWei, minWei } from '../../src/domain/units.ts'
import {
  answered,
  broadcastStates,
  by,
  byForeign,
  canceled,
  eip1559,
  frozen,
  gwei,
  inFlight,
  mined,
  now,
  someAttempt,
  someMarket,
  someNoOp,
  someObservation,
  somePolicies,
  somePolicy,
  someRelayer,
  someSituation,
  someWork,
} from './some.ts'

const gas = 21_000n

function previewed(
  open: readonly Transaction[],
  {
    queued = 0,
    policies = {},
    observed = {},
  }: { queued?: number; policies?: Partial<Policies>; observed?: Partial<Observation> } = {},
) {
  const relayer = someRelayer({ policies: { ...somePolicies, ...policies } })
  const observation = { ...someObservation({ pendingNonce: 0, ...observed }), market: someMarket }
  return previewCancellation(frozen(someWork({ relayer, open })), queued, frozen(observation), somePolicy, now)
}

const nothing = { free: 0, noOps: 0, overCap: 0, gaps: 0, racing: 0, tooLate: 0, committed: 0n }

describe('what it counts', () => {
  test('the queue is free', () => {
    expect(previewed([], { queued: 7 })).toEqual({ ...nothing, free: 7, cost: { expected: 0n, today: 0n }, perGas: {} })
  })

  test('so is one with a nonce that certainly reached no node', () => {
    const held = inFlight(0, [someAttempt(0, { broadcast: broadcastStates.held })])
    expect(previewed([held])).toMatchObject({ ...nothing, free: 1, cost: { today: 0n } })
  })

  test('but its nonce is filled, where one above it is in flight', () => {
    const held = inFlight(0, [someAttempt(0, { broadcast: broadcastStates.held })])
    const preview = previewed([held, inFlight(1)], { policies: { cancelGasPriceCap: 50n * gwei } })
    expect(preview).toMatchObject({ ...nothing, free: 1, noOps: 1, gaps: 1 })
    // A gap filler is priced as a send at speed fast: twice the base fee and the tip.
    const noOp = previewed([inFlight(1)], { observed: { nonce: 1 } })
    expect(preview.cost.today).toBe(noOp.cost.today + gas * 23n * gwei)
    expect(preview.cost.max).toBe(gas * 100n * gwei)
    // A gap filler is a no-op, and bound by their cap.
    const capped = previewed([held, inFlight(1)], { policies: { cancelGasPriceCap: 22n * gwei } })
    expect(capped.cost.max).toBe(gas * 44n * gwei)
  })

  test('likewise where no node shows its pool: the gap waits for a while, and is filled then', () => {
    const held = inFlight(0, [someAttempt(0, { broadcast: broadcastStates.held })])
    const unseen = { ...someObservation(), market: someMarket }
    const preview = previewCancellation(someWork({ open: [held, inFlight(1)] }), 0, unseen, somePolicy, now)
    expect(preview).toMatchObject({ ...nothing, free: 1, noOps: 1, gaps: 1 })
  })

  test.each(['sending', 'accepted', 'known', 'unknown', 'underpriced'] as const)(
    'a no-op for an attempt that is %s',
    (state) => {
      const one = inFlight(0, [someAttempt(0, { broadcast: broadcastStates[state] })])
      expect(previewed([one])).toMatchObject({ ...nothing, noOps: 1 })
    },
  )

  test('transactions that race already are counted apart, with their signed price', () => {
    const noOp = someNoOp(0)
    const races = inFlight(0, [someAttempt(0), noOp], canceled)
    const preview = previewed([races, inFlight(1)])
    expect(preview).toMatchObject({ ...nothing, noOps: 1, racing: 1, committed: gas * feeCap(noOp.fees) })
  })

  test('a gap filler is left alone', () => {
    expect(previewed([inFlight(0, undefined, { origin: 'gap' })])).toMatchObject(nothing)
  })

  test('it is too late for a spent nonce, and a mined transaction is not pending', () => {
    const payload = someAttempt(0)
    const isMined = mined(0, by(payload), [payload])
    const taken = mined(1, byForeign(), [someAttempt(1)])
    const spent = inFlight(2)
    const inclusions = new Map([[2, by(someAttempt(2))]])
    const observed = { nonce: 3, inclusions }
    expect(previewed([isMined, taken, spent], { observed })).toMatchObject({ ...nothing, tooLate: 2 })
  })

  test('a payload that one endpoint shows in a block, and another denies, needs a no-op', () => {
    const payload = someAttempt(0)
    const known = mined(0, by(payload), [payload])
    const contradicted = { ...known, lifecycle: { ...known.lifecycle, isContradicted: true as const } }
    expect(previewed([contradicted], { observed: { nonce: 1 } })).toMatchObject({ ...nothing, noOps: 1 })
  })

  test('what the cap forbids today waits, and is in no cost but the most', () => {
    const cheap = inFlight(0, [someAttempt(0, { fees: eip1559(12n * gwei, gwei) })])
    const dear = inFlight(1, [someAttempt(1, { fees: eip1559(200n * gwei, gwei) })])
    const preview = previewed([cheap, dear], { policies: { cancelGasPriceCap: 30n * gwei } })
    expect(preview).toMatchObject({ ...nothing, noOps: 2, overCap: 1 })
    expect(preview.cost.max).toBe(2n * gas * 30n * gwei)
    expect(preview.cost.today).toBeLessThanOrEqual(gas * 30n * gwei)
    expect(preview.cost.today).toBeGreaterThan(0n)
  })

  test('expected: the base fee and the tip, not the cap', () => {
    const low = inFlight(0, [someAttempt(0, { fees: eip1559(gwei, gwei / 1000n) })])
    // The market's fastest: a cap of twice the base fee and 4 gwei of tip.
    const { cost } = previewed([low])
    expect(cost).toEqual({ expected: gas * 14n * gwei, today: gas * 24n * gwei })
  })
})

const anyFees: fc.Arbitrary<Fees> = fc
  .tuple(fc.bigInt(1n, 200n * gwei), fc.bigInt(1n, 200n * gwei), fc.boolean())
  .map(([one, other, typed]) =>
    typed ? eip1559(maxWei(one, other), minWei(one, other)) : { kind: 'legacy', gasPrice: one },
  )
const anyBroadcast = fc.constantFrom<BroadcastState>(
  ...Object.values(broadcastStates).filter(({ state }) => state !== 'withdrawn'),
)

const anyOpen = fc
  .record({
    fees: fc.array(fc.tuple(anyFees, anyBroadcast), { minLength: 1, maxLength: 3 }),
    noOp: fc.option(fc.tuple(anyFees, anyBroadcast), { nil: undefined }),
    gap: fc.boolean(),
  })
  .map(({ fees, noOp, gap }) => (nonce: number): Transaction => {
    const kind = fees[0]?.[0].kind
    const attempts: Attempt[] = fees
      .filter(([each]) => each.kind === kind)
      .map(([each, broadcast]) => someAttempt(nonce, { fees: each, broadcast }))
    if (!noOp || gap) return inFlight(nonce, attempts as unknown as NonEmpty<Attempt>, gap ? { origin: 'gap' } : {})
    const [each, broadcast] = noOp
    const noOps = each.kind === kind ? [someNoOp(nonce, { fees: each, broadcast })] : []
    return inFlight(nonce, [...attempts, ...noOps] as unknown as NonEmpty<Attempt>, canceled)
  })

test('for any relayer: the cost of today is that of the no-ops that the engine signs after a bulk cancel', () => {
  let priced = 0
  fc.assert(
    fc.property(
      fc.array(anyOpen, { maxLength: 8 }),
      fc.option(fc.bigInt(gwei, 300n * gwei), { nil: undefined }),
      fc.constantFrom(0, 1, 3),
      (makers, cap, nonce) => {
        const open = makers.map((make, index) => make(index))
        const policies = cap === undefined ? {} : { cancelGasPriceCap: cap }
        const preview = previewed(open, { policies, observed: { nonce } })

        const after = open.map((each) => (each.origin === 'client' ? cancel(each, now) : each))
        const relayer = someRelayer({ policies: { ...somePolicies, ...policies } })
        const { decisions } = decide(
          someSituation({ relayer, open: after.filter((each) => !isTerminal(each)) }, { pendingNonce: 0, nonce }),
        )
        const fresh = (id: string) => open.some((each) => each.id === id && !each.cancellation)
        const signed = decisions.flatMap((each) =>
          each.do === 'fillGap' || (each.do === 'signNoOp' && fresh(each.transaction.id)) ? [each.fees] : [],
        )
        expect(preview.cost.today).toBe(signed.reduce((sum, fees) => sum + gas * feeCap(fees), 0n))
        expect(preview.cost.expected).toBeLessThanOrEqual(preview.cost.today)
        expect(preview.noOps + preview.gaps - preview.overCap).toBe(signed.length)
        expect(preview.free).toBe(after.filter(isTerminal).length)
        const live = after.filter((each) => !isTerminal(each) && each.origin === 'client')
        expect(preview.noOps + preview.racing + preview.tooLate).toBeGreaterThanOrEqual(
          live.filter((each) => fresh(each.id) && 'attempts' in each.lifecycle && !each.lifecycle.attempts.some(isNoOp))
            .length,
        )
        priced += signed.length
      },
    ),
    { numRuns: 1_000 },
  )
  expect(priced).toBeGreaterThan(100)
})

test('for any relayer: without a node the counts are the same, as long as the chain has spent no nonce since', () => {
  fc.assert(
    fc.property(
      fc.array(anyOpen, { maxLength: 8 }),
      fc.constantFrom(0, 1, 3),
      fc.nat({ max: 9 }),
      (makers, nonce, queued) => {
        const open = makers.map((make, index) => make(index))
        // A cancellation would have dropped it.
        fc.pre(!open.some((each) => each.cancellation && neverReachedANode(each)))
        const work = frozen(someWork({ open, floor: { spentBelow: nonce, explainedBelow: nonce } }))
        const observation = { ...someObservation({ pendingNonce: nonce, nonce }), market: someMarket }
        const { free, noOps, gaps, racing, tooLate } = previewCancellation(work, queued, observation, somePolicy, now)
        expect(previewWithoutNode(work, queued, now)).toEqual({ free, noOps, gaps, racing, tooLate })
      },
    ),
    { numRuns: 1_000 },
  )
})

test('without a node, too: a mined or ordered transaction is too late', () => {
  const payload = someAttempt(0)
  const ordered = someAttempt(1, { broadcast: answered({ kind: 'accepted', code: 'ordered' }) })
  const open = [mined(0, by(payload), [payload]), inFlight(1, [ordered]), mined(2, byForeign(), [someAttempt(2)])]
  expect(previewWithoutNode(someWork({ open }), 4, now)).toEqual({
    ...{ free: 4, noOps: 0, gaps: 0, racing: 0, tooLate: 2 },
  })
})

test('the preview is no smaller where the gas in flight has to fit in a reserve: some no-ops wait for the others', () => {
  const open = [0, 1, 2].map((nonce) => inFlight(nonce, [someAttempt(nonce)]))
  const work = frozen(someWork({ open }))
  const observation = {
    ...someObservation({ pendingNonce: 0, lagged: { balance: gas, nonce: 0 } }),
    market: someMarket,
  }
  const profile = { ...somePolicy.profile, charges: 'gas_limit', reserveBalance: gas, balanceLagBlocks: 3 } as const
  const small = previewCancellation(work, 0, observation, { ...somePolicy, profile }, now)
  expect(small).toMatchObject({ noOps: 3, overCap: 0 })
  expect(small).toEqual(previewCancellation(work, 0, observation, somePolicy, now))
})
