// Bids against a foreign transaction: a pool holds one of another program for our nonce, and refuses ours as underpriced.
//
// Our bids outbid all of our own, so a refusal as underpriced shows that the pool prefers one that we did not sign, at a price that nobody
// reports. Without this file the limit of our own escalation, which is there so that we do not bid against ourselves, would end the race. The
// promise: a bid rises over what was refused, up to the caps, and pays no more tip for it than the ceiling of prices. For example, a foreign
// transaction has a fee cap of 200 gwei and a tip of 1: ours rise to 220 gwei over some blocks, and are mined at the base fee of 20 and a tip.
//
// Where no pool refused our newest bid as underpriced, each function answers undefined, nothing, or what it was given.
import { type Attempt, rejectionOf } from '../../attempt.ts'
import { type Fees, type Market, tipOf } from '../../fees.ts'
import { lowerTip } from '../../price-ceiling.ts'
import type { Wei } from '../../units.ts'
import type { Bidder, BidFacts } from '../terms/bidder.ts'
import { floorOf } from '../terms/rivals.ts'

/** The fees that a pool refused in favor of a foreign transaction. `own`: our bids of one purpose, oldest first. */
export function refusedOverForeign(own: readonly Attempt[]): Fees | undefined {
  const latest = own.at(-1)
  return latest && wasOutbid(latest) ? latest.fees : undefined
}

/** The first bid after the last one that a pool rejected in favor of a foreign transaction. */
export function overForeign(own: readonly Attempt[]): readonly Fees[] {
  const lost = own.findLastIndex(wasOutbid)
  const next = lost < 0 ? undefined : own[lost + 1]
  return next ? [next.fees] : []
}

/**
 * The offer with a tip within `most`. Perhaps only the fee cap of the foreign transaction is high: ours costs nothing. Another pool may hold
 * a bid of ours, which the tip still replaces. A cap of the operator's limits the price itself.
 */
export function withTipWithin(
  most: Wei,
  offer: Fees,
  { own, cap }: Pick<Bidder, 'own' | 'cap'>,
  rivals: readonly Attempt[],
  market: Market,
  { rule }: Pick<BidFacts, 'rule'>,
): Fees {
  if (cap !== undefined || !refusedOverForeign(own)) return offer
  const unrefused = rivals.filter((rival) => rejectionOf(rival) === undefined)
  const floor = floorOf(unrefused, market, rule)
  return lowerTip(offer, most, market, floor ? tipOf(floor) : 0n)
}

function wasOutbid(attempt: Attempt): boolean {
  return rejectionOf(attempt)?.code === 'replacementUnderpriced'
}
