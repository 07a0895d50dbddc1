// What an account did that its record does not hold: the nonces that a chain or a pool has beyond it, and what spent them.
import { isAddressEqual } from 'viem/utils'
import type { Address } from '../domain/ids.ts'
import type { PastInquiry, PastSeen } from '../domain/past.ts'
import type { Taker } from '../domain/recover.ts'
import type { BlockNumber, Nonce, TimestampMs } from '../domain/units.ts'
import type { Clock } from '../ops/clock.ts'
import { blockBefore } from './block-before.ts'
import { toHead, toHex, toMined, toNumber } from './decode.ts'
import type { Endpoint } from './endpoint.ts'
import type { Endpoints } from './endpoints.ts'
import { locateSpending } from './locate-spending.ts'
import type { Pace } from './measure-blocktime.ts'
import { takerOf } from './prove-taker.ts'
import type { ReadCanonical } from './read-canonical.ts'
import { nonceCall, readNonce } from './read-nonce.ts'
import { rebuild } from './rebuild.ts'
import type { TrackedHead } from './track-head.ts'

/** `pendingNonce`: what the pool of one endpoint, `at.by`, has told already. Undefined where no node tells its pool. */
export type LookBack = (
  address: Address,
  inquiry: PastInquiry,
  pendingNonce: Nonce | undefined,
  at: TrackedHead,
) => Promise<PastSeen | undefined>

/** Bodies read at most in one look: the rest of a long search is for the next ones. */
const bodiesMax = 32
/** Timestamps are whole seconds: a block may be made so much later than it says. */
const resolutionMs = 1_000

/** What was found so far of one account, and how far down the search for the next nonce came. */
interface Search {
  readonly takers: Map<Nonce, Taker>
  searched?: { readonly nonce: Nonce; readonly above: BlockNumber; readonly to: BlockNumber }
  /** Everything that was mined since then lies above. */
  start?: { readonly since: TimestampMs; readonly above: BlockNumber }
}

export interface LookingBack {
  readonly endpoints: Endpoints
  readonly readCanonical: ReadCanonical
  readonly pace: Pace
  readonly clock: Clock
}

export function lookingBack({ endpoints, readCanonical, pace, clock }: LookingBack): LookBack {
  const searches = new Map<Address, Search>()

  return async (address, inquiry, pendingNonce, at) => {
    const below = await reachOf(endpoints, address, inquiry, pendingNonce, at)
    if (below === undefined) return undefined
    const unexplained: Nonce[] = []
    for (let nonce = inquiry.from; nonce < below; nonce += 1) if (!inquiry.explained.has(nonce)) unexplained.push(nonce)
    const last = unexplained.at(-1)
    if (last === undefined) {
      searches.delete(address)
      return { below }
    }
    const final = at.head.number - inquiry.confirmations + 1
    const finalBelow = final < 0 ? undefined : await readNonce(at.by, address, final)
    if (finalBelow === undefined) return { below }
    if (last >= finalBelow) return { below, finalBelow }
    const search = searches.get(address) ?? { takers: new Map() }
    searches.set(address, search)
    const above = await startOf(search, inquiry.since, at)
    if (above === undefined) return { below, finalBelow }
    const ended = await goOn(at.by, address, search, unexplained, { above, final })
    if (ended !== 'through') return { below, finalBelow, more: ended === 'more' }
    const takers = [...search.takers.values()].sort((one, other) => one.nonce - other.nonce)
    const canonical = await readCanonical(
      takers.map(({ block }) => block.number),
      at,
    )
    if (takers.every(({ block }) => canonical.get(block.number) === block.hash)) return { below, finalBelow, takers }
    // Read of a branch that is left, or not to be verified now.
    searches.delete(address)
    return { below, finalBelow }
  }

  /** Found once, as it lies far below what may still be reorganised. Undefined where a header could not be read. */
  async function startOf(search: Search, since: TimestampMs, at: TrackedHead): Promise<BlockNumber | undefined> {
    if (search.start?.since === since && search.start.above < at.head.number) return search.start.above
    const now = clock.now()
    // By the chain's clock, which may be behind this machine's, by no more than the age of its head.
    const lagMs = Math.max(0, now - at.head.timestampMs)
    const time = Math.min(since, now) - lagMs - resolutionMs
    const above = await blockBefore(at.head, time, pace.ms(), async (number) => {
      const answer = await at.by.call({ method: 'eth_getBlockByNumber', params: [toHex(number), false] })
      const head = answer.kind === 'value' ? toHead(answer.value) : undefined
      return head?.number === number ? head : undefined
    })
    if (above !== undefined) search.start = { since, above }
    return above
  }
}

async function reachOf(
  endpoints: Endpoints,
  address: Address,
  { seen }: PastInquiry,
  told: Nonce | undefined,
  at: TrackedHead,
): Promise<Nonce | undefined> {
  if (seen?.isWhole) return seen.below
  const now = await belowAll(endpoints, address, told, at)
  return seen ? Math.max(seen.below, now ?? 0) : now
}

/** By every pool that can be asked now: what was sent through one node may not have come to another. */
async function belowAll(
  endpoints: Endpoints,
  address: Address,
  told: Nonce | undefined,
  { head, by }: TrackedHead,
): Promise<Nonce | undefined> {
  const others = endpoints.order(by).filter((endpoint) => endpoint.fit() && (endpoint !== by || told === undefined))
  const answers = await Promise.all(
    others.map(async (endpoint) => {
      if ((await endpoint.ready()) !== undefined) return undefined
      const answer = await endpoint.call(nonceCall(address, 'pending'))
      // Not every node counts its pool.
      if (answer.kind === 'rpcError') return readNonce(endpoint, address, head.number)
      return answer.kind === 'value' ? toNumber(answer.value) : undefined
    }),
  )
  const counts = [told, ...answers].filter((count) => count !== undefined)
  return counts.length === 0 ? undefined : Math.max(...counts)
}

/**
 * From the newest nonce down, until all are found, or one was spent at `above` or before: then so were those below it.
 * Nonces are spent in their order, so each search begins where the last one ended.
 */
async function goOn(
  endpoint: Endpoint,
  address: Address,
  search: Search,
  unexplained: readonly Nonce[],
  { above, final }: { above: BlockNumber; final: BlockNumber },
): Promise<'through' | 'more' | 'failed'> {
  const spentAbove = above < 0 ? 0 : await readNonce(endpoint, address, above)
  let spentBy = final
  let bodies = 0
  for (const nonce of [...unexplained].reverse()) {
    if (spentAbove !== undefined && nonce < spentAbove) return 'through'
    const known = search.takers.get(nonce)
    if (known) {
      spentBy = known.block.number
      continue
    }
    const { searched } = search
    const where =
      searched?.nonce === nonce
        ? { above: searched.above, atMost: searched.to - 1 }
        : await locateSpending(endpoint, address, { nonce, attempts: [], unspentAt: above }, spentBy)
    if (!where) return 'failed'
    for (let number = where.atMost; number > Math.max(above, where.above); number -= 1) {
      if (bodies === bodiesMax) return 'more'
      bodies += 1
      const found = await readTakers(endpoint, address, number, nonce, unexplained)
      if (!found) return 'failed'
      for (const taker of found) search.takers.set(taker.nonce, taker)
      if (search.takers.has(nonce)) break
      search.searched = { nonce, above: where.above, to: number }
    }
    const taker = search.takers.get(nonce)
    if (taker) spentBy = taker.block.number
    else if (where.above < above) return 'through'
    else {
      // It must be there: what was read is not of one chain. The search begins anew.
      delete search.searched
      return 'failed'
    }
  }
  return 'through'
}

async function readTakers(
  endpoint: Endpoint,
  address: Address,
  number: BlockNumber,
  nonce: Nonce,
  nonces: readonly Nonce[],
): Promise<readonly Taker[] | undefined> {
  const answer = await endpoint.call({ method: 'eth_getBlockByNumber', params: [toHex(number), true] })
  const head = answer.kind === 'value' ? toHead(answer.value) : undefined
  const transactions = answer.kind === 'value' ? toMined(answer.value) : undefined
  if (head?.number !== number || !transactions) return undefined
  const block = { number, hash: head.hash }
  const wanted = new Set(nonces)
  const sent = transactions.filter((mined) => wanted.has(mined.nonce) && isAddressEqual(mined.from, address))
  const takers = await Promise.all(
    sent.map(async (mined): Promise<Taker> => {
      const envelope = await rebuild(mined, address)
      return { nonce: mined.nonce, hash: mined.hash, block, minedAt: head.timestampMs, ...(envelope && { envelope }) }
    }),
  )
  if (takers.some((taker) => taker.nonce === nonce)) return takers
  // By an authorization of the account (EIP-7702), perhaps: no relayer signs those.
  const other = await takerOf(transactions, address, nonce)
  return other ? [...takers, { nonce, hash: other.hash, block, minedAt: head.timestampMs }] : takers
}
