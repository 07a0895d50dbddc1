// The bound of a cancellation: no no-op costs more, and nothing else about the race changes.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cancel } from '../../../../src/domain/cancel.ts'
import { decide } from '../../../../src/domain/decide/decide.ts'
import type { Signing } from '../../../../src/domain/decide/plan/signing.ts'
import { bidWithin, isWithinBound, keepsBound } from '../../../../src/domain/decide/rules/cost-bound.ts'
import { presignedFor } from '../../../../src/domain/decide/signer/presign.ts'
import type { Fees } from '../../../../src/domain/fees.ts'
import { noOpCost } from '../../../../src/domain/no-op.ts'
import type { Observation } from '../../../../src/domain/observation.ts'
import type { NetworkPolicy } from '../../../../src/domain/relayer.ts'
import type { InPhase } from '../../../../src/domain/transaction.ts'
import { maxWei, minWei } from '../../../../src/domain/units.ts'
import {
  broadcastStates,
  by,
  canceled,
  eip1559,
  gwei,
  hashOf,
  height,
  inFlight,
  mined,
  now,
  queued,
  someAttempt,
  someMarket,
  someNoOp,
  somePolicies,
  somePolicy,
  someRelayer,
  someSituation,
} from '../../some.ts'

const gas = 21_000n
/** At the market: twice the base fee, and 4 gwei of tip. */
const ofNoOp = gas * 24n * gwei
const cheap = someAttempt(0, { fees: eip1559(gwei, gwei / 1000n) })
const bounded = (costMax: bigint) => ({ cancellation: { ...canceled.cancellation, costMax } })

function decided(
  transaction: InPhase<'inFlight'>,
  observed: Partial<Observation> = {},
  policy: NetworkPolicy = somePolicy,
) {
  return decide(someSituation({ open: [transaction] }, { market: someMarket, ...observed }, policy)).decisions
}

describe('the first no-op', () => {
  test('is signed at the market where its bound allows it', () => {
    const [first] = decided(inFlight(0, [cheap], bounded(ofNoOp)))
    expect(first).toMatchObject({ do: 'signNoOp', fees: eip1559(24n * gwei, 4n * gwei) })
  })

  test('is signed at less where that may be mined', () => {
    const [first] = decided(inFlight(0, [cheap], bounded(ofNoOp - 1n)))
    expect(first).toMatchObject({ do: 'signNoOp' })
    expect(first?.do === 'signNoOp' && noOpCost(first.gasLimit, first.fees, someMarket)).toBeLessThan(ofNoOp)
  })

  test('waits where the bound is below the base fee, with the share and the cost that is needed', () => {
    const costMax = gas * 9n * gwei
    expect(decided(inFlight(0, [cheap], bounded(costMax)))).toEqual([
      expect.objectContaining({ do: 'explain', condition: 'cost_bound', facts: { costMax, cost: 10n ** 15n } }),
    ])
  })

  test('pays for its data on L1 within the bound', () => {
    const market = { ...someMarket, noOpL1Fee: ofNoOp }
    const [first] = decided(inFlight(0, [cheap], bounded(2n * ofNoOp)), { market })
    expect(first).toMatchObject({ do: 'signNoOp', fees: eip1559(24n * gwei, 4n * gwei) })
    const [lower] = decided(inFlight(0, [cheap], bounded(2n * ofNoOp - gas)), { market })
    expect(lower).toMatchObject({ do: 'signNoOp', fees: eip1559(24n * gwei - 1n, 4n * gwei) })
    const [short] = decided(inFlight(0, [cheap], bounded(ofNoOp)), { market })
    expect(short).toMatchObject({ do: 'explain', condition: 'cost_bound' })
  })

  test('waits on a rollup whose fee for data on L1 nobody reports', () => {
    const rollup: NetworkPolicy = { ...somePolicy, profile: { ...somePolicy.profile, l1Fee: 'op_stack' } }
    expect(decided(inFlight(0, [cheap], bounded(2n * ofNoOp)), {}, rollup)).toEqual([
      expect.objectContaining({ do: 'explain', condition: 'facts_missing', facts: { fact: 'l1Fee' } }),
    ])
    // Without a bound it races all the same.
    expect(decided(inFlight(0, [cheap], canceled), {}, rollup)).toEqual([expect.objectContaining({ do: 'signNoOp' })])
  })

  test('waits where gas is free and its data on L1 is not', () => {
    const market = {
      ...someMarket,
      baseFee: 0n,
      gasPrice: 0n,
      tips: { safeLow: 0n, average: 0n, fast: 0n, fastest: 0n },
      noOpL1Fee: 7n,
    }
    const free = someAttempt(0, { fees: eip1559(0n, 0n) })
    const [first] = decided(inFlight(0, [free], bounded(6n)), { market, balance: 0n })
    expect(first).toMatchObject({ do: 'explain', condition: 'cost_bound' })
  })
})

test('a pre-signed no-op above the bound is not broadcast', () => {
  const noOp = { hash: hashOf(0x9001), nonce: 0, fees: eip1559(24n * gwei, 4n * gwei), gasLimit: 21_000, sealed: 'v1' }
  const late: Signing = {
    underWay: new Set(),
    failures: new Map(),
    late: new Set(['cancel']),
    outage: { code: 'unreachable', isPermanent: false, retryAt: now + 1 },
  } as never
  const of = (costMax: bigint, market = someMarket) => {
    const race = inFlight(0, [cheap], bounded(costMax))
    const relayer = someRelayer({ policies: { ...somePolicies, presignCancel: 1 } })
    return presignedFor(race, someSituation({ relayer, open: [race], presigned: [noOp], signing: late }, { market }))
  }
  expect(of(ofNoOp)).toBe(noOp)
  expect(of(ofNoOp - 1n)).toBeUndefined()
  expect(of(ofNoOp, { ...someMarket, noOpL1Fee: 1n })).toBeUndefined()
})

describe('the bound of an intent', () => {
  const sent = inFlight(0)

  test('is set by the cancellation, lifted by a plain one, and set anew by a later one, also lower', () => {
    const one = cancel(sent, now, 'request', 9n)
    expect(one.cancellation).toEqual({ origin: 'request', requestedAt: now, costMax: 9n })
    expect(cancel(one, now + 5, 'request', 9n)).toBe(one)
    expect(cancel(one, now + 5, 'request', 3n).cancellation).toEqual({ ...one.cancellation, costMax: 3n })
    const lifted = cancel(one, now + 5)
    expect(lifted).toEqual({ ...one, cancellation: { origin: 'request', requestedAt: now } })
    expect(cancel(lifted, now + 6)).toBe(lifted)
    expect(cancel(lifted, now + 6, 'request', 4n).cancellation).toMatchObject({ requestedAt: now, costMax: 4n })
  })

  test('is not what a deadline changes', () => {
    const one = cancel(sent, now, 'request', 9n)
    expect(cancel(one, now + 5, 'expiry')).toBe(one)
  })

  test('a transaction without a nonce has none, and an ended one keeps its own', () => {
    expect(cancel(queued(1), now, 'request', 9n).cancellation).toEqual({ origin: 'request', requestedAt: now })
    const unsent = inFlight(0, [someAttempt(0, { broadcast: broadcastStates.held })])
    const dropped = cancel(unsent, now, 'request', 9n)
    expect(dropped).toMatchObject({ lifecycle: { phase: 'dropped' }, cancellation: { costMax: 9n } })
    expect(cancel(dropped, now + 1)).toBe(dropped)
  })

  test('a given up payload that its client cancels has the bound of the cancellation', () => {
    const givenUp = { ...sent, cancellation: { origin: 'refusal' as const, requestedAt: now } }
    expect(cancel(givenUp, now + 1, 'request', 9n).cancellation).toEqual({
      origin: 'request',
      requestedAt: now + 1,
      costMax: 9n,
    })
  })

  test('a block that holds its no-op may be taken back, so its bound can still change', () => {
    const noOp = someNoOp(0)
    const won = mined(0, by(noOp), [someAttempt(0), noOp], bounded(9n))
    expect(cancel(won, now).cancellation).toEqual(canceled.cancellation)
  })
})

const anyFees: fc.Arbitrary<Fees> = fc
  .tuple(fc.bigInt(0n, 200n * gwei), fc.bigInt(0n, 200n * gwei))
  .map(([one, other]) => eip1559(maxWei(one, other), minWei(one, other)))
const anyRace = fc.record({
  payload: anyFees,
  noOps: fc.array(
    fc.tuple(anyFees, fc.constantFrom('sending', 'accepted', 'unknown', 'underpriced', 'held' as const)),
    {
      maxLength: 4,
    },
  ),
  waited: fc.nat({ max: 20 }),
  costMax: fc.bigInt(0n, gas * 400n * gwei),
  cap: fc.option(fc.bigInt(0n, 300n * gwei), { nil: undefined }),
  l1: fc.option(fc.bigInt(0n, gas * 100n * gwei), { nil: undefined }),
  baseFee: fc.bigInt(0n, 60n * gwei),
  balance: fc.option(fc.bigInt(0n, gas * 500n * gwei), { nil: undefined }),
  pool: fc.constantFrom('public', 'fcfs' as const),
})

test('for any race: no no-op is signed above its bound, and one that is cheap enough is signed as without a bound', () => {
  fc.assert(
    fc.property(anyRace, ({ payload, noOps, waited, costMax, cap, l1, baseFee, balance, pool }) => {
      const at = { recordedAt: now - 3_600_000, recordedAtBlock: height - waited }
      const attempts = noOps.map(([fees, state]) => someNoOp(0, { fees, broadcast: broadcastStates[state], ...at }))
      const policies = { ...somePolicies, ...(cap !== undefined && { cancelGasPriceCap: cap }) }
      const market = { ...someMarket, baseFee, gasPrice: baseFee, ...(l1 !== undefined && { noOpL1Fee: l1 }) }
      const policy = { ...somePolicy, profile: { ...somePolicy.profile, pool } }
      const signedOf = (changes: object) => {
        const race = inFlight(0, [someAttempt(0, { fees: payload, ...at }), ...attempts], changes)
        const [noOp] = decide(
          someSituation(
            { relayer: someRelayer({ policies }), open: [race] },
            { market, ...(balance !== undefined && { balance }) },
            policy,
          ),
        ).decisions.filter((each) => each.do === 'signNoOp')
        return noOp
      }
      const within = signedOf(bounded(costMax))
      if (within) expect(noOpCost(within.gasLimit, within.fees, market)).toBeLessThanOrEqual(costMax)
      const free = signedOf(canceled)
      if (free && noOpCost(free.gasLimit, free.fees, market) <= costMax) expect(within?.fees).toEqual(free.fees)
    }),
    { numRuns: 2_000 },
  )
})

test('without a bound a bid is the one that it is handed, and no price is above it', () => {
  const transaction = inFlight(0, [cheap], canceled)
  const bidder = {
    transaction,
    own: [],
    purpose: 'noOp',
    speed: 'fastest',
    gas: 21_000,
    cap: undefined,
    funds: undefined,
  } as const
  const bid = { kind: 'sign', fees: eip1559(10_000n * gwei, gwei) } as const
  expect(
    bidWithin(bidder, someMarket, somePolicy.profile, (given) =>
      given === bidder ? bid : { kind: 'repeat', attempt: cheap },
    ),
  ).toBe(bid)
  expect(isWithinBound(transaction, { gasLimit: 21_000, fees: bid.fees }, someMarket)).toBe(true)
  expect(keepsBound(transaction, transaction)).toBe(true)
})
