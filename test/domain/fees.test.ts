// Prices: every pool takes what we price over everything it may hold, caps hold, and trying harder never pays less.
import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Attempt } from '../../src/domain/attempt.ts'
import { nextBid } from '../../src/domain/decide/race/bid.ts'
import type { Bid } from '../../src/domain/decide/terms/bidder.ts'
import { attemptsMax } from '../../src/domain/decide/terms/rivals.ts'
import {
  type Fees,
  feeCap,
  firstFees,
  type Market,
  marketFees,
  type ReplacementRule,
  replacementFloor,
  type Speed,
  speeds,
  strictestRule,
  tipOf,
} from '../../src/domain/fees.ts'
import { transferGas } from '../../src/domain/gas-figures.ts'
import type { NonEmpty } from '../../src/domain/ids.ts'
import { anyMarket, anyPoolFees } from './any.ts'
import { baseFeeRange, everyRule, fieldRules, type PoolRule } from './pool-rules.ts'
import {
  canceled,
  eip1559,
  gwei,
  inFlight,
  now,
  someAttempt,
  someMarket,
  someNoOp,
  someObservation,
  somePolicy,
} from './some.ts'

const fields: ReplacementRule = { measure: 'fields', percent: 10n }

/** Up to four attempts of one nonce: of one type family, as the nonce's attempts always are. */
const anyRivals = fc
  .array(anyPoolFees, { minLength: 1, maxLength: 4 })
  .map(([first, ...rest]) => [first as Fees, ...rest.filter(({ kind }) => kind === first?.kind)])
  .map((fees) => fees.map((each) => someAttempt(5, { fees: each })) as unknown as NonEmpty<Attempt>)

const anyCase = fc.record({
  rivals: anyRivals,
  market: anyMarket,
  speed: fc.constantFrom(...speeds),
  tries: fc.nat({ max: 70 }),
})

const rejectedAlways = (code: 'feeTooLow' | 'replacementUnderpriced') =>
  ({ state: 'handed', outcome: { kind: 'rejected', code, message: code }, at: now, rejections: 'all' }) as const

interface Trial {
  readonly speed: Speed
  /** No-ops of before that no pool took, for next to nothing: tries, and no rivals. */
  readonly tries?: number
  readonly rule: ReplacementRule
  readonly cap?: bigint
}

/** Of the next no-op over what pools hold of its nonce. */
function bidAbove(rivals: NonEmpty<Attempt>, market: Market, { speed, tries = 0, rule, cap }: Trial): Bid {
  const nothing: Fees = rivals[0].fees.kind === 'legacy' ? { kind: 'legacy', gasPrice: 0n } : eip1559(0n, 0n)
  const broadcast = rejectedAlways('feeTooLow')
  const own = Array.from({ length: tries }, () => someNoOp(5, { fees: nothing, broadcast }))
  const transaction = inFlight(5, [...rivals, ...own], canceled)
  const bidder = { transaction, own, purpose: 'noOp', speed, gas: transferGas, cap, funds: undefined } as const
  return nextBid(bidder, { ...someObservation({ rule, market }), now: 0 }, market, somePolicy)
}

/** Without a cap the first is always signed, and later ones unless the rivals are beyond the limit of our own escalation. */
function signedOver(rivals: NonEmpty<Attempt>, market: Market, trial: Trial): Fees | undefined {
  const bid = bidAbove(rivals, market, trial)
  if (bid.kind === 'sign') return bid.fees
  if (bid.kind === 'wait' && bid.until === 'market' && trial.tries) return undefined
  throw new Error(`not signed: ${inspect(bid)}`)
}

/** Explained only where a pool refuses: there are many. */
function expectTaken(rules: Record<string, PoolRule>, rivals: readonly Attempt[], next: Fees, baseFee: bigint): void {
  for (const [client, takes] of Object.entries(rules)) {
    for (const { fees } of rivals) {
      if (!takes(fees, next, baseFee))
        throw new Error(`${client}, base fee ${baseFee}: ${inspect({ old: fees, next })}`)
    }
  }
}

function expectSound(next: Fees, rivals: NonEmpty<Attempt>): void {
  if (next.kind !== rivals[0].fees.kind) throw new Error(`${next.kind} in the place of ${rivals[0].fees.kind}`)
  if (tipOf(next) > feeCap(next)) throw new Error(`a tip above its cap: ${inspect(next)}`)
}

describe('a replacement is taken over every live attempt of its nonce', () => {
  test('by each client that compares fields', () => {
    fc.assert(
      fc.property(anyCase, ({ rivals, market, speed, tries }) => {
        const next = signedOver(rivals, market, { speed, tries, rule: fields })
        if (!next) return
        expectTaken(fieldRules, rivals, next, market.baseFee)
        expectSound(next, rivals)
      }),
      { numRuns: 2_000 },
    )
  })

  test('by every client under the strictest rule, also where the base fee has moved two blocks since', () => {
    const anyMove = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(anyCase, anyMove, ({ rivals, market, speed, tries }, move) => {
        const next = signedOver(rivals, market, { speed, tries, rule: strictestRule })
        if (!next) return
        const [low, high] = baseFeeRange(market.baseFee, 2)
        const between = low + ((high - low) * BigInt(Math.round(move * 1_000))) / 1_000n
        // Where a rival's cap begins to bind, its effective price is hardest to beat.
        const bends = rivals.map(({ fees }) => feeCap(fees) - tipOf(fees)).filter((bend) => bend >= low && bend <= high)
        for (const baseFee of [low, market.baseFee, between, high, ...bends]) {
          expectTaken(everyRule, rivals, next, baseFee)
        }
        expectSound(next, rivals)
      }),
      { numRuns: 3_000 },
    )
  })

  test('the floor alone is enough: any price above it is for the market', () => {
    fc.assert(
      fc.property(anyRivals, anyMarket, (rivals, market) => {
        expectTaken(fieldRules, rivals, replacementFloor(rivals, market, fields), market.baseFee)
        for (const baseFee of baseFeeRange(market.baseFee, 2)) {
          expectTaken(everyRule, rivals, replacementFloor(rivals, market, strictestRule), baseFee)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test('by Besu, whose effective price hangs on the base fee, where that falls after the no-op was priced', () => {
    const rival = someAttempt(5, { fees: eip1559(100n, 20n) })
    const market = { ...someMarket, baseFee: 100n, tips: { safeLow: 1n, average: 1n, fast: 1n, fastest: 1n } }
    expectTaken({ besu: everyRule.besu }, [rival], replacementFloor([rival], market, strictestRule), 87n)
  })
})

describe('the cap', () => {
  test('is never passed: the price stays within it, or the next bid waits for it', () => {
    fc.assert(
      fc.property(anyCase, fc.bigInt({ min: 0n, max: 3n * 10n ** 13n }), (given, cap) => {
        const { rivals, market, speed, tries } = given
        for (const rule of [fields, strictestRule]) {
          const floor = replacementFloor(rivals, market, rule)
          for (const each of [0, tries]) {
            const bid = bidAbove(rivals, market, { speed, tries: each, rule, cap })
            if (bid.kind === 'wait' && bid.until === 'market' && each > 0) continue
            expect(bid).toMatchObject(feeCap(floor) > cap ? { kind: 'wait', until: 'cap' } : { kind: 'sign' })
            if (bid.kind !== 'sign') continue
            expect(feeCap(bid.fees) <= cap).toBe(true)
            expectTaken(rule === fields ? fieldRules : everyRule, rivals, bid.fees, market.baseFee)
          }
        }
      }),
      { numRuns: 1_000 },
    )
  })

  test('of a first price lowers it, and forbids it only below the base fee', () => {
    fc.assert(
      fc.property(anyMarket, fc.constantFrom(...speeds), fc.boolean(), anyMarket, (market, speed, typed, other) => {
        const cap = other.baseFee
        const fees = firstFees({ kind: 'speed', speed }, market, typed, cap)
        if (!fees) expect(cap < market.baseFee).toBe(true)
        else {
          expect(feeCap(fees) <= cap).toBe(true)
          expect(feeCap(fees) >= market.baseFee).toBe(true)
          expect(tipOf(fees) <= feeCap(fees)).toBe(true)
          expect(fees.kind).toBe(typed ? 'eip1559' : 'legacy')
        }
      }),
    )
  })
})

test('trying harder never pays less, and ends at ten times the market', () => {
  fc.assert(
    fc.property(anyCase, fc.constantFrom(fields, strictestRule), ({ rivals, market, speed, tries }, rule) => {
      const [first, second] = [tries, tries + 1].map((each) => signedOver(rivals, market, { speed, tries: each, rule }))
      if (!first || !second) return
      expect(feeCap(second) >= feeCap(first)).toBe(true)
      expect(tipOf(second) >= tipOf(first)).toBe(true)
      const market1 = marketFees(market, speed, first.kind === 'eip1559')
      const floor = replacementFloor(rivals, market, rule)
      expect(feeCap(second) <= (feeCap(floor) > 10n * feeCap(market1) ? feeCap(floor) : 10n * feeCap(market1))).toBe(
        true,
      )
    }),
  )
})

test('a ladder of replacements, each over all before it, is taken step by step', () => {
  fc.assert(
    fc.property(
      anyMarket,
      fc.array(anyMarket, { maxLength: 12 }),
      fc.constantFrom(...speeds),
      (market, later, speed) => {
        const first = firstFees({ kind: 'speed', speed }, market, true, undefined)
        if (!first) throw new Error('refused without a cap')
        let ladder: NonEmpty<Attempt> = [someAttempt(5, { fees: first })]
        for (const then of later) {
          const own = ladder.slice(1)
          const transaction = inFlight(5, ladder, canceled)
          const bidder = { transaction, own, purpose: 'noOp', speed, gas: transferGas, cap: undefined } as const
          const observation = someObservation({ rule: strictestRule, market: then })
          const bid = nextBid({ ...bidder, funds: undefined }, { ...observation, now: 0 }, then, somePolicy)
          if (bid.kind === 'wait' && (bid.until === 'market' || bid.until === 'ceiling') && own.length > 0) continue
          if (bid.kind !== 'sign') throw new Error(`not signed: ${inspect(bid)}`)
          expectTaken(everyRule, ladder, bid.fees, then.baseFee)
          ladder = [...ladder, someNoOp(5, { fees: bid.fees })]
        }
      },
    ),
  )
})

describe('a foreign transaction that nobody mines', () => {
  /** Its cap lies below the base fee, and it may tip all of that. */
  const anyForeign = fc
    .tuple(anyMarket, fc.bigInt({ min: 0n, max: 10n ** 13n }), fc.bigInt({ min: 0n, max: 10n ** 13n }))
    .filter(([{ baseFee }]) => baseFee > 1n)
    .map(([market, one, other]) => {
      const maxFeePerGas = one % market.baseFee
      return { market, foreign: eip1559(maxFeePerGas, other % (maxFeePerGas + 1n)) }
    })

  /** An operator's cap replaces the ceiling of prices. */
  const noCeiling = 10n ** 30n

  /** Prices until a pool takes one over the foreign transaction’s. */
  function outbid(market: Market, foreign: Fees, first: Fees, takes: PoolRule, rule: ReplacementRule, cap: bigint) {
    const broadcast = rejectedAlways('replacementUnderpriced')
    let ladder: NonEmpty<Attempt> = [someAttempt(5, { fees: first, broadcast })]
    while (ladder.length <= attemptsMax) {
      const transaction = inFlight(5, ladder)
      const bidder = { transaction, own: ladder, purpose: 'payload', speed: 'fastest', gas: 21_000, cap } as const
      const observation = someObservation({ rule, market })
      const bid = nextBid({ ...bidder, funds: undefined }, { ...observation, now: 0 }, market, somePolicy)
      if (bid.kind === 'wait' && bid.until === 'cap') return { ladder, capped: true }
      if (bid.kind !== 'sign') return { ladder }
      const next = bid.fees
      expectSound(next, ladder)
      expectTaken(rule === fields ? fieldRules : everyRule, ladder, next, market.baseFee ?? 0n)
      ladder = [...ladder, someAttempt(5, { fees: next, broadcast })]
      if (takes(foreign, next, market.baseFee ?? 0n)) return { ladder, paid: next }
    }
    return { ladder }
  }

  test('is outbid on every client long before the tries are spent, at no more than three base fees or ten markets', () => {
    fc.assert(
      fc.property(anyForeign, fc.constantFrom(...Object.entries(everyRule)), ({ market, foreign }, [client, takes]) => {
        const rule = client === 'besu' ? strictestRule : fields
        for (const typed of [true, false]) {
          const first = marketFees(market, 'average', typed)
          const { paid } = outbid(market, foreign, first, takes, rule, noCeiling)
          if (!paid) throw new Error(`${client} still prefers ${inspect(foreign)} at ${inspect(market)}`)
          const fair = [3n * market.baseFee, 11n * tipOf(marketFees(market, 'fastest', typed)), 11n * tipOf(first)]
          expect(tipOf(paid) <= fair.reduce((most, wei) => (wei > most ? wei : most), 100n)).toBe(true)
        }
      }),
      { numRuns: 1_000 },
    )
  })

  test('never leads above the cap: the cap ends it, and not the count', () => {
    fc.assert(
      fc.property(anyForeign, fc.bigInt({ min: 1n, max: 10n ** 13n }), ({ market, foreign }, cap) => {
        const first = marketFees(market, 'average', true)
        const { ladder, paid, capped } = outbid(market, foreign, first, everyRule.besu, strictestRule, cap)
        for (const { fees } of ladder.slice(1)) expect(feeCap(fees) <= cap).toBe(true)
        expect(paid !== undefined || capped === true).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})

describe('a first price', () => {
  test('is the client’s own where it named one, and of the kind it named', () => {
    expect(firstFees({ kind: 'legacy', gasPrice: 7n }, someMarket, true, undefined)).toEqual({
      kind: 'legacy',
      gasPrice: 7n,
    })
    const own = eip1559(9n, 3n)
    if (own.kind !== 'eip1559') throw new Error('not typed')
    expect(firstFees(own, someMarket, false, undefined)).toEqual(own)
    expect(firstFees(own, someMarket, true, 8n)).toBeUndefined()
  })

  test('is two base fees and the tip of its speed', () => {
    expect(marketFees(someMarket, 'fast', true)).toEqual(eip1559(23n * gwei, 3n * gwei))
    expect(marketFees(someMarket, 'fast', false)).toEqual({ kind: 'legacy', gasPrice: 13n * gwei })
  })

  test('is legacy on a chain without a base fee, for every request', () => {
    const { baseFee: _, ...old } = someMarket
    expect(marketFees(old, 'average', true)).toEqual({ kind: 'legacy', gasPrice: 12n * gwei })
  })
})
