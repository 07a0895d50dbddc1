// Compares the prices that several endpoints report: one of them may be wrong, and our own bids are no price of the chain.

import { type Market, speeds } from '../../domain/fees.ts'
import type { Depth } from '../../domain/patience.ts'
import type { Inclusion } from '../../domain/transaction.ts'
import { type BlockNumber, compareWei, maxWei, type Wei } from '../../domain/units.ts'
import { type PaidBlock, type Tips, tipsOf } from './fee-history.ts'

/** One endpoint's prices, and its suggestion where it was read. */
export interface PriceReading {
  readonly market: Market
  readonly suggested?: Wei
  /** The recent blocks with transactions. Absent where the node does not report their prices. */
  readonly paid?: readonly PaidBlock[]
}

/**
 * The reading as blocks without our own transactions show it: what we paid ourselves must not raise what we may pay next.
 * Without such a block, and without a base fee, the node's price counts.
 */
export function withoutOwn(reading: PriceReading, isOwn: (number: BlockNumber) => boolean): PriceReading {
  const { market, paid = [] } = reading
  const others = paid.filter(({ number }) => !isOwn(number))
  const tips = tipsOf(others)
  const isKept = market.baseFee === undefined ? tips.fastest === 0n : others.length === paid.length
  if (isKept) return reading
  return { ...reading, market: { ...market, tips, gasPrice: (market.baseFee ?? 0n) + tips.average } }
}

/** Whether a tip has moved more than twofold, either way. Below `small` no move matters. */
export function hasMoved(tips: Tips, before: Tips, small: Wei): boolean {
  return speeds.some((speed) => {
    const [one, other] = [maxWei(small, tips[speed]), maxWei(small, before[speed])]
    return one > 2n * other || other > 2n * one
  })
}

/** The higher of two readings counts, and the middle one of three. The rest of the market is the first reading's. */
export function merged(readings: readonly [PriceReading, ...PriceReading[]]): PriceReading {
  const [first] = readings
  const tips = { ...first.market.tips }
  for (const speed of speeds) tips[speed] = chosen(readings.map(({ market }) => market.tips[speed]))
  const suggested = readings.flatMap((each) => (each.suggested === undefined ? [] : [each.suggested]))
  return {
    market: { ...first.market, tips, gasPrice: chosen(readings.map(({ market }) => market.gasPrice)) },
    ...(suggested.length > 0 && { suggested: chosen(suggested) }),
  }
}

function chosen(amounts: readonly Wei[]): Wei {
  const rising = amounts.toSorted(compareWei)
  return rising[rising.length >> 1] ?? 0n
}

/** The recent blocks with a transaction of ours, as far as the process has seen them. */
export interface OwnBlocks {
  learn(head: BlockNumber, numbers: readonly BlockNumber[], inclusions: Iterable<Inclusion>): void
  has(number: BlockNumber): boolean
}

/** More than twice the blocks that a reading of prices covers, as an endpoint may be behind. */
const kept: Depth = { depth: 256 }

export function rememberOwnBlocks(): OwnBlocks {
  const known = new Set<BlockNumber>()
  return {
    learn(head, numbers, inclusions) {
      const ours = [...inclusions].filter(({ by }) => by !== 'external').map(({ block }) => block.number)
      const first = head - kept.depth
      for (const number of [...numbers, ...ours]) if (number >= first) known.add(number)
      for (const number of known) if (number < first) known.delete(number)
    },
    has: (number) => known.has(number),
  }
}
