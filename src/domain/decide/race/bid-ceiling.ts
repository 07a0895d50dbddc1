// The most that a bid offers where no policy sets a cap.
import type { Attempt } from '../../attempt.ts'
import { effectivePrice, type Market, replacementFloor } from '../../fees.ts'
import { isNonEmpty } from '../../ids.ts'
import { priceCeiling } from '../../price-ceiling.ts'
import { maxWei, type Wei } from '../../units.ts'
import type { Bidder, BidFacts, BidRules } from './bidder.ts'

/** The ceiling of prices, or the least price that replaces another contender's live attempts: that is no node's claim. */
export function bidCeiling(
  rivals: readonly Attempt[],
  { own, speed, purpose }: Bidder,
  { rule }: Pick<BidFacts, 'rule'>,
  market: Market,
  { profile }: BidRules,
): Wei {
  const ceiling = priceCeiling(market, speed, purpose, profile)
  const others = rivals.filter((rival) => !own.includes(rival))
  if (!isNonEmpty(others)) return ceiling
  // Its tip counts, not its fee cap: a client that named a high cap must not raise the ceiling of our tips.
  return maxWei(ceiling, effectivePrice(replacementFloor(others, market, rule), market.baseFee))
}
