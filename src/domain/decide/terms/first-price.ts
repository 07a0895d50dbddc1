// The price of a first attempt.
import { type Fees, firstFees, type Market, withLeastTip } from '../../fees.ts'
import type { Estimate } from '../../observation.ts'
import { priceCeiling } from '../../price-ceiling.ts'
import type { NetworkPolicy, Relayer } from '../../relayer.ts'
import type { Payload } from '../../transaction.ts'

/** The fees of a first attempt. Undefined while the cap is below the next block's base fee. */
export function firstPrice(
  { payload: { pricing } }: { readonly payload: Pick<Payload, 'pricing'> },
  { policies: { gasPriceCap, eip1559Pricing } }: Relayer,
  market: Market,
  policy: NetworkPolicy,
): Fees | undefined {
  // Fees that the client named have no ceiling.
  const ceiling = pricing.kind === 'speed' ? priceCeiling(market, pricing.speed, 'payload', policy.profile) : undefined
  return firstFees(pricing, market, policy.eip1559 && eip1559Pricing, gasPriceCap ?? ceiling)
}

export function withTipOf(market: Market, estimate: Estimate | undefined): Market {
  const least = estimate?.kind === 'gas' ? estimate.tip : undefined
  return withLeastTip(market, least)
}
