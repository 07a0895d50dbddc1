// What a bulk cancellation takes within its limit of cost, case by case, and for any relayer.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type BroadcastState, isNoOp, mayBeKnown } from '../../src/domain/attempt.ts'
import { type Choices, chooseInOrder, chooseWithin, type Matched } from '../../src/domain/bulk/choose-within.ts'
import { cancel } from '../../src/domain/cancel.ts'
import { type CostLimit, refuseUnlikeCosts, restOf } from '../../src/domain/cost-limit.ts'
import { decide } from '../../src/domain/decide/decide.ts'
import { type Fees, strictestRule } from '../../src/domain/fees.ts'
import type { NonEmpty, RelayerId } from '../../src/domain/ids.ts'
import { noOpCost } from '../../src/domain/no-op.ts'
import { isTakenByBulk } from '../../src/domain/refusals.ts'
import { isInPhase, neverReachedANode, type Transaction } from '../../src/domain/transaction.ts'
import { maxWei, minWei } from '../../src/domain/units.ts'
import {
  broadcastStates,
  by,
  byForeign,
  canceled,
  eip1559,
  gwei,
  height,
  idOf,
  inFlight,
  mined,
  now,
  queued,
  someAttempt,
  someMarket,
  someNoOp,
  someObservation,
  somePolicies,
  somePolicy,
  someRelayer,
  someWork,
} from './some.ts'
import { someWait } from './some-reasons.ts'

const gas = 21_000n
const price = { market: someMarket, block: height }
const unsent = (nonce: number) => inFlight(nonce, [someAttempt(nonce, { broadcast: broadcastStates.held })])
/** A payload so cheap that its no-op bids the market: twice the base fee, and 4 gwei of tip. */
const cheap = (nonce: number) => inFlight(nonce, [someAttempt(nonce, { fees: eip1559(gwei, gwei / 1000n) })])
const dear = (nonce: number) => inFlight(nonce, [someAttempt(nonce, { fees: eip1559(100n * gwei, 50n * gwei) })])
const ofNoOp = gas * 24n * gwei
/** Priced as a send at speed fast: twice the base fee, and 3 gwei of tip. */
const ofGapFiller = gas * 23n * gwei

function matched(open: readonly Transaction[], changes: Partial<Matched> = {}): Matched {
  return { work: someWork({ open }), covers: isTakenByBulk, staying: [], pauses: false, ...changes }
}

function choose(of: Matched, limit: CostLimit): Choices {
  return chooseWithin(of, limit, somePolicy, price)
}

const free: CostLimit = { only: 'free' }
const within = (maxCost: bigint): CostLimit => ({ maxCost })

function takenOf({ choices }: Choices): readonly number[] {
  return choices.filter(({ taken }) => taken).map(({ nonce }) => nonce)
}

describe('only free ones', () => {
  test('what a node may have costs a no-op, and stays', () => {
    const { choices, spent } = choose(matched([cheap(0)]), free)
    expect(choices).toEqual([
      { id: idOf(0), nonce: 0, taken: false, why: { reason: 'costs', facts: { by: 'no_op', cost: ofNoOp } } },
    ])
    expect(spent).toBe(0n)
  })

  test('what surely reached no node is free, if nothing above it needs its nonce', () => {
    expect(takenOf(choose(matched([cheap(0), unsent(1), unsent(2)]), free))).toEqual([1, 2])
  })

  test('below a nonce that stays in use it costs a gap filler', () => {
    const { choices } = choose(matched([unsent(0), cheap(1)]), free)
    expect(choices.map(({ taken }) => taken)).toEqual([false, false])
    expect(choices[0]).toMatchObject({
      nonce: 0,
      why: { reason: 'costs', facts: { by: 'gap_filler', cost: ofGapFiller } },
    })
  })

  test('unless the queue takes the nonce, the lowest first', () => {
    const open = [unsent(0), unsent(1), cheap(2)]
    expect(takenOf(choose(matched(open, { staying: [queued(9)] }), free))).toEqual([0])
    expect(takenOf(choose(matched(open, { staying: [queued(9), queued(10)] }), free))).toEqual([0, 1])
  })

  test.each([
    [
      'the relayer is paused',
      { work: someWork({ relayer: someRelayer({ paused: true }), open: [unsent(0), cheap(1)] }) },
    ],
    [
      'its network is',
      { work: someWork({ relayer: someRelayer({ networkPaused: true }), open: [unsent(0), cheap(1)] }) },
    ],
    ['the same commit pauses it', { pauses: true }],
    ['the first of the queue waits', { staying: [queued(8, { wait: someWait('balance_short') }), queued(9)] }],
    ['a gap that is open takes it', { work: someWork({ open: [unsent(1), cheap(2)] }) }],
    ['there is no room in flight', { work: someWork({ open: [unsent(0), ...[1, 2, 3, 4].map(cheap)] }) }],
  ])('no queue takes it where %s', (_, changes) => {
    expect(takenOf(choose(matched([unsent(0), cheap(1)], { staying: [queued(9)], ...changes }), free))).toEqual([])
  })

  test('a match whose nonce is spent needs no no-op', () => {
    const foreign = mined(0, byForeign(), [someAttempt(0)])
    expect(takenOf(choose(matched([foreign]), free))).toEqual([0])
  })

  test('it needs no price', () => {
    const { choices } = chooseWithin(matched([cheap(0), unsent(1)]), free, somePolicy, undefined)
    expect(choices).toEqual([
      { id: idOf(0), nonce: 0, taken: false, why: { reason: 'costs', facts: { by: 'no_op' } } },
      { id: idOf(1), nonce: 1, taken: true, share: 0n },
    ])
  })
})

describe('within max_cost', () => {
  test('cheapest first, and lowest nonce first among equals', () => {
    const open = [dear(0), cheap(1), cheap(2), unsent(3)]
    const { choices, spent } = choose(matched(open), within(2n * ofNoOp))
    expect(choices.map(({ nonce }) => nonce)).toEqual([3, 1, 2, 0])
    expect(choices.map((each) => (each.taken ? each.share : each.why))).toEqual([
      0n,
      ofNoOp,
      ofNoOp,
      { reason: 'beyond_max_cost', facts: { by: 'no_op', cost: expect.any(BigInt), left: 0n } },
    ])
    expect(spent).toBe(2n * ofNoOp)
  })

  test('one wei less takes one less', () => {
    expect(takenOf(choose(matched([cheap(0), cheap(1)]), within(2n * ofNoOp - 1n)))).toEqual([0])
    expect(takenOf(choose(matched([cheap(0), cheap(1)]), within(2n * ofNoOp)))).toEqual([0, 1])
  })

  test('a share pays for the gap filler', () => {
    const [choice] = choose(
      matched([unsent(0), cheap(1)], { covers: ({ id }) => id === idOf(0) }),
      within(ofGapFiller),
    ).choices
    expect(choice).toMatchObject({ id: idOf(0), nonce: 0, taken: true, share: ofGapFiller })
  })

  test('the fee for data on L1 is part of it', () => {
    const market = { ...someMarket, noOpL1Fee: 7n }
    const { spent } = chooseWithin(matched([cheap(0)]), within(10n ** 18n), somePolicy, { market, block: height })
    expect(spent).toBe(ofNoOp + 7n)
  })

  test('a no-op that races already may be the one that is mined', () => {
    const noOp = someNoOp(0, { fees: eip1559(900n * gwei, gwei) })
    const races = inFlight(0, [someAttempt(0), noOp], canceled)
    const { spent } = choose(matched([races], { covers: () => true }), within(10n ** 20n))
    expect(spent).toBeGreaterThanOrEqual(noOpCost(noOp.gasLimit, noOp.fees, someMarket))
  })

  test('the next relayer has what those before it left', () => {
    const of = (id: string) => ({
      ...matched([cheap(0)], { work: someWork({ relayer: someRelayer({ id: id as RelayerId }), open: [cheap(0)] }) }),
      policy: somePolicy,
      price,
    })
    const chosen = chooseInOrder([of('a'), of('b'), of('c')], within(2n * ofNoOp))
    expect(chosen.map(({ relayerId, spent }) => [relayerId, spent])).toEqual([
      ['a', ofNoOp],
      ['b', ofNoOp],
      ['c', 0n],
    ])
  })

  test('what earlier commits stored is spent, and a rest is never negative', () => {
    expect(restOf(within(10n), [4n, 5n])).toEqual({ maxCost: 1n })
    expect(restOf(within(10n), [4n, 7n])).toEqual({ maxCost: 0n })
    expect(restOf({ only: 'free' }, [4n])).toEqual({ only: 'free' })
  })
})

describe('relayers of one amount', () => {
  const { profile } = somePolicy
  const one = { id: 'one' as RelayerId, symbol: 'ETH', profile, market: someMarket }

  test('one currency at observed prices', () => {
    expect(refuseUnlikeCosts([one, { ...one, id: 'two' as RelayerId }])).toBeUndefined()
  })

  test('different symbols are refused, with the relayers of each', () => {
    const other = { ...one, id: 'two' as RelayerId, symbol: 'POL' }
    expect(() => refuseUnlikeCosts([one, other])).toThrow(/ETH \(one\) and POL \(two\)/)
  })

  test.each([
    ['no price yet', { market: undefined }],
    ['no node reported the fee for data on L1', { profile: { ...profile, l1Fee: 'op_stack' as const } }],
    ['no node estimated the gas of a no-op', { profile: { ...profile, noOpGas: 'estimated' as const } }],
  ])('%s: refused, with the relayer', (words, changes) => {
    const lacking = { ...one, id: 'two' as RelayerId, ...changes }
    expect(() => refuseUnlikeCosts([one, lacking])).toThrow(`two (${words})`)
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
    isMatch: fc.boolean(),
    isMined: fc.boolean(),
  })
  .map(({ fees, noOp, isMatch, isMined }) => (nonce: number): readonly [Transaction, boolean] => {
    const [{ 0: first }] = fees as unknown as NonEmpty<(typeof fees)[number]>
    const sameKind = fees.filter(([{ kind }]) => kind === first.kind)
    const attempts = sameKind.map(([each, broadcast]) => someAttempt(nonce, { fees: each, broadcast }))
    const all = [...attempts, ...(noOp ? [someNoOp(nonce, { fees: first, broadcast: noOp[1] })] : [])]
    const [payload] = all as unknown as NonEmpty<(typeof all)[number]>
    if (isMined) return [mined(nonce, by(payload), [payload]), false]
    return [inFlight(nonce, all as unknown as NonEmpty<(typeof all)[number]>, noOp ? canceled : {}), isMatch]
  })
const anyRelayer = fc.record({
  open: fc.array(anyOpen, { maxLength: 8 }),
  queue: fc.nat({ max: 4 }),
  cap: fc.option(fc.bigInt(gwei, 300n * gwei), { nil: undefined }),
  l1: fc.option(fc.bigInt(1n, 10n ** 15n), { nil: undefined }),
})

type Drawn = typeof anyRelayer extends fc.Arbitrary<infer T> ? T : never

function drawn({ open, queue, cap, l1 }: Drawn) {
  // A cancellation of a transaction that no node has ends it at once.
  const rows: (readonly [Transaction, boolean])[] = []
  for (const make of open) {
    const row = make(rows.length)
    if (!row[0].cancellation || !neverReachedANode(row[0])) rows.push(row)
  }
  const matches = new Set(rows.filter(([, isMatch]) => isMatch).map(([{ id }]) => id))
  const relayer = someRelayer({ policies: { ...somePolicies, ...(cap !== undefined && { cancelGasPriceCap: cap }) } })
  return {
    work: someWork({ relayer, open: rows.map(([each]) => each) }),
    covers: ({ id }: Transaction) => matches.has(id),
    staying: Array.from({ length: queue }, (_, index) => queued(100 + index)),
    pauses: false,
    policy: somePolicy,
    price: { market: { ...someMarket, ...(l1 !== undefined && { noOpL1Fee: l1 }) }, block: height },
  }
}

test('whatever the relayers: the shares add up to at most max_cost, and every match is taken or has its reason', () => {
  fc.assert(
    fc.property(fc.array(anyRelayer, { maxLength: 4 }), fc.bigInt(0n, 10n ** 17n), (all, maxCost) => {
      const relayers = all.map(drawn)
      const chosen = chooseInOrder(relayers, { maxCost })
      const shares = chosen.flatMap(({ choices }) => choices.flatMap((each) => (each.taken ? [each.share] : [])))
      expect(shares.reduce((sum, share) => sum + share, 0n)).toBeLessThanOrEqual(maxCost)
      for (const [index, { choices }] of chosen.entries()) {
        const { work, covers } = relayers[index] as ReturnType<typeof drawn>
        expect(new Set(choices.map(({ id }) => id))).toEqual(new Set(work.open.filter(covers).map(({ id }) => id)))
        // No cheaper one is left out for a dearer one.
        const [first] = choices.flatMap((each) =>
          !each.taken && each.why.reason === 'beyond_max_cost' ? [each.why.facts.cost] : [],
        )
        for (const each of choices) if (each.taken && first !== undefined) expect(each.share).toBeLessThanOrEqual(first)
      }
    }),
  )
})

test('for any relayer: a free one gets no no-op, and leaves no gap that the queue does not take', () => {
  fc.assert(
    fc.property(anyRelayer, (one) => {
      const { policy, price, ...of } = drawn(one)
      const { choices } = chooseWithin(of, free, policy, price)
      const taken = new Set(choices.filter((each) => each.taken).map(({ id }) => id))
      const open = of.work.open.map((each) => (taken.has(each.id) ? cancel(each, now) : each))
      for (const each of open.filter(({ id }) => taken.has(id))) expect(each.lifecycle.phase).not.toBe('inFlight')
      const used = open.flatMap((each) => (isInPhase(each, 'inFlight', 'mined') ? [each.lifecycle.nonce] : []))
      const highest = Math.max(
        -1,
        ...open.flatMap((each) => (isInPhase(each, 'inFlight') ? [each.lifecycle.nonce] : [])),
      )
      const gaps = Array.from({ length: Math.max(0, highest) }, (_, nonce) => nonce).filter(
        (each) => !used.includes(each),
      )
      expect(gaps.length).toBeLessThanOrEqual(of.staying.length)
    }),
  )
})

test('whatever the relayer: at the same price, what the engine signs for a match that was taken is within its share', () => {
  fc.assert(
    fc.property(
      anyRelayer,
      fc.constantFrom(strictestRule, { measure: 'fields', percent: 10n } as const),
      (one, rule) => {
        const { policy, price, ...of } = drawn(one)
        const { choices } = chooseWithin(of, within(10n ** 20n), policy, price)
        const shares = new Map(choices.flatMap((each) => (each.taken ? [[each.id, each.share] as const] : [])))
        const open = of.work.open.map((each) => (shares.has(each.id) ? cancel(each, now) : each))
        const observation = someObservation({ rule, market: price.market, pendingNonce: 0, balance: 10n ** 24n })
        const left = open.filter((each) => isInPhase(each, 'inFlight', 'mined'))
        const { decisions } = decide({ work: { ...of.work, open: left }, observation, policy, now })
        for (const each of decisions) {
          if (each.do !== 'signNoOp') continue
          const share = shares.get(each.transaction.id)
          if (share !== undefined) expect(noOpCost(each.gasLimit, each.fees, price.market)).toBeLessThanOrEqual(share)
        }
        for (const each of left) {
          const share = shares.get(each.id)
          if (share === undefined || !isInPhase(each, 'inFlight')) continue
          for (const noOp of each.lifecycle.attempts.filter((attempt) => isNoOp(attempt) && mayBeKnown(attempt)))
            expect(noOpCost(noOp.gasLimit, noOp.fees, price.market)).toBeLessThanOrEqual(share)
        }
      },
    ),
  )
})
