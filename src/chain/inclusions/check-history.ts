// Finds what an account did that its record does not hold: the nonces that a chain or a pool has beyond it, and their
// spenders.
import type { Address } from '../../domain/ids.ts'
import { holdsNonce, intervalsBetween } from '../../domain/nonce-interval.ts'
import type { HistoryInquiry, HistorySeen } from '../../domain/observation.ts'
import type { BlockNumber, Nonce, TimestampMs } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'
import { blockBefore } from '../heads/block-before.ts'
import type { Pace } from '../heads/measure-blocktime.ts'
import type { ReadCanonical } from '../heads/read-canonical.ts'
import type { TrackedHead } from '../heads/track-head.ts'
import { valueIn } from '../nodes/ask-about.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import { type Endpoints, othersThan } from '../nodes/endpoints.ts'
import { readHeader } from '../nodes/read-block.ts'
import { highestPendingNonce } from '../nodes/read-nonce.ts'
import type { FindSpender } from './find-spender.ts'
import { type LatestCounts, readFinalCount } from './read-final-count.ts'
import { type Findings, noFindings, searchBlocks } from './search-blocks.ts'

/** `pendingNonce`: the count by the pool of `at.by`, if it was read. Undefined where no node counts its pool. */
export type CheckHistory = (
  address: Address,
  inquiry: HistoryInquiry,
  pendingNonce: Nonce | undefined,
  at: TrackedHead,
) => Promise<HistorySeen | undefined>

/** Timestamps are whole seconds, so a block may be made this much later than it says. */
const resolutionMs = 1_000

/** The findings so far about one account. */
interface Search extends Findings {
  readonly latest: LatestCounts
  /** Every block that was made since then lies above. */
  start?: { readonly since: TimestampMs; readonly above: BlockNumber }
}

interface HistoryCheckOptions {
  readonly endpoints: Endpoints
  readonly readCanonical: ReadCanonical
  readonly pace: Pace
  readonly clock: Clock
  readonly findSpender: FindSpender
}

export function openHistoryCheck(options: HistoryCheckOptions): CheckHistory {
  const { endpoints, readCanonical, pace, clock, findSpender } = options
  const searches = new Map<Address, Search>()

  return async (address, inquiry, pendingNonce, at) => {
    const below = await reachOf(endpoints, address, inquiry, pendingNonce, at)
    if (below === undefined) return undefined
    const unexplained = intervalsBetween(inquiry.from, below, inquiry.explained)
    const last = unexplained.at(-1)?.last
    if (last === undefined) {
      searches.delete(address)
      return { below }
    }
    const final = at.head.number - inquiry.confirmations + 1
    const search: Search = searches.get(address) ?? { ...noFindings(), latest: {} }
    searches.set(address, search)
    const counted = await readFinalCount(at.by, address, { final, head: at.head.number, last }, search.latest)
    if (!counted) return { below }
    const { count: finalBelow, ignoresBlock } = counted
    if (last >= finalBelow) return { below, finalBelow }
    const above = await startOf(search, inquiry.since, at)
    if (above === undefined) return { below, finalBelow }
    const searched = { above, final, finalBelow, ignoresBlock }
    const searchBy = (by: Endpoint) => searchBlocks(by, address, unexplained, searched, search, findSpender)
    let ended = await searchBy(at.by)
    // Another endpoint may show whole what this one does not.
    for (const other of othersThan(at.by, endpoints))
      if (ended === 'unread' && other.fit() && (await other.ready()) === undefined) ended = await searchBy(other)
    if (ended === 'contradiction') searches.delete(address)
    if (ended !== 'through') return { below, finalBelow, more: ended === 'more' }
    // An earlier search also found spenders of nonces that are explained by now. Their transactions may be gone.
    const spenders = [...search.spenders.values()]
      .filter(({ nonce }) => holdsNonce(unexplained, nonce))
      .sort((one, other) => one.nonce - other.nonce)
    const canonical = await readCanonical(
      spenders.map(({ block }) => block.number),
      at,
    )
    if (spenders.every(({ block }) => canonical.get(block.number) === block.hash))
      return { below, finalBelow, spenders }
    // The blocks are on another branch, or could not be verified now.
    searches.delete(address)
    return { below, finalBelow }
  }

  /**
   * Found once, since it lies far below any block that may still be reorganized. Undefined where a header could not be
   * read.
   */
  async function startOf(search: Search, since: TimestampMs, at: TrackedHead): Promise<BlockNumber | undefined> {
    if (search.start?.since === since && search.start.above < at.head.number) return search.start.above
    const now = clock.now()
    // By the chain's clock. It may be behind this machine's clock, by no more than the age of its head.
    const lagMs = Math.max(0, now - at.head.timestampMs)
    const time = Math.min(since, now) - lagMs - resolutionMs
    const above = await blockBefore(at.head, time, pace.ms(), async (number) =>
      valueIn(await readHeader(at.by, number)),
    )
    if (above !== undefined) search.start = { since, above }
    return above
  }
}

async function reachOf(
  endpoints: Endpoints,
  address: Address,
  { seen }: HistoryInquiry,
  counted: Nonce | undefined,
  at: TrackedHead,
): Promise<Nonce | undefined> {
  if (seen?.isWhole) return seen.below
  // The head's endpoint has counted already.
  const others = endpoints.order(at.by).filter((endpoint) => endpoint !== at.by || counted === undefined)
  const pending = await highestPendingNonce(others, address, at.head.number)
  const known = [counted, pending, seen?.below].filter((count) => count !== undefined)
  return known.length === 0 ? undefined : Math.max(...known)
}
