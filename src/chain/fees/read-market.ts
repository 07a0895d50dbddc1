// The fee oracle: reads a network's prices once per head, for all its relayers. Tips follow the tips that recent blocks
// paid. Where blocks paid none, a node's suggestion counts. The smallest tip that a pool accepts is always a floor.
import type { Market } from '../../domain/fees.ts'
import type { Head } from '../../domain/observation.ts'
import { isKept, type Moment, type Patience } from '../../domain/patience.ts'
import { type BlockNumber, maxWei, raisedBy, type Wei } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'
import { answering } from '../heads/beside-head.ts'
import type { Pace } from '../heads/measure-blocktime.ts'
import type { TrackedHead } from '../heads/track-head.ts'
import { askAbout, type NodeReply } from '../nodes/ask-about.ts'
import { type Call, describeAnswer } from '../nodes/call.ts'
import { toBigInt, toHex } from '../nodes/decode.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import type { Endpoints, ReadResult } from '../nodes/endpoints.ts'
import { readHeader } from '../nodes/read-block.ts'
import { hasMoved, merged, type PriceReading } from './compare-readings.ts'
import {
  type FeeHistory,
  historyBlocks,
  historyPercentiles,
  type PaidBlock,
  readHistory,
  rising,
  type Tips,
} from './fee-history.ts'
import { explained } from './limit-tips.ts'
import { aboveOnePrice, type MakingMarket, makeMarket, type ReadPrices, readingOf } from './make-market.ts'

/**
 * Undefined when no endpoint returns a price. `isWaiting`: the relayer's next transaction has stayed unmined for some
 * blocks. The result makes the market by the blocks of our own that were learned until it is called.
 */
export type ReadMarket = (at: TrackedHead, isWaiting: boolean) => Promise<(() => Market) | undefined>

interface MarketReader {
  readonly read: ReadMarket
  /** The calls of the next reading that may leave before its head is known. */
  callsBeside(height: BlockNumber): readonly Call[]
}

/** How long a node's suggestion stands: usually, and while the next transaction stays unmined, or each recent block holds one of our own. */
const suggestionKept: Patience = { blocks: 50, ms: 100_000 }
const neededSuggestionKept: Patience = { blocks: 5, ms: 10_000 }

interface Suggestion {
  readonly tip: Wei
  readonly readAt: Moment
}

/** How long a doubtful reading waits for the other endpoints. */
const comparedWithinMs = 2_000

interface ReadingMarket extends MakingMarket {
  readonly endpoints: Endpoints
  readonly eip1559: boolean
  readonly clock: Pick<Clock, 'sleep' | 'elapsed'>
  readonly pace: Pick<Pace, 'measuredMs'>
}

/** A tip below this part of the price that is too small to matter is as good as none. */
export const smallTipPart = 10n

export function readingMarket(reading: ReadingMarket): MarketReader {
  const { endpoints, eip1559, believed, ownBlocks, smallPrice, clock, pace } = reading
  const small = smallPrice / smallTipPart
  let latest: { readonly head: Head; readonly read: Promise<ReadPrices | undefined> } | undefined
  let suggestion: Suggestion | undefined
  let before: Tips | undefined
  let isAllOwn = false
  let hasHistory = false
  /** How many blocks the next reading covers: as many as its call beside the head, whatever the pace is since then. */
  let blocks = historyBlocks(pace.measuredMs())
  const readPaid = readingPaid(clock)

  function isSuggestionStale(height: BlockNumber, isWaiting: boolean): boolean {
    const patience = isWaiting || isAllOwn ? neededSuggestionKept : suggestionKept
    return !suggestion || !isKept(patience, suggestion.readAt, { block: height, ms: clock.elapsed() })
  }

  async function read(at: TrackedHead, isWaiting: boolean): Promise<ReadPrices | undefined> {
    const byHistory = eip1559 && at.head.baseFee !== undefined
    const isStale = isSuggestionStale(at.head.number, isWaiting)
    const readFrom = async (endpoint: Endpoint): Promise<ReadResult<PriceReading>> => {
      const [result, suggested, paid] = await Promise.all([
        byHistory ? readFeeHistory(endpoint, at, blocks) : readGasPrice(endpoint, at),
        byHistory && isStale ? readSuggestedTip(endpoint, at) : undefined,
        at.head.baseFee === undefined ? readPaid(endpoint, at, blocks) : undefined,
      ])
      if (!('value' in result)) return result
      const market = explained(result.value.market, at.head)
      return {
        value: { ...result.value, market, ...(paid && { paid }), ...(suggested !== undefined && { suggested }) },
      }
    }
    const found = await endpoints.firstAnswer(readFrom, at.by).catch(() => undefined)
    if (!found) {
      // There was no reading, so the next step reads again.
      if (latest?.head.hash === at.head.hash) latest = undefined
      return undefined
    }
    hasHistory = byHistory && found.value.paid !== undefined
    const { tips } = readingOf(found.value, suggestion?.tip)
    const isDoubtful = believed.isEmpty() || before === undefined || hasMoved(tips, before, small)
    const others = isDoubtful ? await readFromOthers(reading, found.by, readFrom) : []
    const all = merged([found.value, ...others])
    if (all.suggested !== undefined)
      suggestion = { tip: all.suggested, readAt: { block: at.head.number, ms: clock.elapsed() } }
    before = readingOf(all, suggestion?.tip).tips
    return { block: at.head.number, readings: [found.value, ...others], suggested: suggestion?.tip }
  }

  return {
    async read(at, isWaiting) {
      if (latest?.head.hash !== at.head.hash) latest = { head: at.head, read: read(at, isWaiting) }
      const found = await latest.read
      if (!found) return undefined
      return () => {
        const { paid = [] } = found.readings[0]
        isAllOwn = paid.length > 0 && paid.every(({ number }) => ownBlocks.has(number))
        return makeMarket(reading, found)
      }
    },
    callsBeside(height) {
      if (latest?.head.number === height) return []
      blocks = historyBlocks(pace.measuredMs())
      if (!hasHistory) return []
      return [historyCall(blocks, 'latest'), ...(isSuggestionStale(height, false) ? [suggestionCall] : [])]
    },
  }
}

/** Two at most. Silence leaves the first reading. */
async function readFromOthers(
  { endpoints, clock }: Pick<ReadingMarket, 'endpoints' | 'clock'>,
  by: Endpoint,
  readFrom: (endpoint: Endpoint) => Promise<ReadResult<PriceReading>>,
): Promise<readonly PriceReading[]> {
  const others = endpoints.order(by).filter((endpoint) => endpoint !== by && endpoint.fit())
  const answers: PriceReading[] = []
  const reading = others.slice(0, 2).map(async (endpoint) => {
    const result = (await endpoint.ready()) === undefined ? await readFrom(endpoint) : undefined
    if (result && 'value' in result) answers.push(result.value)
  })
  if (reading.length === 0) return []
  const answered = new AbortController()
  const all = Promise.allSettled(reading).then(() => answered.abort())
  await Promise.race([all, clock.sleep(comparedWithinMs, answered.signal)])
  return [...answers]
}

const suggestionCall: Call = { method: 'eth_maxPriorityFeePerGas', params: [] }

function historyCall(blocks: number, newest: string): Call {
  return { method: 'eth_feeHistory', params: [toHex(blocks), newest, historyPercentiles] }
}

async function readSuggestedTip(endpoint: Endpoint, { beside }: TrackedHead): Promise<Wei | undefined> {
  const answer = await answering(endpoint, beside).call(suggestionCall)
  return answer.kind === 'value' ? toBigInt(answer.value) : undefined
}

async function readFeeHistory(endpoint: Endpoint, at: TrackedHead, blocks: number): Promise<ReadResult<PriceReading>> {
  const early = await historyBeside(endpoint, at, blocks)
  if (early) return { value: early }
  const reply = await askForHistory(endpoint, at, blocks)
  return 'value' in reply ? { value: reply.value } : readGasPrice(endpoint, at)
}

/** The history that came with the head, if the head is its newest block: the chain may have moved on between two answers. */
async function historyBeside(
  endpoint: Endpoint,
  { head, beside }: TrackedHead,
  blocks: number,
): Promise<FeeHistory | undefined> {
  const answer = await beside?.(endpoint, historyCall(blocks, 'latest'))
  const history = answer?.kind === 'value' ? readHistory(answer.value, head.number) : undefined
  return history?.newest === head.number ? history : undefined
}

function askForHistory(endpoint: Endpoint, { head }: TrackedHead, blocks: number): Promise<NodeReply<FeeHistory>> {
  const decode = (value: unknown) => readHistory(value, head.number)
  return askAbout(
    endpoint,
    historyCall(blocks, toHex(head.number)),
    decode,
    ({ newest }) => (newest ?? head.number) === head.number,
  )
}

/** How long an endpoint without a history of prices gets no such call. */
const noHistory: Patience = { blocks: 100, ms: 200_000 }

/** The prices that blocks without a base fee paid, where the node returns them. */
function readingPaid(clock: Pick<Clock, 'elapsed'>) {
  const deniedAt = new WeakMap<Endpoint, Moment>()
  return async (endpoint: Endpoint, at: TrackedHead, blocks: number): Promise<readonly PaidBlock[] | undefined> => {
    const denied = deniedAt.get(endpoint)
    const now = { block: at.head.number, ms: clock.elapsed() }
    if (denied && isKept(noHistory, denied, now)) return undefined
    const reply = await askForHistory(endpoint, at, blocks)
    if ('value' in reply) return reply.value.paid
    if (reply.why === 'none') deniedAt.set(endpoint, now)
    return undefined
  }
}

/** A node's price is as of its own head, so an endpoint without the head fails: it may be an hour behind. */
async function readGasPrice(endpoint: Endpoint, { head, by }: TrackedHead): Promise<ReadResult<PriceReading>> {
  const [price, tip, block] = await Promise.all([
    endpoint.call({ method: 'eth_gasPrice', params: [] }),
    head.baseFee === undefined ? undefined : endpoint.call({ method: 'eth_maxPriorityFeePerGas', params: [] }),
    endpoint === by ? undefined : readHeader(endpoint, head.number),
  ])
  if (block && !('value' in block)) return { failed: `it does not have block ${head.number}` }
  const gasPrice = price.kind === 'value' ? toBigInt(price.value) : undefined
  if (gasPrice === undefined) return { failed: describeAnswer(price) }
  if (head.baseFee === undefined) {
    return { value: { market: { gasPrice, tips: rising((speed) => raisedBy(gasPrice, aboveOnePrice[speed])) } } }
  }
  const nodeTip = tip?.kind === 'value' ? toBigInt(tip.value) : undefined
  const tips = rising((speed) => raisedBy(nodeTip ?? maxWei(0n, gasPrice - (head.baseFee ?? 0n)), aboveOnePrice[speed]))
  // The base fee of the next block is at most an eighth higher (EIP-1559).
  return { value: { market: { baseFee: raisedBy(head.baseFee, 13n), tips, gasPrice } } }
}
