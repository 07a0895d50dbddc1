// The fees of a nonce's next attempt, for a stuck payload and for a no-op alike, or why none is signed now.
//
// A bid has to replace every attempt that a pool may hold for the nonce, and it has to pay a miner enough. It follows
// the market up to a multiple of it: if a chain accepts our bytes and mines nothing, we must not bid against ourselves.
// The bid first exceeds the fees that a client named and those of a foreign transaction, whatever that costs within the
// caps.
import { type Attempt, rejectionOf, wasAlwaysRejected, wasTaken } from '../../attempt.ts'
import {
  effectivePrice,
  escalatedFees,
  escalationMultiple,
  type Fees,
  feeCap,
  floorOver,
  higher,
  isDouble,
  lowered,
  type Market,
  tipOf,
  withTip,
} from '../../fees.ts'
import { isAboveCeiling, priceCeiling } from '../../price-ceiling.ts'
import type { NetworkPolicy } from '../../relayer.ts'
import type { InPhase } from '../../transaction.ts'
import { maxWei, type Wei } from '../../units.ts'
import { bidOnArrival, rivalsOf } from '../rules/arrival-order.ts'
import { overForeign, refusedOverForeign, withTipWithin } from '../rules/foreign-bids.ts'
import { raisedTip } from '../rules/raised-tip.ts'
import {
  affordablePrice,
  type Bid,
  type Bidder,
  type BidFacts,
  type BidRules,
  equalAttempt,
  isVainBelowBaseFee,
} from '../terms/bidder.ts'
import { attemptsMax, floorOf, rivalsInPools, usualFees } from '../terms/rivals.ts'

export function nextBid(bidder: Bidder, observation: BidFacts, market: Market, policy: BidRules): Bid {
  const onArrival = bidOnArrival(bidder, market, policy)
  if (onArrival) return onArrival
  const rivals = rivalsInPools(bidder.transaction)
  const bid = bidAbove(rivals, bidder, observation, market, policy)
  if (bid.kind !== 'wait' || bid.until === 'cap' || bid.until === 'double') return bid
  const likely = rivalsLikelyInPool(rivals, bidder.own.at(-1), observation.balance)
  if (likely.length === rivals.length) return bid
  const lower = bidAbove(likely, bidder, observation, market, policy)
  return lower.kind === 'wait' ? bid : lower
}

function bidAbove(
  rivals: readonly Attempt[],
  bidder: Bidder,
  observation: BidFacts,
  market: Market,
  policy: BidRules,
): Bid {
  const { transaction, own, speed, gas } = bidder
  const { attempts } = transaction.lifecycle
  const refused = refusedOverForeign(own)
  const floor = floorOf(rivals, market, observation.rule)
  const over = (fees: Fees) => (floor ? higher(floor, fees) : fees)
  const tries = own.filter((attempt) => !wasRejectedForFundsOrTip(attempt, market.tips[speed])).length
  const escalated = escalatedFees(market, { speed, tries, kind: attempts[0].fees.kind, refused })
  const tip = raisedTip(bidder, observation, market, policy)
  const wanted = tip === undefined ? escalated : withTip(escalated, tip, market)

  const cap = bidder.cap ?? bidCeiling(rivals, bidder, observation, market, policy)
  const affordable = affordablePrice(bidder)
  const isFundsLower = affordable !== undefined && affordable < cap
  const most = isFundsLower ? affordable : cap
  const offer = over(lowered(wanted, most))
  // On a chain where gas is free, a pool may also accept a no-op with a price of zero (Besu, zero base fee market).
  const hasOffered = own.some((attempt) => isFree(attempt.fees) && attempt.gasLimit >= gas)
  const offersNothing = isFree(escalated) && !hasOffered
  if (isFundsLower && feeCap(offer) > affordable && offersNothing) return { kind: 'sign', fees: escalated }

  const limited = isOwnEscalation(rivals, tip, bidder, market)
    ? withinLimit(offer, floor, referenceOf(bidder, observation, market), market)
    : offer
  if (!limited) return { kind: 'wait', until: 'market', wanted: over(wanted) }
  const fees = withTipWithin(cap, limited, bidder, rivals, market, observation)
  // The cost that a top-up has to cover.
  const needed = over(usualFees(bidder, market))
  const isShort = affordable !== undefined && feeCap(fees) > affordable
  if (isShort && isFundsLower) return { kind: 'wait', until: 'funds', wanted: needed }
  if (bidder.cap === undefined && isAboveCeiling(fees, cap, market))
    return { kind: 'wait', until: isExhausted(own, fees) ? 'double' : 'ceiling', wanted: fees }
  if (bidder.cap !== undefined && feeCap(fees) > cap) return { kind: 'wait', until: 'cap', wanted: over(wanted) }
  if (isShort) return { kind: 'wait', until: 'funds', wanted: needed }
  // A node would refuse this attempt for its fee cap, and the operator would not see that money is missing.
  if (isFundsLower && market.baseFee !== undefined && feeCap(fees) < market.baseFee) {
    return { kind: 'wait', until: 'funds', wanted: needed }
  }
  // The first at the cap is mined once the base fee falls. Until then no higher tip helps.
  if (bidder.cap !== undefined && isVainBelowBaseFee(bidder, fees, market))
    return { kind: 'wait', until: 'cap', wanted: over(wanted) }
  const signed = equalAttempt(bidder, fees)
  if (signed) return { kind: 'repeat', attempt: signed }
  return isExhausted(own, fees) ? { kind: 'wait', until: 'double', wanted: fees } : { kind: 'sign', fees }
}

/** Whether another bid would be against ourselves: a pool holds our last one, and nothing but our own escalation asks for more. */
function isOwnEscalation(
  rivals: readonly Attempt[],
  tip: Wei | undefined,
  { own }: Bidder,
  { baseFee }: Market,
): boolean {
  const latest = own.findLast((attempt) => rivals.includes(attempt))
  // First bid of this purpose in a pool: there is no own bid to outbid, only the other payload or a foreign transaction.
  if (!latest || refusedOverForeign(own)) return false
  const isBelowNextBaseFee = baseFee !== undefined && feeCap(latest.fees) < baseFee
  return !isBelowNextBaseFee && !(tip !== undefined && tipOf(latest.fees) < tip)
}

/** The least fees that replace every attempt that a pool may hold. Undefined if there is none to replace. */
export function floorFor(
  transaction: InPhase<'inFlight'>,
  market: Market,
  { rule }: Pick<BidFacts, 'rule'>,
  policy: Pick<NetworkPolicy, 'profile'>,
): Fees | undefined {
  return floorOf(rivalsOf(transaction, policy), market, rule)
}

/** Whether so many attempts are signed that only a doubled price is worth another. */
function isExhausted(own: readonly Attempt[], fees: Fees): boolean {
  const latest = own.at(-1)
  return latest !== undefined && own.length >= attemptsMax && !isDouble(fees, latest.fees)
}

/**
 * The attempts that a pool is likely to hold. If a node reports that the balance does not cover the newest, pools also
 * drop others that it does not cover (geth). A pool that accepted a lower bid holds no higher one. If a pool does hold
 * one, it rejects the lower bid, and the floor returns.
 */
function rivalsLikelyInPool(
  rivals: readonly Attempt[],
  latest: Attempt | undefined,
  balance: Wei | undefined,
): readonly Attempt[] {
  if (latest && rejectionOf(latest)?.code === 'insufficientFunds' && balance !== undefined) {
    return rivals.filter(({ gasLimit, fees }) => BigInt(gasLimit) * feeCap(fees) <= balance)
  }
  if (!latest || !wasTaken(latest)) return rivals
  return rivals.filter(({ fees }) => feeCap(fees) <= feeCap(latest.fees))
}

/** Whether the attempt failed for money, not for price. Then it does not count as a try, which would raise the next price. */
function wasRejectedForFundsOrTip(attempt: Attempt, marketTip: Wei): boolean {
  const code = rejectionOf(attempt)?.code
  if (code === 'feeTooLow' && wasAlwaysRejected(attempt)) return tipOf(attempt.fees) < marketTip
  return code === 'insufficientFunds'
}

/**
 * Our own escalation counts from the highest of three: the market's price, the lowest fees that replace a client's own,
 * and the fees that replaced a foreign transaction.
 */
function referenceOf(bidder: Bidder, { rule }: Pick<BidFacts, 'rule'>, market: Market): Fees {
  const named = namedBids(bidder.transaction).map((fees) => floorOver(fees, market, rule))
  return [...named, ...overForeign(bidder.own)].reduce(higher, usualFees(bidder, market))
}

/**
 * The offer, or the floor alone: the market's cap with the floor's tip may pay more than either. Undefined if the floor
 * itself is beyond the limit.
 */
function withinLimit(offer: Fees, floor: Fees | undefined, reference: Fees, market: Market): Fees | undefined {
  if (!floor) return offer
  if (isBeyond(floor, reference, market)) return undefined
  return isBeyond(offer, reference, market) ? floor : offer
}

/** Whether fees exceed the limit by their cap or by their price. A bid that is mostly tip exceeds it by its price first. */
function isBeyond(fees: Fees, reference: Fees, { baseFee }: Market): boolean {
  return (
    feeCap(fees) > escalationMultiple * feeCap(reference) ||
    effectivePrice(fees, baseFee) > escalationMultiple * effectivePrice(reference, baseFee)
  )
}

/** The first attempt of each payload whose fees the client named. */
function namedBids({ payload, earlier, lifecycle }: InPhase<'inFlight'>): readonly Fees[] {
  return [...(earlier ?? []), payload].flatMap(({ pricing }, index) => {
    if (pricing.kind === 'speed') return []
    const first = lifecycle.attempts.find(({ kind, revision = 0 }) => kind !== 'cancel' && revision === index)
    return first ? [first.fees] : []
  })
}

function isFree(fees: Fees): boolean {
  return feeCap(fees) === 0n
}

/**
 * The most that a bid offers where no policy sets a cap: the ceiling of prices. The least price that replaces another contender's live
 * attempts counts if it is higher, as it is no node's claim.
 */
function bidCeiling(
  rivals: readonly Attempt[],
  { own, speed, purpose }: Bidder,
  { rule }: Pick<BidFacts, 'rule'>,
  market: Market,
  { profile }: BidRules,
): Wei {
  const ceiling = priceCeiling(market, speed, purpose, profile)
  const others = rivals.filter((rival) => !own.includes(rival))
  const floor = floorOf(others, market, rule)
  // The tip of that price counts, and not its fee cap: a client that named a high cap must not raise the ceiling of our tips.
  return floor ? maxWei(ceiling, effectivePrice(floor, market.baseFee)) : ceiling
}
