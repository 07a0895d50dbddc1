// What the next attempt of a nonce bids, for a stuck payload as for a no-op, or why none is signed now.
//
// A bid has to replace what a pool may hold of the nonce, and it has to be worth a miner's while. It follows the market up
// to a multiple of it: a chain that takes our bytes and mines nothing must not lead us to bid against ourselves. What a
// client named, and what a foreign transaction bids, is outbid first, whatever that takes within the caps.
import { type Attempt, mayBeKnown, rejectionOf, wasAlwaysRejected, wasTaken } from '../attempt.ts'
import {
  escalatedFees,
  escalationMultiple,
  type Fees,
  feeCap,
  floorOver,
  higher,
  isDouble,
  isSame,
  lowered,
  type Market,
  marketFees,
  multiplied,
  replacementFloor,
  type Speed,
  tipOf,
  withTip,
} from '../fees.ts'
import { isNonEmpty } from '../ids.ts'
import type { Observation } from '../observation.ts'
import type { NetworkPolicy } from '../relayer.ts'
import type { InPhase } from '../transaction.ts'
import { type Gas, maxWei, minWei, type Wei } from '../units.ts'

export interface Bidder {
  readonly transaction: InPhase<'inFlight'>
  /** The attempts of the same purpose, oldest first: the payload's, or the no-ops. */
  readonly own: readonly Attempt[]
  readonly speed: Speed
  readonly gas: Gas
  /** The most per gas that a policy allows. */
  readonly cap: Wei | undefined
  /** What the account can pay for gas. Absent: the balance was not asked for. */
  readonly funds: Wei | undefined
}

export type Bid =
  | { readonly kind: 'sign'; readonly fees: Fees }
  /** The same bytes were signed before. */
  | { readonly kind: 'repeat'; readonly attempt: Attempt }
  /** `wanted`: what would be paid if it were not for that; where funds are short, the least that would do. */
  | { readonly kind: 'wait'; readonly until: 'cap' | 'funds' | 'market' | 'double'; readonly wanted: Fees }

/**
 * Attempts for one nonce, of one purpose: at a quarter more each, far beyond any market. Beyond them only what doubles the
 * price is tried: the count keeps rows few, and never keeps a price from what the cap allows.
 */
export const attemptsMax = 64

/** Per gas: a transfer that pays it costs some hundred-thousandths of an ether. */
const smallTip = 3_000_000_000n

/** The nonce was next for so long, in blocks, while others had room: then the tip is raised to what no miner disdains. */
export const raisedTipAfterBlocks = 12

export function nextBid(
  bidder: Bidder,
  observation: Observation,
  market: Market,
  policy: Pick<NetworkPolicy, 'raisedTip'>,
): Bid {
  const rivals = rivalsOf(bidder.transaction.lifecycle.attempts)
  const bid = bidOver(rivals, bidder, observation, market, policy)
  if (bid.kind !== 'wait' || bid.until === 'cap' || bid.until === 'double') return bid
  const likely = likelyHeld(rivals, bidder.own.at(-1), observation.balance)
  if (likely.length === rivals.length) return bid
  const lower = bidOver(likely, bidder, observation, market, policy)
  return lower.kind === 'wait' ? bid : lower
}

function bidOver(
  rivals: readonly Attempt[],
  bidder: Bidder,
  observation: Observation,
  market: Market,
  policy: Pick<NetworkPolicy, 'raisedTip'>,
): Bid {
  const { transaction, own, speed, gas, cap, funds } = bidder
  const { attempts } = transaction.lifecycle
  const latest = own.at(-1)
  const refused = latest && refusedOverForeign(latest)
  const floor = isNonEmpty(rivals) ? replacementFloor(rivals, market, observation.rule) : undefined
  const over = (fees: Fees) => (floor ? higher(floor, fees) : fees)
  // What could not be paid for had no chance, so that a higher price is no answer to it.
  const tries = own.filter((attempt) => rejectionOf(attempt)?.code !== 'insufficientFunds').length
  const escalated = escalatedFees(market, { speed, tries, kind: attempts[0].fees.kind, refused })
  const tip = raisedTip(bidder, observation, market, policy)
  const wanted = tip === undefined ? escalated : withTip(escalated, tip, market)

  const affordable = funds === undefined ? undefined : funds < 0n ? 0n : funds / BigInt(gas)
  const isFundsLower = affordable !== undefined && (cap === undefined || affordable < cap)
  const most = isFundsLower ? affordable : cap
  const fees = over(lowered(wanted, most))
  // On a chain where gas is free a pool may take a no-op that offers nothing, too (Besu, zero base fee market).
  const offersNothing = isFree(escalated) && !own.some((attempt) => isFree(attempt.fees))
  if (isFundsLower && feeCap(fees) > affordable && offersNothing) return { kind: 'sign', fees: escalated }

  const isFirst = latest === undefined || refused !== undefined
  const isOutpaced = latest !== undefined && market.baseFee !== undefined && feeCap(latest.fees) < market.baseFee
  const raisesTip = latest !== undefined && tip !== undefined && tipOf(latest.fees) < tip
  if (floor && !isFirst && !isOutpaced && !raisesTip) {
    const limit = limitOf(bidder, observation, market)
    if (feeCap(floor) > feeCap(limit)) return { kind: 'wait', until: 'market', wanted: over(wanted) }
  }
  // What the balance has to be topped up to.
  const needed = over(marketFees(market, speed, attempts[0].fees.kind === 'eip1559'))
  if (most !== undefined && feeCap(fees) > most) {
    if (isFundsLower) return { kind: 'wait', until: 'funds', wanted: needed }
    return { kind: 'wait', until: 'cap', wanted: over(wanted) }
  }
  // It would only be too low in another way.
  if (isFundsLower && market.baseFee !== undefined && feeCap(fees) < market.baseFee) {
    return { kind: 'wait', until: 'funds', wanted: needed }
  }
  const signed = own.find((attempt) => isSame(attempt.fees, fees) && attempt.revision === latest?.revision)
  if (signed) return { kind: 'repeat', attempt: signed }
  if (latest && own.length >= attemptsMax && !isDouble(fees, latest.fees)) {
    return { kind: 'wait', until: 'double', wanted: fees }
  }
  return { kind: 'sign', fees }
}

/**
 * What a pool may hold of the nonce. What every node rejected is in none, so that it sets no floor; but where a pool
 * prefers something to our last bid, it may be just that.
 */
export function rivalsOf(attempts: readonly Attempt[]): readonly Attempt[] {
  const known = attempts.filter(mayBeKnown)
  const last = known.at(-1)
  if (last && rejectionOf(last)?.code === 'replacementUnderpriced') return known
  return known.filter((attempt) => !wasAlwaysRejected(attempt))
}

/**
 * Of what a pool may hold, what is likely there. Where a node says that the balance does not cover the newest, pools drop
 * what it does not cover either (geth); and one that took a lower bid holds no dearer one. A pool that does hold one
 * prefers it: then the floor returns.
 */
function likelyHeld(
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

/** What we price outbids all that is ours, so what a pool prefers to it is a foreign transaction. */
function refusedOverForeign(latest: Attempt): Fees | undefined {
  return rejectionOf(latest)?.code === 'replacementUnderpriced' ? latest.fees : undefined
}

/**
 * Where our own escalation ends. It counts from the market's price, or from the least that replaces what a client named, or
 * from what took the place of a foreign transaction, whichever is most.
 */
function limitOf({ transaction, own, speed }: Bidder, { rule }: Observation, market: Market): Fees {
  const { attempts } = transaction.lifecycle
  const price = marketFees(market, speed, attempts[0].fees.kind === 'eip1559')
  const named = namedBids(transaction).map((fees) => floorOver(fees, market, rule))
  return multiplied([...named, ...overForeign(own)].reduce(higher, price), escalationMultiple)
}

/** The first attempt of each payload whose price the client named itself. */
function namedBids({ payload, earlier, lifecycle }: InPhase<'inFlight'>): readonly Fees[] {
  return [...(earlier ?? []), payload].flatMap(({ pricing }, index) => {
    if (pricing.kind === 'speed') return []
    const first = lifecycle.attempts.find(({ kind, revision = 0 }) => kind !== 'cancel' && revision === index)
    return first ? [first.fees] : []
  })
}

/** The first bid after the last one that a pool rejected for the sake of a foreign transaction. */
function overForeign(own: readonly Attempt[]): readonly Fees[] {
  const lost = own.findLastIndex((attempt) => refusedOverForeign(attempt) !== undefined)
  const next = lost < 0 ? undefined : own[lost + 1]
  return next ? [next.fees] : []
}

/**
 * A builder may leave out what tips too little, and say so nowhere (geth `--miner.gasprice`). Undefined as long as the
 * nonce is not next, has not waited for long, or blocks have no room anyway. Ten times what blocks paid counts only as far
 * as it is small: where blocks hold little but our own transactions, each of those would pay ten times the one before.
 */
function raisedTip(
  { transaction, speed }: Pick<Bidder, 'transaction' | 'speed'>,
  { head, nonce }: Observation,
  market: Market,
  policy: Pick<NetworkPolicy, 'raisedTip'>,
): Wei | undefined {
  const { lifecycle } = transaction
  const hasWaited = head.number - lifecycle.attempts[0].recordedAtBlock >= raisedTipAfterBlocks
  if (lifecycle.nonce !== nonce || !hasWaited || market.blocks?.haveRoom === false) return undefined
  if (market.baseFee === undefined) return undefined
  const paid = market.tips[speed]
  return maxWei(policy.raisedTip ?? 0n, market.suggestedTip ?? 0n, paid, minWei(escalationMultiple * paid, smallTip))
}

/** Whether its tip is below what a nonce that has waited for long is worth. */
export function wantsRaisedTip(
  transaction: InPhase<'inFlight'>,
  latest: Attempt,
  speed: Speed,
  observation: Observation,
  policy: Pick<NetworkPolicy, 'raisedTip'>,
): boolean {
  const { market } = observation
  const tip = market && raisedTip({ transaction, speed }, observation, market, policy)
  return tip !== undefined && tipOf(latest.fees) < tip
}

function isFree(fees: Fees): boolean {
  return feeCap(fees) === 0n
}
