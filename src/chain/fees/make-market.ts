// Makes a network's market of the endpoints' readings: tips that recent blocks paid or a node suggests, within the believed
// limit, and at least the smallest tip that pools accept.
import { type Market, type Speed, speeds } from '../../domain/fees.ts'
import { type BlockNumber, maxWei, minWei, raisedBy, type Wei } from '../../domain/units.ts'
import type { Endpoints } from '../nodes/endpoints.ts'
import type { BelievedTips } from './believe-tips.ts'
import { merged, type OwnBlocks, type PriceReading, withoutOwn } from './compare-readings.ts'
import { rising } from './fee-history.ts'
import { limited, limitedMinimum, type TipFloor, tipLimit } from './limit-tips.ts'

/**
 * The least tips. Even where blocks are empty and paid no tips, a miner has a minimum: geth's `--miner.gasprice` is a thousandth of
 * a gwei. At 21,000 gas the highest of these floors costs 0.00000000006 ether.
 */
const tipFloors: Readonly<Record<Speed, Wei>> = {
  safeLow: 1_000_000n,
  average: 1_500_000n,
  fast: 2_000_000n,
  fastest: 3_000_000n,
}
/** How far above the price each speed goes, in percent, where a node returns only one price. */
export const aboveOnePrice: Readonly<Record<Speed, bigint>> = { safeLow: 0n, average: 10n, fast: 25n, fastest: 50n }

/** The prices at a head, by endpoint. */
export interface ReadPrices {
  readonly block: BlockNumber
  readonly readings: readonly [PriceReading, ...PriceReading[]]
  /** The last suggestion of a tip. */
  readonly suggested: Wei | undefined
}

export interface MakingMarket {
  readonly endpoints: Pick<Endpoints, 'usable'>
  readonly floor: TipFloor
  readonly believed: BelievedTips
  readonly ownBlocks: Pick<OwnBlocks, 'has'>
  /** The profile's. */
  readonly tipFloor: Wei | undefined
  /** A price that is too small to matter. */
  readonly smallPrice: Wei
}

/** The ceiling of prices follows `paidTips`, so what we paid ourselves does not raise it. */
export function makeMarket(making: MakingMarket, { block, readings, suggested }: ReadPrices): Market {
  const { endpoints, floor, believed, ownBlocks, tipFloor, smallPrice } = making
  const [first, ...others] = readings
  const outside = [withoutOwn(first, ownBlocks.has), ...others.map((each) => withoutOwn(each, ownBlocks.has))] as const
  const market = readingOf(merged([first, ...others]), suggested)
  const paid = readingOf(merged(outside), suggested)
  const [one, other] = outside.map((each) => highestTip(readingOf(each, suggested)))
  const agreed = one !== undefined && other !== undefined ? minWei(one, other) : undefined
  const limit = tipLimit({ believed: believed.believe({ tip: highestTip(paid), agreed, block }), tipFloor, smallPrice })
  const learned = limitedMinimum(floor.current(endpoints.usable()), limit)
  const named = market.suggestedTip && minWei(market.suggestedTip, limit)
  const priced = withFloors(limited(market, limit), named, learned)
  const paidTips = limited(paid, limit).tips
  if (learned === 0n && speeds.every((speed) => paidTips[speed] === priced.tips[speed])) return priced
  return { ...priced, paidTips, ...(learned > 0n && { minimumTip: learned }) }
}

/** A reading as it would be without learned minimums. */
export function readingOf({ market, suggested }: PriceReading, known: Wei | undefined): Market {
  return withFloors(market, suggested ?? known, 0n)
}

function highestTip({ tips, gasPrice, baseFee = 0n }: Market): Wei {
  return maxWei(tips.fastest, gasPrice - baseFee)
}

/** `learned`: the smallest tip that a pool was found to accept. */
function withFloors(market: Market, suggested: Wei | undefined, learned: Wei): Market {
  // Gas is free, as on many private networks: blocks paid nothing, and neither node nor pool names a minimum.
  const isFree = market.gasPrice === 0n && (suggested ?? 0n) === 0n && learned === 0n
  const paidNothing = market.tips.fastest === 0n
  const tips = rising((speed) => {
    const wished = paidNothing ? raisedBy(suggested ?? 0n, aboveOnePrice[speed]) : market.tips[speed]
    return maxWei(isFree ? 0n : tipFloors[speed], learned, wished)
  })
  const gasPrice = maxWei(market.gasPrice, (market.baseFee ?? 0n) + (isFree ? 0n : tips.average))
  return { ...market, tips, gasPrice, ...(suggested !== undefined && { suggestedTip: suggested }) }
}
