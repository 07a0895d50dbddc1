// The fee oracle: reads a network's prices once per head, for all its relayers. Tips follow the tips that recent blocks
// paid. Where blocks paid none, a node's suggestion counts. The smallest tip that a pool accepts is always a floor.
import { type Market, type Speed, speeds } from '../../domain/fees.ts'
import type { Hash } from '../../domain/ids.ts'
import { type BlockNumber, maxWei, raisedBy, type Wei } from '../../domain/units.ts'
import type { TrackedHead } from '../heads/track-head.ts'
import { describeAnswer } from '../nodes/call.ts'
import { toBigInt, toHead, toHex } from '../nodes/decode.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import type { Endpoints, ReadResult } from '../nodes/endpoints.ts'
import type { TipFloor } from './tip-floor.ts'

/**
 * Undefined when no endpoint returns a price. `isWaiting`: the relayer's next transaction has stayed unmined for some
 * blocks.
 */
export type ReadMarket = (at: TrackedHead, isWaiting: boolean) => Promise<Market | undefined>

const historyBlocks = 10
/** For each speed, the percentile of a block's gas, ordered by tip, whose tip counts. */
const percentiles: Readonly<Record<Speed, number>> = { safeLow: 20, average: 50, fast: 75, fastest: 95 }
/**
 * Even where blocks are empty and paid no tips, a miner has a minimum: geth's `--miner.gasprice` is a thousandth of a
 * gwei. At 21,000 gas the highest of these floors costs 0.00000000006 ether.
 */
const tipFloors: Readonly<Record<Speed, Wei>> = {
  safeLow: 1_000_000n,
  average: 1_500_000n,
  fast: 2_000_000n,
  fastest: 3_000_000n,
}
/** How far above the price each speed goes, in percent, where a node returns only one price. */
const aboveOnePrice: Readonly<Record<Speed, bigint>> = { safeLow: 0n, average: 10n, fast: 25n, fastest: 50n }

/** Above this ratio a block has hardly any room for a transfer. */
const fullRatio = 0.95
/** How many blocks a node's suggestion stands: usually, and while the next transaction stays unmined. */
const suggestionKept = { usually: 50, waiting: 5 }

interface Suggestion {
  readonly tip: Wei
  readonly readAt: BlockNumber
}

export function readingMarket(endpoints: Endpoints, eip1559: boolean, floor: TipFloor): ReadMarket {
  let latest: { readonly head: Hash; readonly market: Promise<Market | undefined> } | undefined
  let suggestion: Suggestion | undefined

  async function read(at: TrackedHead, isWaiting: boolean): Promise<Market | undefined> {
    const byHistory = eip1559 && at.head.baseFee !== undefined
    const age = suggestion ? at.head.number - suggestion.readAt : Number.POSITIVE_INFINITY
    const isStale = age < 0 || age >= (isWaiting ? suggestionKept.waiting : suggestionKept.usually)
    const readFrom = async (endpoint: Endpoint): Promise<ReadResult<Market>> => {
      if (!byHistory) return readGasPrice(endpoint, at)
      const [result, suggested] = await Promise.all([
        readFeeHistory(endpoint, at),
        isStale ? readSuggestedTip(endpoint) : undefined,
      ])
      if ('value' in result && suggested !== undefined) suggestion = { tip: suggested, readAt: at.head.number }
      return result
    }
    const found = await endpoints.firstAnswer(readFrom, at.by).catch(() => undefined)
    // There was no reading, so the next step reads again.
    if (!found && latest?.head === at.head.hash) latest = undefined
    return found?.value
  }

  return async (at, isWaiting) => {
    if (latest?.head !== at.head.hash) latest = { head: at.head.hash, market: read(at, isWaiting) }
    const market = await latest.market
    return market && withFloors(market, suggestion?.tip, floor.current())
  }
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

async function readSuggestedTip(endpoint: Endpoint): Promise<Wei | undefined> {
  const answer = await endpoint.call({ method: 'eth_maxPriorityFeePerGas', params: [] })
  return answer.kind === 'value' ? toBigInt(answer.value) : undefined
}

async function readFeeHistory(endpoint: Endpoint, at: TrackedHead): Promise<ReadResult<Market>> {
  const params = [toHex(historyBlocks), toHex(at.head.number), speeds.map((speed) => percentiles[speed])]
  const answer = await endpoint.call({ method: 'eth_feeHistory', params })
  const market = answer.kind === 'value' ? fromHistory(answer.value) : undefined
  return market ? { value: market } : readGasPrice(endpoint, at)
}

/** `baseFeePerGas` has one entry more than the requested blocks: the last is the next block's base fee (EIP-1559). */
function fromHistory(value: unknown): Market | undefined {
  // The expected shape, unverified: each member is checked where it is used.
  const history = value as { baseFeePerGas?: unknown[]; reward?: unknown[][]; gasUsedRatio?: unknown[] } | null
  const baseFee = toBigInt(history?.baseFeePerGas?.at(-1))
  if (baseFee === undefined || !Array.isArray(history?.reward)) return undefined
  const ratios = Array.isArray(history.gasUsedRatio) ? history.gasUsedRatio.map(Number) : []
  // The rewards of an empty block are zeros that no transaction paid.
  const rewards = history.reward.filter((_, index) => (ratios[index] ?? 0) > 0)
  const paid = speeds.map((_, index) => median(rewards.map((tips) => toBigInt(tips[index])).filter(isWei)))
  const tips = rising((speed) => paid[speeds.indexOf(speed)] ?? 0n)
  const areUsed = ratios.some((ratio) => ratio > 0)
  const blocks = ratios.length > 0 && { areUsed, haveRoom: ratios.some((ratio) => ratio < fullRatio) }
  return { baseFee, tips, gasPrice: baseFee + tips.average, ...(blocks && { blocks }) }
}

/** A node's price is as of its own head, so an endpoint without the head fails: it may be an hour behind. */
async function readGasPrice(endpoint: Endpoint, { head, by }: TrackedHead): Promise<ReadResult<Market>> {
  const [price, tip, block] = await Promise.all([
    endpoint.call({ method: 'eth_gasPrice', params: [] }),
    head.baseFee === undefined ? undefined : endpoint.call({ method: 'eth_maxPriorityFeePerGas', params: [] }),
    endpoint === by
      ? undefined
      : endpoint.call({ method: 'eth_getBlockByNumber', params: [toHex(head.number), false] }),
  ])
  if (block && (block.kind !== 'value' || toHead(block.value)?.number !== head.number)) {
    return { failed: `it does not have block ${head.number}` }
  }
  const gasPrice = price.kind === 'value' ? toBigInt(price.value) : undefined
  if (gasPrice === undefined) return { failed: describeAnswer(price) }
  if (head.baseFee === undefined) {
    return { value: { gasPrice, tips: rising((speed) => raisedBy(gasPrice, aboveOnePrice[speed])) } }
  }
  const nodeTip = tip?.kind === 'value' ? toBigInt(tip.value) : undefined
  const tips = rising((speed) => raisedBy(nodeTip ?? maxWei(0n, gasPrice - (head.baseFee ?? 0n)), aboveOnePrice[speed]))
  // The base fee of the next block is at most an eighth higher (EIP-1559).
  return { value: { baseFee: raisedBy(head.baseFee, 13n), tips, gasPrice } }
}

/** Raises each speed's tip to at least the tip of the speed below it. */
function rising(tipAt: (speed: Speed) => Wei): Readonly<Record<Speed, Wei>> {
  let least = 0n
  const tips = { ...tipFloors }
  for (const speed of speeds) {
    least = maxWei(least, tipAt(speed))
    tips[speed] = least
  }
  return tips
}

function median(amounts: readonly Wei[]): Wei | undefined {
  return [...amounts].sort((one, other) => (one < other ? -1 : one > other ? 1 : 0))[amounts.length >> 1]
}

function isWei(value: bigint | undefined): value is Wei {
  return value !== undefined
}
