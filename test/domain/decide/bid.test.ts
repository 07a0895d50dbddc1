// What another attempt of a nonce bids: after a spike, on a chain that mines nothing of ours, where tips have a minimum, and
// where gas is free.
import { describe, expect, test } from 'vitest'
import { type Attempt, afterBroadcast, beforeBroadcast, wasAlwaysRejected } from '../../../src/domain/attempt.ts'
import { apply } from '../../../src/domain/decide/apply.ts'
import type { Work } from '../../../src/domain/decide/plan/work.ts'
import { escalationMultiple, type Fees, feeCap, type Market, tipOf } from '../../../src/domain/fees.ts'
import type { NonEmpty } from '../../../src/domain/ids.ts'
import type { Observation } from '../../../src/domain/observation.ts'
import type { NetworkPolicy } from '../../../src/domain/relayer.ts'
import { decideInWords as decide } from '../in-words.ts'
import {
  answered,
  broadcastStates,
  by,
  canceled,
  eip1559,
  ether,
  gwei,
  hashOf,
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
  someSituation,
  someWork,
} from '../some.ts'

const fields = { measure: 'fields', percent: 10n } as const
const insufficient = { kind: 'rejected', code: 'insufficientFunds', message: 'insufficient funds' } as const
const underpriced = { kind: 'rejected', code: 'replacementUnderpriced', message: 'underpriced' } as const
const tooLow = { kind: 'rejected', code: 'feeTooLow', message: 'minimum needed 25000000000' } as const
const rejectedAlways = (outcome: typeof insufficient | typeof underpriced | typeof tooLow) =>
  ({ state: 'handed', outcome, at: now, rejections: 'all' }) as const

function marketAt(baseFee: bigint, changes: Partial<Market> = {}): Market {
  return { ...someMarket, baseFee, gasPrice: baseFee + 2n * gwei, ...changes }
}

function plan(work: Partial<Work>, observed: Partial<Observation>, policy: Partial<NetworkPolicy> = {}, at = now) {
  return decide(someSituation(work, observed, policy, at))
}

/** An operator's cap replaces the ceiling. */
const withoutCeiling = someRelayer({
  policies: { ...somePolicies, gasPriceCap: ether, cancelGasPriceCap: ether },
})

/** The fees that the first decision signs. */
function signed(
  work: Partial<Work>,
  observed: Partial<Observation>,
  policy?: Partial<NetworkPolicy>,
): Fees | undefined {
  const [decision] = plan(work, observed, policy).decisions
  return decision && 'fees' in decision ? decision.fees : undefined
}

/** Adds each bid to the recorded ones, accepted by a node that mines none, block after block. */
function ladderOf(
  first: NonEmpty<Attempt>,
  market: (block: number) => Market,
  { blocks = 300, noOps = false, policy = {} as Partial<NetworkPolicy> } = {},
): readonly Fees[] {
  let attempts = first
  const bids: Fees[] = []
  for (let block = 1; block <= blocks; block += 1) {
    const head = headAt(height + block, { baseFee: market(block).baseFee ?? 0n })
    const open = [inFlight(0, attempts, noOps ? canceled : {})]
    const fees = signed({ open }, { head, market: market(block), balance: 10n ** 6n * ether, rule: fields }, policy)
    if (!fees) continue
    bids.push(fees)
    const attempt = noOps
      ? someNoOp(0, { fees, recordedAtBlock: head.number })
      : someAttempt(0, { fees, recordedAtBlock: head.number })
    attempts = [...attempts, attempt]
  }
  return bids
}

describe('after a spike', () => {
  const original = someAttempt(0, { fees: eip1559(20n * gwei, gwei), recordedAtBlock: height - 5 })
  const spiked = someNoOp(0, {
    fees: eip1559(700n * gwei, 4n * gwei),
    recordedAtBlock: height - 5,
    broadcast: rejectedAlways(insufficient),
  })
  const race = inFlight(0, [original, spiked], canceled)
  const calm = { market: marketAt(gwei), head: headAt(height, { baseFee: gwei }) }

  test('a no-op that every node rejected sets no floor: one that the account can pay for is signed', () => {
    const fees = signed({ open: [race] }, { ...calm, balance: ether / 1_000n })
    expect(fees && feeCap(fees)).toBe(22_000_000_001n)
  })

  test('a no-op is never signed for more than the account can pay', () => {
    const { decisions } = plan({ open: [race] }, { ...calm, balance: 21_000n * 22n * gwei })
    expect(decisions).toMatchObject([
      {
        do: 'explain',
        condition: 'cancel_unfunded',
        reason: 'canceled; the balance does not cover the no-op, which may cost 0.0005 ether: top it up',
      },
    ])
  })

  test('one that was signed at the price that is right now, and could not be paid for then, goes out again', () => {
    const low = someNoOp(0, {
      fees: eip1559(3n * gwei, 1n),
      recordedAtBlock: height - 5,
      broadcast: broadcastStates.accepted,
    })
    const facts = { ...calm, balance: ether }
    const fees = signed({ open: [inFlight(0, [original, low], canceled)] }, facts)
    if (!fees) throw new Error('a higher bid is signed')
    const broadcast = { ...rejectedAlways(insufficient), at: now - 60_000 }
    const dear = someNoOp(0, { hash: hashOf(0xdea), fees, recordedAtBlock: height - 6, broadcast })
    const { decisions } = plan({ open: [inFlight(0, [original, dear, low], canceled)] }, facts)
    expect(decisions).toMatchObject([{ do: 'rebroadcast', attempt: { hash: dear.hash } }])
  })

  test('without a balance none is signed: the balance is read', () => {
    const { balance: _, ...unasked } = someObservation(calm)
    const requested = decide({ work: someWork({ open: [race] }), observation: unasked, policy: somePolicy, now })
    expect(requested.lacks).toEqual(new Set(['balance']))
    expect(requested.decisions.map(({ do: what }) => what)).not.toContain('signNoOp')
  })

  test('a send goes on at a lower price, and its reserve stays', () => {
    const dear = someAttempt(0, {
      fees: eip1559(700n * gwei, 4n * gwei),
      recordedAtBlock: height - 5,
      broadcast: rejectedAlways(insufficient),
    })
    const relayer = someRelayer({ policies: { ...somePolicies, cancelReserve: 1_000n } })
    const open = [inFlight(0, [original, dear])]
    const cost = 21_000n * 22_000_000_001n + somePayload.value + 1_000n
    const at = (balance: bigint) => signed({ relayer, open }, { ...calm, balance })
    expect(at(cost)).toEqual(eip1559(22_000_000_001n, 2_500_000_000n))
    expect(at(cost - 21_000n)).toBeUndefined()
  })

  test('no balance is kept back for a rejected one: the queue goes on', () => {
    const dear = someAttempt(0, { fees: eip1559(700n * gwei, gwei), broadcast: rejectedAlways(insufficient) })
    const work = { open: [inFlight(0, [someAttempt(0), dear])], queued: [queued(9)] }
    const { decisions } = plan(work, { balance: ether / 100n })
    expect(decisions).toContainEqual(expect.objectContaining({ do: 'assignNonce', nonce: 1 }))
  })

  test('a bump that the account can’t pay for is not signed, and its reason says so', () => {
    const open = [inFlight(0, [someAttempt(0, { recordedAtBlock: height - 5 })])]
    const { decisions } = plan({ open }, { balance: 21_000n * 21n * gwei })
    expect(decisions).toMatchObject([{ do: 'explain', condition: 'balance_short' }])
  })

  test('the floor returns where a pool holds a bid that seemed rejected', () => {
    const lower = someNoOp(0, {
      fees: eip1559(23n * gwei, 2n * gwei),
      recordedAtBlock: height - 1,
      broadcast: rejectedAlways(underpriced),
    })
    const open = [inFlight(0, [original, spiked, lower], canceled)]
    const fees = signed({ relayer: withoutCeiling, open }, { ...calm, balance: ether })
    expect(fees && feeCap(fees)).toBeGreaterThan(770n * gwei)
  })

  test('the attempt before it, which a node may have, is sent again where the balance does not cover the newest', () => {
    const dear = someAttempt(0, {
      fees: eip1559(700n * gwei, gwei),
      broadcast: { state: 'handed', outcome: insufficient, rejections: 'all', at: now - 60_000 },
    })
    const old = someAttempt(0, { broadcast: answered({ kind: 'accepted' }, now - 60_000) })
    const { decisions } = plan({ open: [inFlight(0, [old, dear])] }, { balance: 1_000n })
    expect(decisions).toContainEqual(expect.objectContaining({ do: 'rebroadcast', attempt: old }))
  })
})

describe('what every broadcast came to', () => {
  const fresh = someAttempt(0, { broadcast: broadcastStates.sending })

  test('is certain where each was rejected, and in doubt while one more is on its way', () => {
    const once = afterBroadcast(fresh, insufficient, now)
    expect(wasAlwaysRejected(once)).toBe(true)
    const again = beforeBroadcast(once)
    expect(wasAlwaysRejected(again)).toBe(false)
    expect(wasAlwaysRejected(afterBroadcast(again, insufficient, now))).toBe(true)
    expect(wasAlwaysRejected(afterBroadcast(again, { kind: 'unsent', message: 'no connection' }, now))).toBe(true)
    for (const outcome of [{ kind: 'accepted' }, { kind: 'unknown', message: 'timed out' }] as const) {
      const doubted = afterBroadcast(again, outcome, now)
      expect(wasAlwaysRejected(afterBroadcast(doubted, insufficient, now))).toBe(false)
    }
    // The process died while the second was on its way.
    expect(wasAlwaysRejected(afterBroadcast(beforeBroadcast(again), insufficient, now))).toBe(false)
  })

  test('is not certain where the nonce is too low: these very bytes may have spent it', () => {
    const spent = { kind: 'rejected', code: 'nonceTooLow', message: 'nonce too low' } as const
    expect(wasAlwaysRejected(afterBroadcast(fresh, spent, now))).toBe(false)
  })
})

describe('bidding against nobody', () => {
  const used = { areUsed: true, haveRoom: false }
  const ours: NonEmpty<Attempt> = [someAttempt(0)]

  test('ends at the multiple of the market, for sends and for no-ops', () => {
    for (const noOps of [false, true]) {
      const bids = ladderOf(ours, () => marketAt(10n * gwei, { blocks: used }), { noOps })
      const price = noOps ? 24n * gwei : 22n * gwei
      expect(bids.length).toBeGreaterThan(5)
      expect(bids.every((fees) => feeCap(fees) <= escalationMultiple * price)).toBe(true)
    }
  })

  // Of the cap, a base fee takes two shares and a tip one. A tip that had waited, and was raised, has most of it.
  test('ends at the multiple of the market’s price, where a raised tip leaves the cap far below its own', () => {
    const market = marketAt(gwei / 2n, {
      tips: { safeLow: gwei / 100n, average: gwei / 100n, fast: gwei / 100n, fastest: gwei / 100n },
      blocks: used,
    })
    const raised = eip1559(4n * gwei, 3n * gwei)
    for (const noOps of [false, true]) {
      const first = noOps ? ours : ([someAttempt(0, { fees: raised })] as const)
      const second = noOps ? [someNoOp(0, { fees: raised })] : []
      const bids = ladderOf([...first, ...second], () => market, { noOps })
      expect(bids.length).toBeGreaterThan(1)
      for (const fees of bids) {
        expect(tipOf(fees) + gwei / 2n).toBeLessThanOrEqual((escalationMultiple * 51n * gwei) / 100n)
      }
    }
  })

  // Signed under a low cap, a bid has a tip as high as its cap. The cap of the market's price, a cap no more, would free that tip.
  test('ends at the multiple of the market’s price, where a cap has held the bids down', () => {
    const tip = gwei / 100n
    const market = marketAt(gwei / 2n, { tips: { safeLow: tip, average: tip, fast: tip, fastest: tip }, blocks: used })
    const capped = Array.from({ length: 36 }, (_, index) =>
      someNoOp(0, {
        fees: eip1559(4_499_999_964n + BigInt(index), 4_499_999_964n + BigInt(index)),
        recordedAtBlock: height - 5,
      }),
    )
    const original = someAttempt(0, { fees: eip1559(gwei, tip), recordedAtBlock: height - 20 })
    const head = headAt(height, { baseFee: gwei / 2n })
    const fees = signed({ open: [inFlight(0, [original, ...capped], canceled)] }, { head, market, rule: fields })
    expect(fees).toEqual(eip1559(5_100_000_000n, 4_949_999_999n))
    const limited = signed(
      { relayer: withoutCeiling, open: [inFlight(0, [original, ...capped], canceled)] },
      { head, market, rule: fields },
    )
    expect(limited).toEqual(eip1559(4_949_999_999n, 4_949_999_999n))
  })

  test('does not end for a no-op with more gas, where no node took the first', () => {
    const tip = gwei / 10n
    const tips = { safeLow: tip, average: tip, fast: tip, fastest: tip }
    const market = marketAt(2n * gwei, { tips, noOpGas: 100_000 })
    const profile = { ...somePolicy.profile, noOpGas: 'estimated', floorGas: false } as const
    const spiked = someAttempt(0, { fees: eip1559(30n * gwei, 28n * gwei), recordedAtBlock: height - 5 })
    const tight = someNoOp(0, {
      fees: eip1559(33n * gwei + 1n, 31n * gwei),
      gasLimit: 21_000,
      broadcast: broadcastStates.refused,
    })
    const open = [inFlight(0, [spiked, tight], canceled)]
    const { decisions } = plan(
      { open },
      { market, head: headAt(height + 1, { baseFee: 2n * gwei }) },
      { profile },
      now + 60_000,
    )
    expect(decisions).toMatchObject([{ do: 'signNoOp', gasLimit: 150_000 }])
  })

  test('repeats no earlier no-op of the same price that has too little gas', () => {
    const { baseFee: _, ...old } = marketAt(0n, { gasPrice: 19n * gwei, noOpGas: 100_000 })
    const profile = { ...somePolicy.profile, noOpGas: 'estimated', floorGas: false } as const
    const relayer = someRelayer({ policies: { ...somePolicies, cancelGasPriceCap: 20n * gwei } })
    const payload = someAttempt(0, { fees: { kind: 'legacy', gasPrice: 10n * gwei } })
    const tight = someNoOp(0, {
      fees: { kind: 'legacy', gasPrice: 20n * gwei },
      gasLimit: 21_000,
      broadcast: broadcastStates.refused,
    })
    const open = [inFlight(0, [payload, tight], canceled)]
    const { decisions } = plan({ relayer, open }, { market: old, head: headAt(height + 1) }, { profile }, now + 60_000)
    expect(decisions).toMatchObject([
      { do: 'signNoOp', fees: { kind: 'legacy', gasPrice: 20n * gwei }, gasLimit: 150_000 },
    ])
  })

  test('goes on where the base fee itself rises above the last bid', () => {
    const rising = (block: number) => marketAt(10n * gwei * BigInt(block), { blocks: used })
    const bids = ladderOf(ours, rising, { blocks: 200 })
    const last = bids.at(-1)
    expect(last && feeCap(last)).toBeGreaterThanOrEqual(1_900n * gwei)
  })

  test('does not begin where blocks hold nothing at all', () => {
    const empty = { areUsed: false, haveRoom: true }
    // But for one small tip.
    expect(ladderOf(ours, () => marketAt(10n * gwei, { blocks: empty })).map(tipOf)).toEqual([3n * gwei])
  })

  test('waits for time as well as for blocks, also where the base fee has risen above the bid', () => {
    const head = headAt(height + 50)
    const patient = { bumpAfter: { blocks: 3, ms: 3_000 } }
    const open = [inFlight(0, [someAttempt(0, { recordedAtBlock: head.number - 3 })])]
    const verbs = (ms: number, baseFee = 10n * gwei) =>
      plan(
        { open },
        { head: { ...head, baseFee }, market: marketAt(baseFee, { blocks: used }) },
        patient,
        now + ms,
      ).decisions.map(({ do: what }) => what)
    expect(verbs(2_999)).toEqual([])
    expect(verbs(3_000)).toEqual(['bump'])
    expect(verbs(2_999, 21n * gwei)).toEqual([])
    expect(verbs(3_000, 21n * gwei)).toEqual(['bump'])
    // The clock was set back, by an unknown amount.
    expect(verbs(-3_600_000)).toEqual(['bump'])
  })

  test('never forbids to outbid what a client named, however far above the market, and counts from there', () => {
    const pricing = { kind: 'eip1559', maxFeePerGas: 500n * gwei, maxPriorityFeePerGas: 500n * gwei } as const
    const named = someAttempt(0, { fees: eip1559(500n * gwei, 500n * gwei) })
    const market = marketAt(gwei, { blocks: used })
    const first = inFlight(0, [named], { ...canceled, payload: { ...somePayload, pricing } })
    const fees = signed({ open: [first] }, { market, head: headAt(height, { baseFee: gwei }) })
    expect(fees && feeCap(fees)).toBe(550n * gwei + 1n)
    const second = someNoOp(0, { fees: eip1559(551n * gwei, 551n * gwei), recordedAtBlock: height - 9 })
    const open = [inFlight(0, [named, second], { ...canceled, payload: { ...somePayload, pricing } })]
    const again = signed({ relayer: withoutCeiling, open }, { market, head: headAt(height, { baseFee: gwei }) })
    expect(again && feeCap(again)).toBeGreaterThan(600n * gwei)
  })

  test('never forbids to outbid what we raised ourselves: the first no-op is signed', () => {
    const raised = someAttempt(0, { fees: eip1559(900n * gwei, 90n * gwei) })
    const fees = signed({ open: [inFlight(0, [raised], canceled)] }, { market: marketAt(gwei, { blocks: used }) })
    expect(fees && feeCap(fees)).toBeGreaterThanOrEqual(990n * gwei)
    const noOp = someNoOp(0, { fees: eip1559(991n * gwei, 100n * gwei), recordedAtBlock: height - 9 })
    const { decisions } = plan(
      { open: [inFlight(0, [raised, noOp], canceled)] },
      { market: marketAt(gwei, { blocks: used }) },
    )
    expect(decisions).toMatchObject([{ do: 'explain', condition: 'attempts_exhausted' }])
  })
})

describe('a tip that no miner takes', () => {
  const quiet = (changes: Partial<Market> = {}) =>
    marketAt(gwei, {
      tips: { safeLow: 1_000_000n, average: 1_500_000n, fast: 2_000_000n, fastest: 3_000_000n },
      blocks: { areUsed: false, haveRoom: true },
      ...changes,
    })
  const first: NonEmpty<Attempt> = [someAttempt(0, { fees: eip1559(2n * gwei, 1_500_000n) })]

  test('is raised within 20 blocks, once, to the price that the network takes', () => {
    for (const noOps of [false, true]) {
      const bids = ladderOf(first, () => quiet(), { blocks: 20, noOps, policy: { raisedTip: 3n * gwei } })
      const raised = bids.filter((fees) => tipOf(fees) >= 3n * gwei)
      expect(raised).toHaveLength(1)
      expect(raised.map(tipOf)).toEqual([3n * gwei])
    }
  })

  test('is raised to ten times what blocks paid while that is small, and to what a node suggests, where that is more, up to the ceiling', () => {
    const bids = (market: Partial<Market>) => ladderOf(first, () => quiet(market), { blocks: 20 }).map(tipOf)
    expect(bids({})).toEqual([15_000_000n])
    expect(bids({ suggestedTip: 9n * gwei })).toEqual([9n * gwei])
    expect(bids({ suggestedTip: 25n * gwei })).toEqual([10_015_000_000n])
  })

  // On a quiet chain the prices that blocks show are our own: ten times of them would be ten times as much each time.
  test('is not raised to a multiple of the paid or demanded price, beyond a small tip', () => {
    const paid = { safeLow: 3n * gwei, average: 3n * gwei, fast: 3n * gwei, fastest: 3n * gwei }
    for (const areUsed of [true, false]) {
      const market = () => quiet({ tips: paid, blocks: { areUsed, haveRoom: true } })
      const [raised] = ladderOf(first, market, { blocks: 13, policy: { raisedTip: 3n * gwei } }).slice(-1)
      expect(raised && tipOf(raised)).toBeLessThan(10n * gwei)
    }
  })

  test('stays where blocks have no room, where its client named it, and at its cap', () => {
    const full = { areUsed: true, haveRoom: false }
    const policy = { raisedTip: 3n * gwei }
    const bids = ladderOf(first, () => quiet({ blocks: full }), { blocks: 20, policy })
    expect(bids.every((fees) => tipOf(fees) < gwei)).toBe(true)
    const named = {
      ...somePayload,
      pricing: { kind: 'eip1559', maxFeePerGas: 2n * gwei, maxPriorityFeePerGas: 1n },
    } as const
    const late = { head: headAt(height + 20, { baseFee: gwei }), market: quiet() }
    expect(plan({ open: [inFlight(0, first, { payload: named })] }, late, policy).decisions).toMatchObject([
      { do: 'explain', condition: 'own_price' },
    ])
    const relayer = someRelayer({ policies: { ...somePolicies, gasPriceCap: 4n * gwei } })
    const fees = signed({ relayer, open: [inFlight(0, first)] }, late, policy)
    expect(fees).toEqual(eip1559(4n * gwei, 3n * gwei))
  })

  test('that a pool has named is what the next bid offers', () => {
    const rejected = someAttempt(0, {
      fees: eip1559(2n * gwei, 1_500_000n),
      recordedAtBlock: height - 1,
      broadcast: rejectedAlways(tooLow),
    })
    const tips = { safeLow: 25n * gwei, average: 25n * gwei, fast: 25n * gwei, fastest: 25n * gwei }
    const fees = signed({ open: [inFlight(0, [rejected])] }, { market: marketAt(gwei, { tips }) })
    expect(fees && tipOf(fees)).toBeGreaterThanOrEqual(25n * gwei)
  })

  test('is offered without a surcharge once the balance covers it, however many lower bids were rejected', () => {
    const poor = [1, 2, 3, 4, 5].map((each) =>
      someAttempt(0, {
        hash: hashOf(each),
        recordedAtBlock: height - 1,
        fees: eip1559(BigInt(each) * gwei, BigInt(each) * gwei),
        broadcast: rejectedAlways(tooLow),
      }),
    ) as unknown as NonEmpty<Attempt>
    const tips = { safeLow: 25n * gwei, average: 25n * gwei, fast: 25n * gwei, fastest: 25n * gwei }
    const fees = signed({ open: [inFlight(0, poor)] }, { market: marketAt(gwei, { tips }), balance: ether })
    expect(fees && tipOf(fees)).toBe(25n * gwei)
  })
})

describe('where gas is free', () => {
  const free: Market = {
    baseFee: 0n,
    tips: { safeLow: 0n, average: 0n, fast: 0n, fastest: 0n },
    gasPrice: 0n,
    suggestedTip: 0n,
    blocks: { areUsed: true, haveRoom: true },
  }
  const head = headAt(height + 5, { baseFee: 0n })
  const nothing = { ...somePayload, value: 0n }
  const ours = someAttempt(0, { fees: eip1559(0n, 0n) })

  test('an account without a balance sends at no price', () => {
    const waiting = [queued(1, { payload: nothing })]
    const { decisions } = plan({ queued: waiting }, { market: free, head, balance: 0n })
    expect(decisions).toMatchObject([{ do: 'assignNonce', fees: eip1559(0n, 0n) }])
  })

  test('it cancels with a no-op that offers nothing, too, once', () => {
    const race = [inFlight(0, [ours], { ...canceled, payload: nothing })]
    expect(signed({ open: race }, { market: free, head, balance: 0n })).toEqual(eip1559(0n, 0n))
    const noOp = someNoOp(0, { fees: eip1559(0n, 0n) })
    const raced = [inFlight(0, [ours, noOp], { ...canceled, payload: nothing })]
    expect(signed({ open: raced }, { market: free, head, balance: 0n })).toBeUndefined()
  })

  test('one with too little gas does not count, nor does a priced one that the account can never pay', () => {
    const short = someNoOp(0, { fees: eip1559(0n, 0n), gasLimit: 20_000, broadcast: rejectedAlways(insufficient) })
    const priced = someNoOp(0, {
      ...{ fees: eip1559(3n * gwei, 3n * gwei), recordedAtBlock: height, transactionId: ours.transactionId },
      broadcast: rejectedAlways(insufficient),
    })
    const raced = [inFlight(0, [ours, short, priced], { ...canceled, payload: nothing })]
    expect(signed({ open: raced }, { market: free, head, balance: 0n })).toEqual(eip1559(0n, 0n))
  })

  test('what it has sent stays in the pool, and is not priced anew', () => {
    const open = [inFlight(0, [ours], { payload: nothing })]
    expect(signed({ open }, { market: free, head, balance: 0n })).toBeUndefined()
  })
})

test('a payload that was mined and came back was in a pool, so the no-op outbids it', () => {
  const dear = someAttempt(0, { fees: eip1559(90n * gwei, 30n * gwei), broadcast: rejectedAlways(insufficient) })
  const other = someAttempt(0)
  const taken = mined(0, by(dear), [dear, other], canceled)
  const back = apply({ do: 'reopen', transaction: taken, why: 'reorganized' }, taken, undefined, now)
  const { decisions } = decide(someSituation({ open: [back] }, { rule: fields }))
  const [noOp] = decisions
  if (noOp?.do !== 'signNoOp') throw new Error(`${noOp?.do} instead of a no-op`)
  expect(feeCap(noOp.fees)).toBeGreaterThanOrEqual(99n * gwei)
  expect(tipOf(noOp.fees)).toBeGreaterThanOrEqual(33n * gwei)
})

describe('what one step signs together', () => {
  const reserve = 21_000n * 100n * gwei
  const relayer = someRelayer({ policies: { ...somePolicies, cancelReserve: reserve } })
  const overtaken = { market: marketAt(50n * gwei), head: headAt(height, { baseFee: 50n * gwei }), rule: fields }
  const stuck = (nonce: number) =>
    inFlight(nonce, [someAttempt(nonce, { fees: eip1559(20n * gwei, 2n * gwei), recordedAtBlock: height - 5 })])
  const promised = 21_000n * 20n * gwei + 1n
  // The market's price is 102 gwei, so a second raise needs 82 more.
  const oneRaise = 21_000n * 100n * gwei

  test('costs no more than the balance covers: the lowest nonce is raised, the next waits', () => {
    const open = [stuck(0), stuck(1), stuck(2)]
    const { decisions } = plan({ relayer, open }, { ...overtaken, balance: 3n * promised + reserve + oneRaise })
    const lasts = decisions.map((each) => [each.do, 'transaction' in each && each.transaction.id])
    expect(lasts).toContainEqual(['bump', open[0]?.id])
    expect(decisions.filter(({ do: what }) => what === 'bump')).toHaveLength(1)
    expect(decisions).toContainEqual(expect.objectContaining({ do: 'explain', condition: 'balance_short' }))
  })

  test('leaves the reserve, where a price is raised and a nonce assigned', () => {
    const work = { relayer, open: [stuck(0)], queued: [queued(1)], lastSequence: 1 }
    const whats = (balance: bigint) =>
      plan(work, { ...overtaken, pendingNonce: 1, balance: promised + reserve + balance }).decisions.map(
        (each) => each.do,
      )
    expect(whats(2n * oneRaise + ether)).toEqual(['bump', 'assignNonce'])
    expect(whats(oneRaise + 21_000n * 50n * gwei)).toEqual(['bump', 'explain'])
  })

  test('holds back no no-op: it may use the whole balance', () => {
    const race = inFlight(
      1,
      [someAttempt(1, { fees: eip1559(20n * gwei, 2n * gwei), recordedAtBlock: height - 5 })],
      canceled,
    )
    const { decisions } = plan(
      { relayer, open: [stuck(0), race] },
      { ...overtaken, balance: 2n * promised + reserve + oneRaise },
    )
    expect(decisions.map((each) => each.do)).toEqual(['bump', 'signNoOp'])
  })
})
