// The ceiling of prices: ten times what blocks paid, and what it does not limit.
import { describe, expect, test } from 'vitest'
import type { Attempt } from '../../src/domain/attempt.ts'
import { decide } from '../../src/domain/decide/decide.ts'
import type { Decision } from '../../src/domain/decide/plan/decision.ts'
import type { Situation } from '../../src/domain/decide/plan/work.ts'
import { gapFillerFees } from '../../src/domain/decide/rules/gap-fillers.ts'
import { missingNoOps, presignedFor } from '../../src/domain/decide/signer/presign.ts'
import { effectivePrice, type Fees, feeCap, type Market, marketFees, withLeastTip } from '../../src/domain/fees.ts'
import type { NonEmpty } from '../../src/domain/ids.ts'
import type { Observation } from '../../src/domain/observation.ts'
import type { Policies } from '../../src/domain/policy-table.ts'
import { priceCeiling } from '../../src/domain/price-ceiling.ts'
import type { Transaction } from '../../src/domain/transaction.ts'
import {
  answered,
  canceled,
  eip1559,
  ether,
  gwei,
  headAt,
  height,
  inFlight,
  now,
  queued,
  someAttempt,
  someNoOp,
  somePayload,
  somePolicies,
  somePolicy,
  someRelayer,
  someSituation,
} from './some.ts'

const rules = { pool: 'public' } as const
const rollup = { pool: 'private' } as const
const busy = { areUsed: true, haveRoom: false }
const roomy = { areUsed: true, haveRoom: true }

function even(tip: bigint) {
  return { safeLow: tip, average: tip, fast: tip, fastest: tip }
}

function marketOf(baseFee: bigint, tip: bigint, changes: Partial<Market> = {}): Market {
  return { baseFee, tips: even(tip), gasPrice: baseFee + tip, blocks: busy, ...changes }
}

const withoutBaseFee = (gasPrice: bigint): Market => ({ tips: even(gasPrice), gasPrice, blocks: busy })

interface Step {
  readonly open?: readonly Transaction[]
  readonly queued?: readonly Transaction[]
  readonly policies?: Partial<Policies>
  readonly market: Market
  readonly block?: number
}

function situationOf({ open = [], queued = [], policies = {}, market, block = height }: Step): Situation {
  const relayer = someRelayer({ policies: { ...somePolicies, ...policies } })
  const head = headAt(block, market.baseFee === undefined ? {} : { baseFee: market.baseFee })
  const observed: Partial<Observation> = { head, market, balance: 1_000n * ether }
  return someSituation({ relayer, open, queued } as Partial<Situation['work']>, observed)
}

const planned = (step: Step): readonly Decision[] => decide(situationOf(step)).decisions

/** The no-ops of a race, block after block: a node accepts each, and mines none. */
function raced(payload: Fees, markets: readonly Market[], policies: Partial<Policies> = {}) {
  let attempts: NonEmpty<Attempt> = [someAttempt(0, { fees: payload })]
  const waits: string[] = []
  for (const [index, market] of markets.entries()) {
    const block = height + 1 + index
    for (const each of planned({ open: [inFlight(0, attempts, canceled)], policies, market, block })) {
      if (each.do === 'explain') waits.push(each.condition)
      if (each.do !== 'signNoOp') continue
      attempts = [...attempts, someNoOp(0, { fees: each.fees, gasLimit: each.gasLimit, recordedAtBlock: block })]
    }
  }
  return { bids: attempts.slice(1).map(({ fees }) => fees), waits }
}

describe('the ceiling', () => {
  test('is ten times the base fee and the tip of the speed', () => {
    const tips = { safeLow: gwei, average: 2n * gwei, fast: 3n * gwei, fastest: 4n * gwei }
    const market = { baseFee: 10n * gwei, tips, gasPrice: 12n * gwei }
    expect(priceCeiling(market, 'average', 'payload', rules)).toBe(120n * gwei)
    expect(priceCeiling(market, 'fastest', 'noOp', rules)).toBe(140n * gwei)
  })

  test("is ten times the node's price without a base fee", () => {
    expect(priceCeiling(withoutBaseFee(7n * gwei), 'average', 'payload', rules)).toBe(70n * gwei)
  })

  test('is at least four times the tip floor, 3 gwei, or 0.1 gwei for payloads on a rollup', () => {
    const quiet = marketOf(7n, 1_000_000n)
    expect(priceCeiling(quiet, 'fast', 'payload', { ...rules, tipFloor: 25n * gwei })).toBe(100n * gwei)
    expect(priceCeiling(quiet, 'fast', 'payload', rules)).toBe(3n * gwei)
    expect(priceCeiling(quiet, 'fast', 'noOp', rollup)).toBe(3n * gwei)
    expect(priceCeiling(quiet, 'fast', 'payload', rollup)).toBe(gwei / 10n)
  })

  test('does not follow a minimum that a node names tenfold, and an estimate not at all', () => {
    const named = { ...marketOf(gwei, 100n * gwei), paidTips: even(gwei), minimumTip: 100n * gwei }
    expect(priceCeiling(named, 'fast', 'payload', rules)).toBe(202n * gwei)
    const estimated = withLeastTip(marketOf(gwei, gwei), 10n ** 15n)
    expect(priceCeiling(estimated, 'fast', 'payload', rules)).toBe(20n * gwei)
  })
})

describe('a price of the service', () => {
  const market = marketOf(10n * gwei, 2n * gwei)

  test('is never above the ceiling: first prices, gap fillers, and no-ops signed ahead', () => {
    const lie = withLeastTip(market, 10n ** 15n)
    const [first] = planned({ queued: [queued(1)], market: lie })
    expect(first).toMatchObject({ do: 'assignNonce', fees: eip1559(120n * gwei, 120n * gwei) })
    expect(feeCap(gapFillerFees(someRelayer(), lie, somePolicy))).toBe(120n * gwei)
    const step = { open: [inFlight(0)], policies: { presignCancel: 2 }, market }
    const situation = situationOf(step)
    const orders = missingNoOps({ ...situation, work: { ...situation.work, presigned: [] } })
    expect(orders).toHaveLength(2)
    for (const { fees } of orders) expect(feeCap(fees)).toBeLessThanOrEqual(120n * gwei)
  })

  test('ends at the ceiling, waits with a condition, keeps its attempts, and rises again with the market', () => {
    const payload = eip1559(22n * gwei, 2n * gwei)
    // A node suggests what no block paid, so a no-op that has waited for long wants it.
    const suggests = (baseFee: bigint) => marketOf(baseFee, 2n * gwei, { suggestedTip: 300n * gwei, blocks: roomy })
    const still = Array.from({ length: 120 }, () => suggests(10n * gwei))
    const { bids, waits } = raced(payload, still)
    const price = effectivePrice(bids.at(-1) as Fees, 10n * gwei)
    expect(price).toBeLessThanOrEqual(120n * gwei)
    expect(price).toBeGreaterThan(100n * gwei)
    expect(waits).toContain('price_ceiling')
    const risen = raced(payload, [...still, ...Array.from({ length: 3 }, () => suggests(20n * gwei))])
    expect(risen.bids.length).toBeGreaterThan(bids.length)
    const last = someNoOp(0, { fees: bids.at(-1) as Fees, recordedAtBlock: height })
    const open = [inFlight(0, [someAttempt(0, { fees: payload }), last], canceled)]
    const later = { open, market: suggests(10n * gwei), block: height + 20 }
    const decisions = decide({ ...situationOf(later), now: now + 3_600_000 }).decisions
    expect(decisions).toContainEqual(expect.objectContaining({ do: 'explain', condition: 'price_ceiling' }))
    expect(decisions).toContainEqual(expect.objectContaining({ do: 'rebroadcast' }))
  })

  test("is limited by an operator's cap instead, above the ceiling or below", () => {
    const still = Array.from({ length: 120 }, () => market)
    const { bids, waits } = raced(eip1559(22n * gwei, 2n * gwei), still, { cancelGasPriceCap: 10n ** 15n })
    expect(feeCap(bids.at(-1) as Fees)).toBeGreaterThan(130n * gwei)
    expect(waits).not.toContain('price_ceiling')
  })
})

describe('no ceiling limits', () => {
  const market = marketOf(gwei, gwei)

  test('fees that a client named', () => {
    const pricing = { kind: 'eip1559', maxFeePerGas: 500n * gwei, maxPriorityFeePerGas: 400n * gwei } as const
    const payload = { ...somePayload, pricing }
    const [first] = planned({ queued: [queued(1, { payload })], market })
    expect(first).toMatchObject({ do: 'assignNonce', fees: eip1559(500n * gwei, 400n * gwei) })
  })

  test("the least price over another contender's attempts: the first no-op always outbids the payload", () => {
    const { bids } = raced(eip1559(500n * gwei, 400n * gwei), [market])
    expect(bids.map(feeCap)).toEqual([550n * gwei + 1n])
  })

  test('bytes that are signed already', () => {
    const stored = { nonce: 0, hash: someNoOp(0).hash, gasLimit: 21_000, fees: eip1559(300n * gwei, 30n * gwei) }
    const open = inFlight(0, undefined, canceled)
    const situation = situationOf({ open: [open], market })
    const work = { ...situation.work, presigned: [stored] } as unknown as Situation['work']
    expect(presignedFor(open, { ...situation, work })).toBe(stored)
  })
})

describe('a fee cap above the ceiling', () => {
  const fallen = marketOf(7n, 3_000_000n, { blocks: { areUsed: false, haveRoom: true } })

  test('holds up no bid whose price is below it: nobody pays the cap while the base fee is low', () => {
    const payload = someAttempt(0, { fees: eip1559(20n * gwei, 1_500_000n) })
    const noOp = someNoOp(0, { fees: eip1559(22n * gwei, 3_000_000n), recordedAtBlock: height })
    const open = [inFlight(0, [payload, noOp], canceled)]
    const decisions = planned({ open, market: fallen, block: height + 40 })
    expect(decisions).toContainEqual(expect.objectContaining({ do: 'signNoOp' }))
    expect(decisions).not.toContainEqual(expect.objectContaining({ condition: 'price_ceiling' }))
  })

  test('of a foreign transaction is exceeded by the cap alone', () => {
    const underpriced = { kind: 'rejected', code: 'replacementUnderpriced', message: 'underpriced' } as const
    const market = marketOf(9n * gwei, 2n * gwei)
    const refused = { ...answered(underpriced, now), rejections: 'all' } as const
    const payload = someAttempt(0, { fees: eip1559(30n * gwei, 2n * gwei), broadcast: answered(underpriced, now) })
    const bids: Fees[] = []
    let noOp = someNoOp(0, { fees: eip1559(950n * gwei, 101n * gwei), broadcast: refused })
    for (let block = height + 1; feeCap(noOp.fees) < 1_800n * gwei; block += 4) {
      const decisions = planned({ open: [inFlight(0, [payload, noOp], canceled)], market, block })
      const next = decisions.find((each) => each.do === 'signNoOp')
      if (!next) throw new Error(`no bid in block ${block}: ${JSON.stringify(decisions.map(({ do: what }) => what))}`)
      bids.push(next.fees)
      noOp = someNoOp(0, { fees: next.fees, broadcast: refused, recordedAtBlock: block })
    }
    const ceiling = priceCeiling(market, 'fastest', 'noOp', rules)
    for (const fees of bids) expect(effectivePrice(fees, 9n * gwei)).toBeLessThanOrEqual(ceiling)
    // Whatever its earlier answers were, every pool refuses this one now, so none compares the next with it.
    const lost = someNoOp(0, { fees: eip1559(950n * gwei, 101n * gwei), broadcast: answered(underpriced, now) })
    const over = planned({ open: [inFlight(0, [payload, lost], canceled)], market, block: height + 4 })
    const next = over.find((each) => each.do === 'signNoOp')
    expect(next && feeCap(next.fees) > feeCap(lost.fees)).toBe(true)
    expect(next && effectivePrice(next.fees, 9n * gwei) <= ceiling).toBe(true)
    // A pool that took one compares the next with it.
    const taken = someNoOp(0, {
      fees: eip1559(900n * gwei, 100n * gwei),
      broadcast: answered({ kind: 'accepted' }, now),
    })
    const waits = planned({ open: [inFlight(0, [payload, taken, lost], canceled)], market, block: height + 4 })
    expect(waits).toContainEqual(expect.objectContaining({ do: 'explain', condition: 'price_ceiling' }))
  })

  test('that a client named does not raise the ceiling of the tip', () => {
    const market = marketOf(gwei, gwei, { suggestedTip: 300n * gwei, blocks: roomy })
    const still = Array.from({ length: 40 }, () => market)
    const { bids } = raced(eip1559(500n * gwei, gwei), still)
    expect(bids).not.toEqual([])
    for (const fees of bids) expect(effectivePrice(fees, gwei)).toBeLessThanOrEqual(20n * gwei)
  })
})

describe('no cancellation waits because of the ceiling', () => {
  /** The first bid of each race is signed at once, and pays what the market pays by then. */
  function expectRaced(payload: Fees, markets: NonEmpty<Market>) {
    const { bids, waits } = raced(payload, markets)
    expect(bids.length).toBeGreaterThan(0)
    const last = markets.at(-1) as Market
    const fair = marketFees(last, 'fastest', payload.kind === 'eip1559')
    expect(feeCap(bids.at(-1) as Fees)).toBeGreaterThanOrEqual(feeCap(fair) / 2n)
    expect(waits).not.toContain('price_ceiling')
  }

  /** 25 blocks, an eighth each: twentyfold. Whatever is not base fee is believed up to sixfold, as in limit-tips.ts. */
  const spike = Array.from({ length: 26 }, (_, block) => {
    const factor = 1.125 ** block
    const times = (wei: bigint, most: number) => (wei * BigInt(Math.round(Math.min(factor, most) * 1_000))) / 1_000n
    return marketOf(times(10n * gwei, 20), times(2n * gwei, 6))
  }) as unknown as NonEmpty<Market>

  test('in a spike of twentyfold', () => {
    expectRaced(marketFees(spike[0], 'average', true), spike)
  })

  test('in the fall after it', () => {
    const peak = spike.at(-1) as Market
    const fall = [...spike].reverse() as unknown as NonEmpty<Market>
    expectRaced(marketFees(peak, 'average', true), [fall[0], ...fall.slice(1, 4)])
    // Canceled only at the end, over a payload of the peak.
    expectRaced(marketFees(peak, 'fastest', true), [spike[0]])
  })

  test('on a chain without base fees, in a spike and its fall', () => {
    const [low, peak] = [withoutBaseFee(5n * gwei), withoutBaseFee(100n * gwei)]
    expectRaced(marketFees(low, 'average', true), [low, peak, peak])
    expectRaced(marketFees(peak, 'average', true), [peak, low])
  })

  test('on an idle chain, and on a development chain whose blocks paid nothing', () => {
    const idle = { areUsed: false, haveRoom: true }
    const quiet = marketOf(7n, 3_000_000n, { blocks: idle, suggestedTip: gwei })
    const still = Array.from({ length: 40 }, () => quiet) as unknown as NonEmpty<Market>
    expectRaced(marketFees(quiet, 'average', true), still)
    const dev = marketOf(gwei, 1_500_000_000n, { blocks: idle, suggestedTip: gwei })
    expectRaced(marketFees(dev, 'average', true), Array.from({ length: 40 }, () => dev) as unknown as NonEmpty<Market>)
  })

  test('where gas is free: the price stays 0', () => {
    const free: Market = { baseFee: 0n, tips: even(0n), gasPrice: 0n, blocks: busy }
    const { bids } = raced(eip1559(0n, 0n), [free])
    expect(bids.map(feeCap).every((wei) => wei <= 1n)).toBe(true)
    expect(feeCap(gapFillerFees(someRelayer(), free, somePolicy))).toBe(0n)
  })
})
