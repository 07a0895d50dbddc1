// What recent blocks paid, by eth_feeHistory.
import { type Market, type OpenBlock, type Speed, speeds } from '../../domain/fees.ts'
import { blocksOf, type SpannedDepth } from '../../domain/patience.ts'
import { type BlockNumber, compareWei, maxWei, type Wei } from '../../domain/units.ts'
import { toBigInt, toNumber } from '../nodes/decode.ts'

export type Tips = Readonly<Record<Speed, Wei>>

/** A block with transactions. `tips`: in the order of `speeds`, undefined where the node names none. */
export interface PaidBlock {
  readonly number: BlockNumber
  readonly tips: readonly (Wei | undefined)[]
}

export interface FeeHistory {
  readonly market: Market
  readonly paid: readonly PaidBlock[]
  /** Absent where the node does not name the oldest block. */
  readonly newest: BlockNumber | undefined
}

/**
 * Kept to save calls, and no wait: how far back prices are read, 20 s, as a block of 200 ms says little of the market. Ten blocks at least, or
 * one block decides each tip; so on blocks of 2 s and longer there are ten. `historyMax`: some providers return no more than 100.
 */
const history: SpannedDepth = { depth: 10, spanMs: 20_000 }
const historyMax = 100

/** How many blocks a reading of prices covers. */
export function historyBlocks(blocktimeMs: number | undefined): number {
  return Math.min(historyMax, blocksOf(history, blocktimeMs))
}

/** The percentile of a block's gas, ordered by tip, whose tip counts for each speed. */
const percentiles: Readonly<Record<Speed, number>> = { safeLow: 20, average: 50, fast: 75, fastest: 95 }
export const historyPercentiles = speeds.map((speed) => percentiles[speed])

/** The ratio above which a block has hardly any room for a transfer. */
const fullRatio = 0.95

/**
 * `baseFeePerGas` has one entry more than the requested blocks: the last is the next block's base fee (EIP-1559). `head`: the
 * newest of the requested blocks.
 */
export function readHistory(value: unknown, head: BlockNumber): FeeHistory | undefined {
  // The expected shape, unverified: each member is checked where it is used.
  const history = value as {
    readonly oldestBlock?: unknown
    readonly baseFeePerGas?: unknown[]
    readonly reward?: unknown[][]
    readonly gasUsedRatio?: unknown[]
  } | null
  const baseFee = toBigInt(history?.baseFeePerGas?.at(-1))
  if (baseFee === undefined || !Array.isArray(history?.reward)) return undefined
  const { reward } = history
  const ratios = Array.isArray(history.gasUsedRatio) ? history.gasUsedRatio.map(Number) : []
  const named = toNumber(history.oldestBlock)
  const newest = named === undefined ? undefined : named + reward.length - 1
  const oldest = named ?? head - reward.length + 1
  // The rewards of an empty block are zeros that no transaction paid.
  const paid = reward
    .map((tips, index) => ({ number: oldest + index, tips: speeds.map((_, at) => toBigInt(tips?.[at])) }))
    .filter((_, index) => (ratios[index] ?? 0) > 0)
  const areUsed = ratios.some((ratio) => ratio > 0)
  const blocks = ratios.length > 0 && { areUsed, haveRoom: ratios.some((ratio) => ratio < fullRatio) }
  const openBlocks = paid.flatMap(({ number, tips: [tip] }): OpenBlock[] => {
    const own = toBigInt(history.baseFeePerGas?.[number - oldest])
    const hasRoom = (ratios[number - oldest] ?? 1) < fullRatio
    return hasRoom && own !== undefined && tip !== undefined ? [{ number, baseFee: own, tip }] : []
  })
  const tips = tipsOf(paid)
  const gasPrice = baseFee + tips.average
  return { market: { baseFee, tips, gasPrice, ...(blocks && { blocks, openBlocks }) }, paid, newest }
}

/** Zeros if there is no block. */
export function tipsOf(paid: readonly PaidBlock[]): Tips {
  return rising((speed) => median(paid.map(({ tips }) => tips[speeds.indexOf(speed)]).filter(isWei)) ?? 0n)
}

/** Raises each speed's tip to at least the tip of the speed below it. */
export function rising(tipAt: (speed: Speed) => Wei): Tips {
  let least = 0n
  const tips = { safeLow: 0n, average: 0n, fast: 0n, fastest: 0n }
  for (const speed of speeds) {
    least = maxWei(least, tipAt(speed))
    tips[speed] = least
  }
  return tips
}

function median(amounts: readonly Wei[]): Wei | undefined {
  return amounts.toSorted(compareWei)[amounts.length >> 1]
}

function isWei(amount: Wei | undefined): amount is Wei {
  return amount !== undefined
}
