// The ceiling of every price that the service chooses, unless the operator set a cap: a false price must cost little.
import { effectivePrice, type Fees, type Market, type Speed } from './fees.ts'
import type { DecisionProfile } from './relayer.ts'
import { maxWei, minWei, type Wei } from './units.ts'

/** The use of the bytes: a client's payload, or a no-op. A gap filler is a no-op. */
export type Purpose = 'payload' | 'noOp'

export type CeilingRules = Pick<DecisionProfile, 'pool' | 'tipFloor'>

const gwei = 1_000_000_000n
export const ceilingMultiple = 10n
const tipFloorMultiple = 4n
/** The multiple of the minimum that a pool names. No block has shown that, so it counts for little more than itself. */
const minimumMultiple = 2n

/** The most that the service itself offers for a unit of gas. */
export function priceCeiling(market: Market, speed: Speed, purpose: Purpose, rules: CeilingRules): Wei {
  const { baseFee = 0n, minimumTip } = market
  return maxWei(
    ceilingMultiple * paidPrice(market, speed),
    tipFloorMultiple * (rules.tipFloor ?? 0n),
    smallPrice(purpose, rules),
    minimumTip === undefined ? 0n : minimumMultiple * (baseFee + minimumTip),
  )
}

/** The most that a client's own price pays where no cap is set. Absent rules: nothing of the network is known here. */
export function namedPriceMax(rules: (CeilingRules & { readonly market?: Market }) | undefined): Wei {
  const ceiling = rules?.market ? priceCeiling(rules.market, 'fastest', 'payload', rules) : 0n
  return maxWei(1_000n * gwei, ceiling)
}

/**
 * Whether the price exceeds the ceiling. A fee cap above it costs nothing while the base fee is low: a bid over our own
 * attempts has to raise their caps, also after the base fee fell.
 */
export function isAboveCeiling(fees: Fees, ceiling: Wei, { baseFee }: Market): boolean {
  return effectivePrice(fees, baseFee) > ceiling
}

/** The fees with the highest tip, up to their own, whose price is within the ceiling, but no tip below `tipMin`. */
export function lowerTip(fees: Fees, ceiling: Wei, { baseFee = 0n }: Market, tipMin: Wei): Fees {
  if (fees.kind === 'legacy' || ceiling <= baseFee) return fees
  return { ...fees, maxPriorityFeePerGas: minWei(fees.maxPriorityFeePerGas, maxWei(tipMin, ceiling - baseFee)) }
}

function paidPrice({ baseFee, tips, paidTips, gasPrice }: Market, speed: Speed): Wei {
  if (paidTips) return (baseFee ?? 0n) + paidTips[speed]
  return baseFee === undefined ? maxWei(gasPrice, tips[speed]) : baseFee + tips[speed]
}

/** The least ceiling. At 3 gwei a transfer costs 0.000063 ether. On a rollup a payload may be large, and prices are small. */
function smallPrice(purpose: Purpose, { pool }: CeilingRules): Wei {
  return purpose === 'noOp' || pool === 'public' ? 3n * gwei : gwei / 10n
}
