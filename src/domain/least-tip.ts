// The market where a node demands a tip of at least so much, as for a payload's data.
import { type Market, speeds } from './fees.ts'
import { maxWei, type Wei } from './units.ts'

/** The market with tips of at least `tip`. What blocks paid stays as it was: no node's demand raises the ceiling. */
export function withLeastTip(market: Market, tip: Wei | undefined): Market {
  if (tip === undefined) return market
  const tips = { ...market.tips }
  for (const speed of speeds) tips[speed] = maxWei(tips[speed], tip)
  const paidTips = market.paidTips ?? market.tips
  return { ...market, tips, paidTips, gasPrice: maxWei(market.gasPrice, (market.baseFee ?? 0n) + tip) }
}
