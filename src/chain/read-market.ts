// The fee oracle: one reading of a network's prices for each head, shared by all its relayers.
import type { Market } from '../domain/fees.ts'
import type { Hash } from '../domain/ids.ts'
import type { Head } from '../domain/observation.ts'
import { type Speed, speeds } from '../domain/transaction.ts'
import { maxWei, raisedBy, type Wei } from '../domain/units.ts'
import { inWords } from './call.ts'
import { toBigInt, toHex } from './decode.ts'
import type { Endpoint } from './endpoint.ts'
import type { Asked, Endpoints } from './endpoints.ts'
import type { TrackedHead } from './track-head.ts'

/** Undefined when no endpoint can tell. */
export type ReadMarket = (at: TrackedHead) => Promise<Market | undefined>

const historyBlocks = 10
/** The tip that this share of a block's gas was content with or below. */
const percentiles: Readonly<Record<Speed, number>> = { safeLow: 20, average: 50, fast: 75, fastest: 95 }
/**
 * In empty blocks nobody paid anything, but a miner still wants something: geth's `--miner.gasprice` is a thousandth of
 * a gwei. At 21,000 gas the dearest of these costs 0.00000000006 ether.
 */
const tipFloors: Readonly<Record<Speed, Wei>> = {
  safeLow: 1_000_000n,
  average: 1_500_000n,
  fast: 2_000_000n,
  fastest: 3_000_000n,
}
/** Where a node tells one price only: how far above it each speed goes, in percent. */
const aboveOnePrice: Readonly<Record<Speed, bigint>> = { safeLow: 0n, average: 10n, fast: 25n, fastest: 50n }

export function readingMarket(endpoints: Endpoints, eip1559: boolean): ReadMarket {
  let latest: { readonly head: Hash; readonly market: Promise<Market | undefined> } | undefined

  async function read(at: TrackedHead): Promise<Market | undefined> {
    const byHistory = eip1559 && at.head.baseFee !== undefined
    const ask = (endpoint: Endpoint) => (byHistory ? askHistory(endpoint, at.head) : askPrice(endpoint, at.head))
    const found = await endpoints.firstToTell(ask, at.by).catch(() => undefined)
    // No reading: the next step asks anew.
    if (!found && latest?.head === at.head.hash) latest = undefined
    return found?.told
  }

  return (at) => {
    if (latest?.head !== at.head.hash) latest = { head: at.head.hash, market: read(at) }
    return latest.market
  }
}

async function askHistory(endpoint: Endpoint, head: Head): Promise<Asked<Market>> {
  const params = [toHex(historyBlocks), toHex(head.number), speeds.map((speed) => percentiles[speed])]
  const answer = await endpoint.call({ method: 'eth_feeHistory', params })
  const market = answer.kind === 'value' ? fromHistory(answer.value) : undefined
  return market ? { told: market } : askPrice(endpoint, head)
}

/** `baseFeePerGas` is one longer than the blocks asked for: its last is the next block's (EIP-1559). */
function fromHistory(value: unknown): Market | undefined {
  const history = value as { baseFeePerGas?: unknown[]; reward?: unknown[][]; gasUsedRatio?: unknown[] } | null
  const baseFee = toBigInt(history?.baseFeePerGas?.at(-1))
  if (baseFee === undefined || !Array.isArray(history?.reward)) return undefined
  // An empty block's rewards are zeros that nobody asked for.
  const rewards = history.reward.filter((_, index) => Number(history.gasUsedRatio?.[index] ?? 0) > 0)
  const paid = speeds.map((_, index) => median(rewards.map((tips) => toBigInt(tips[index])).filter(isWei)))
  const tips = rising((speed) => paid[speeds.indexOf(speed)] ?? 0n)
  return { baseFee, tips, gasPrice: baseFee + tips.average }
}

async function askPrice(endpoint: Endpoint, head: Head): Promise<Asked<Market>> {
  const [price, tip] = await Promise.all([
    endpoint.call({ method: 'eth_gasPrice', params: [] }),
    head.baseFee === undefined ? undefined : endpoint.call({ method: 'eth_maxPriorityFeePerGas', params: [] }),
  ])
  const gasPrice = price.kind === 'value' ? toBigInt(price.value) : undefined
  if (gasPrice === undefined) return { failed: inWords(price) }
  if (head.baseFee === undefined) {
    return { told: { gasPrice, tips: rising((speed) => raisedBy(gasPrice, aboveOnePrice[speed])) } }
  }
  const told = tip?.kind === 'value' ? toBigInt(tip.value) : undefined
  const tips = rising((speed) => raisedBy(told ?? maxWei(0n, gasPrice - (head.baseFee ?? 0n)), aboveOnePrice[speed]))
  // The most that the next block may ask: an eighth more (EIP-1559).
  return { told: { baseFee: raisedBy(head.baseFee, 13n), tips, gasPrice } }
}

/** Never below its floor, and never below a slower speed's. */
function rising(tipAt: (speed: Speed) => Wei): Readonly<Record<Speed, Wei>> {
  let least = 0n
  const tips = { ...tipFloors }
  for (const speed of speeds) {
    least = maxWei(least, tipFloors[speed], tipAt(speed))
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
