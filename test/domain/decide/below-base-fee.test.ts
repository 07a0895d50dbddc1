// A nonce whose newest attempt is below the next base fee, and whose limit allows no more: one attempt at the limit, and a wait that says so.
import { describe, expect, test } from 'vitest'
import type { Attempt } from '../../../src/domain/attempt.ts'
import { decide } from '../../../src/domain/decide/decide.ts'
import { type Fees, feeCap } from '../../../src/domain/fees.ts'
import type { NonEmpty } from '../../../src/domain/ids.ts'
import type { Observation } from '../../../src/domain/observation.ts'
import type { Policies } from '../../../src/domain/policy-table.ts'
import type { Transaction } from '../../../src/domain/transaction.ts'
import {
  answered,
  canceled,
  eip1559,
  gwei,
  headAt,
  height,
  inFlight,
  now,
  someAttempt,
  someMarket,
  someNoOp,
  somePayload,
  somePolicies,
  someRelayer,
  someSituation,
} from '../some.ts'

const caps = { gasPriceCap: 3n * gwei, cancelGasPriceCap: 3n * gwei }
const first = someAttempt(0, { fees: eip1559((26n * gwei) / 10n, gwei / 100n), recordedAtBlock: height })
const outcome = { kind: 'rejected', code: 'feeTooLow', message: 'max fee per gas less than block base fee' } as const
const belowBaseFee = { ...answered(outcome), rejections: 'all' } as const
const own = { ...somePayload, pricing: { kind: 'eip1559', maxFeePerGas: gwei, maxPriorityFeePerGas: 1n } as const }

interface Run {
  readonly baseFee: bigint
  readonly blocks: number
  readonly attempts?: NonEmpty<Attempt>
  readonly changes?: Partial<Transaction>
  readonly policies?: Partial<Policies>
  readonly refused?: boolean
}

/** Decides block after block at this base fee, with each signed attempt on record. Returns the signed fees, and the conditions of each block. */
function run({ baseFee, blocks, attempts = [first], changes = {}, policies = caps, refused = false }: Run) {
  const relayer = someRelayer({ policies: { ...somePolicies, ...policies } })
  const tips = { safeLow: gwei / 100n, average: gwei / 100n, fast: gwei / 100n, fastest: gwei / 100n }
  const newest = { areUsed: true, haveRoom: true }
  const market = { ...someMarket, baseFee, tips, gasPrice: baseFee + gwei / 100n, blocks: newest }
  const bids: Fees[] = []
  const conditions: string[] = []
  let known = attempts
  for (let block = 1; block <= blocks; block += 1) {
    const head = headAt(height + block, { baseFee })
    const open = [inFlight(0, known, changes)]
    const observed: Partial<Observation> = { head, market }
    const plan = decide(someSituation({ open, relayer }, observed, {}, now + block * 12_000))
    conditions.push(plan.conditions.join())
    for (const each of plan.decisions) {
      if (!('fees' in each)) continue
      bids.push(each.fees)
      const signed = { fees: each.fees, recordedAtBlock: head.number, recordedAt: now + block * 12_000 }
      const make = each.do === 'signNoOp' ? someNoOp : someAttempt
      known = [...known, make(0, { ...signed, ...(refused && { broadcast: belowBaseFee }) })]
    }
  }
  return { bids, conditions: [...new Set(conditions)] }
}

describe('below the next base fee', () => {
  test('without a cap a bid pays it, also where a dearer one before is in no pool', () => {
    const isFull = {
      ...answered({ kind: 'rejected', code: 'poolFull', message: 'txpool is full' }),
      rejections: 'all',
    } as const
    const cheap = someNoOp(0, { fees: eip1559(3n * gwei, gwei), recordedAtBlock: height })
    const dear = someNoOp(0, { fees: eip1559(300n * gwei, 300n * gwei), recordedAtBlock: height, broadcast: isFull })
    const { bids } = run({
      baseFee: 30n * gwei,
      blocks: 4,
      attempts: [first, cheap, dear],
      changes: canceled,
      policies: {},
    })
    expect(bids.every((fees) => feeCap(fees) >= 30n * gwei)).toBe(true)
    expect(bids).not.toEqual([])
  })

  test.each([{ refused: true }, { refused: false }])(
    'a payload gets one attempt at its cap: $refused',
    ({ refused }) => {
      const { bids, conditions } = run({ baseFee: 30n * gwei, blocks: 100, refused })
      expect(bids.map(feeCap)).toEqual([3n * gwei])
      expect(conditions).toEqual(['gas_price_cap'])
    },
  )

  test.each([{ refused: true }, { refused: false }])(
    'a race gets one no-op, which displaces the payload, and another only for a higher fee cap: $refused',
    ({ refused }) => {
      const race = { baseFee: 30n * gwei, blocks: 100, changes: canceled, refused }
      const { bids, conditions } = run(race)
      expect(bids.map(feeCap)).toEqual([3n * gwei])
      expect(conditions).toEqual(['cancel_gas_price_cap'])
      // The first no-op was signed when the base fee was lower.
      const low = someNoOp(0, { fees: eip1559((29n * gwei) / 10n, gwei / 5n), recordedAtBlock: height })
      expect(run({ ...race, attempts: [first, low] }).bids.length).toBeLessThanOrEqual(1)
    },
  )

  test('a price of the client’s own is explained in each block', () => {
    const named = someAttempt(0, { fees: eip1559(gwei, 1n), recordedAtBlock: height })
    const { bids, conditions } = run({ baseFee: 30n * gwei, blocks: 9, attempts: [named], changes: { payload: own } })
    expect({ bids, conditions }).toEqual({ bids: [], conditions: ['own_price'] })
  })
})

describe('bytes that a pool refuses below the base fee', () => {
  const refused = someAttempt(0, {
    ...{ fees: eip1559(gwei, 1n), recordedAtBlock: height },
    broadcast: { state: 'handed', outcome, at: now, rejections: 'all' },
  })
  const repeatsAfter = (ms: number, baseFee: bigint, next = baseFee) => {
    const open = [inFlight(0, [refused], { payload: own })]
    const observed = { head: headAt(height + 1, { baseFee }), market: { ...someMarket, baseFee: next } }
    const { decisions } = decide(someSituation({ open }, observed, {}, now + ms))
    return decisions.filter((each) => each.do === 'rebroadcast').length
  }

  test('are repeated as seldom as those that a pool holds', () => {
    expect(repeatsAfter(6_000, 30n * gwei)).toBe(0)
    expect(repeatsAfter(60_000, 30n * gwei)).toBe(1)
  })

  test.each([
    { head: 30n * gwei, next: gwei / 2n },
    { head: gwei / 2n, next: 30n * gwei },
    { head: gwei / 2n, next: gwei / 2n },
  ])('are repeated soon once the head or the next block may take them: $head, $next', ({ head, next }) => {
    expect(repeatsAfter(6_000, head, next)).toBe(1)
  })
})

test('within the cap a payload below the base fee bids once its patience has passed, and shows no condition', () => {
  const { bids, conditions } = run({ baseFee: (28n * gwei) / 10n, blocks: 9 })
  expect(bids.map(feeCap)).toEqual([3n * gwei])
  expect(conditions[0]).toBe('')
})
