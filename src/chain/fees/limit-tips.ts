// The most and the least that a tip counts for: a false price of one endpoint must cost little, and a node refuses a tip that is too small.
import { type Market, speeds } from '../../domain/fees.ts'
import type { Head } from '../../domain/observation.ts'
import type { PoolKind } from '../../domain/profile.ts'
import { maxWei, minWei, raisedBy, type Wei } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Endpoint } from '../nodes/endpoint.ts'

const gwei = 1_000_000_000n
/** A real spike may come faster than belief. Bids rise to ten times the market's price beyond it. */
const believedMultiple = 3n
const tipFloorMultiple = 4n
/** A pool's own minimum may lie above anything that blocks paid. At 21,000 gas this is 0.0021 ether. */
const learnedMost = 100n * gwei

/** A price that is too small to matter, whatever blocks paid. A transfer costs 0.000063 ether, or 0.0000021 on a rollup. */
export function smallPriceOf(pool: PoolKind): Wei {
  return pool === 'public' ? 3n * gwei : gwei / 10n
}

interface TipLimits {
  /** The highest tip that is believed now. */
  readonly believed: Wei
  /** The profile's. */
  readonly tipFloor: Wei | undefined
  readonly smallPrice: Wei
}

export function tipLimit({ believed, tipFloor = 0n, smallPrice }: TipLimits): Wei {
  return maxWei(believedMultiple * believed, tipFloorMultiple * tipFloor, smallPrice)
}

/** A pool's minimum, as far as it counts. */
export function limitedMinimum(learned: Wei, limit: Wei): Wei {
  return minWei(learned, maxWei(limit, learnedMost))
}

/** The reading with no tip above the limit. Without a base fee, the whole price is the tip. */
export function limited(market: Market, limit: Wei): Market {
  const tips = { ...market.tips }
  for (const speed of speeds) tips[speed] = minWei(tips[speed], limit)
  const { baseFee = 0n, suggestedTip } = market
  const gasPrice = minWei(market.gasPrice, baseFee + limit)
  return { ...market, tips, gasPrice, ...(suggestedTip !== undefined && { suggestedTip: minWei(suggestedTip, limit) }) }
}

/** The next base fee is at most an eighth away from that of the header (EIP-1559). Else the header's counts. */
export function explained(market: Market, head: Head): Market {
  if (market.baseFee === undefined || head.baseFee === undefined) return market
  const isNear = market.baseFee <= raisedBy(head.baseFee, 13n) + 1n && market.baseFee >= (head.baseFee * 87n) / 100n
  if (isNear) return market
  const baseFee = raisedBy(head.baseFee, 13n)
  return { ...market, baseFee, gasPrice: baseFee + market.tips.average }
}

/** The smallest tip that each of a network's nodes accepts: a pool names it when it refuses a smaller one. */
export interface TipFloor {
  learn(tip: Wei, by: Endpoint): void
  /** The highest that two of these endpoints named, or the only one. Zero otherwise. */
  current(endpoints: readonly Endpoint[]): Wei
}

/** An operator may lower the minimum. After this time a cheaper bid tests it, at the cost of one refusal. */
const keptMs = 3_600_000

export function openTipFloor(clock: Pick<Clock, 'elapsed'>): TipFloor {
  const floors = new Map<Endpoint, { readonly tip: Wei; readonly learnedAt: number }>()
  const floorOf = (endpoint: Endpoint): Wei => {
    const floor = floors.get(endpoint)
    return floor && clock.elapsed() - floor.learnedAt < keptMs ? floor.tip : 0n
  }
  return {
    learn: (tip, by) => void floors.set(by, { tip, learnedAt: clock.elapsed() }),
    current(endpoints) {
      const named = endpoints.map(floorOf).sort((one, other) => (one > other ? -1 : Number(one < other)))
      return named[Math.min(1, named.length - 1)] ?? 0n
    },
  }
}
