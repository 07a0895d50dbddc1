// Finds the spender of a nonce when none of our attempts has a receipt: the block in which it was spent holds the
// proof.
import { isAddressEqual } from 'viem/utils'
import { attemptWith } from '../../domain/attempt.ts'
import { isLostNoOp } from '../../domain/decide/lost-history/lost-cancellation.ts'
import type { Address, Hash } from '../../domain/ids.ts'
import type { LiveNonce, LostNoOp } from '../../domain/observation.ts'
import { type BlockRef, type Execution, type Inclusion, isSameAccessList } from '../../domain/transaction.ts'
import type { BlockNumber, Nonce, TimestampMs } from '../../domain/units.ts'
import type { TrackedHead } from '../heads/track-head.ts'
import { valueIn } from '../nodes/ask-about.ts'
import type { Mined } from '../nodes/decode.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import { readBody } from '../nodes/read-block.ts'
import { type FindSpender, type FoundSpender, withDeposits } from './find-spender.ts'
import { locateSpending } from './locate-spending.ts'
import { executionOf, readReceipt, receiptAwaitedBlocks } from './receipt.ts'

/** Bodies read in one proof. The next blocks' observations continue a longer search. */
const bodiesMax = 32

/**
 * The lowest block that each search has reached. `all`: every block from there on is read, for all endpoints. An endpoint whose body had an
 * entry that can't be read goes on below by itself: another endpoint may show that entry whole.
 */
export type Searched = Map<string, Map<Endpoint | 'all', BlockNumber>>

interface ProveSpender {
  /** A block at which the nonce is certainly spent. */
  readonly spentBy: BlockNumber
  readonly searched: Searched
  readonly findSpender: FindSpender
}

/**
 * Undefined when the endpoint has no proof yet. Where it has no receipt of an attempt, the inclusion lacks the facts
 * that only receipts hold.
 */
export async function proveSpender(
  endpoint: Endpoint,
  address: Address,
  live: LiveNonce,
  parts: ProveSpender,
  at: TrackedHead,
): Promise<Inclusion | LostNoOp | undefined> {
  const spending = await locateSpending(endpoint, address, live, parts.spentBy)
  if (!spending) return undefined
  const { above, atMost = at.head.number } = spending
  const found = await searchBodies(endpoint, address, live, { above, atMost }, parts)
  if (!found) return undefined
  const { spender, block, minedAt } = found
  const { mined, signed } = spender
  const { hash } = mined
  const own = attemptWith(live.attempts, hash)
  if (own) {
    // Nobody waits for the receipt of a block so deep, and the search took its time: a denial from before it is too old.
    const isDeep = at.head.number - block.number >= receiptAwaitedBlocks
    const execution = isDeep ? await readExecution(endpoint, hash, own, block, at, true) : undefined
    return { by: 'attempt', hash, kind: own.kind, block, ...execution }
  }
  if (carriesOurs(mined, address, live)) {
    const execution = await readExecution(endpoint, hash, mined.signed ?? {}, block, at, false)
    return execution && { by: 'unrecorded', hash, block, ...execution }
  }
  const noOp = { nonce: mined.nonce, hash, block, minedAt, ...(signed && { signed }) }
  return mined.nonce === live.nonce && isLostNoOp(noOp, address) ? noOp : { by: 'external', hash, block }
}

/** The lowest block that any endpoint has reached in its search for the nonce. Undefined where no search is under way. */
export function lowestSearched(searched: Searched, address: Address, nonce: Nonce): BlockNumber | undefined {
  const reached = searched.get(searchOf(address, nonce))
  return reached && Math.min(...reached.values())
}

function searchOf(address: Address, nonce: Nonce): string {
  return `${address} ${nonce}`
}

interface SearchedBodies {
  readonly above: BlockNumber
  readonly atMost: BlockNumber
}

/** Downwards, since a nonce without an explanation was mostly spent lately. */
async function searchBodies(
  endpoint: Endpoint,
  address: Address,
  live: LiveNonce,
  { above, atMost }: SearchedBodies,
  { searched, findSpender }: ProveSpender,
): Promise<{ spender: FoundSpender; block: BlockRef; minedAt: TimestampMs } | undefined> {
  const key = searchOf(address, live.nonce)
  const reached = searched.get(key) ?? new Map<Endpoint | 'all', BlockNumber>()
  const byAll = reached.get('all') ?? atMost + 1
  const byItself = reached.get(endpoint) ?? byAll
  let by: Endpoint | 'all' = byItself < byAll ? endpoint : 'all'
  const from = Math.min(atMost, byAll - 1, byItself - 1)
  for (let number = from; number > above && from - number < bodiesMax; number -= 1) {
    const seeks = { account: address, from: live.nonce, through: live.nonce }
    const read = valueIn(await readBody(endpoint, number, seeks))
    if (!read) return undefined
    const body = await withDeposits(endpoint, read, address)
    const spender = await findSpender(endpoint, body, address, live)
    // This block is read again, until another endpoint or another reading confirms it.
    if (spender === 'unproven') return undefined
    if (spender && spender !== 'unread') {
      searched.delete(key)
      return { spender, block: { number, hash: body.head.hash }, minedAt: body.head.timestampMs }
    }
    if (spender === 'unread') by = endpoint
    reached.set(by, number)
    searched.set(key, reached)
  }
  // The search ended without a find: a reorganization moved the transaction, or an entry can't be read. It begins again.
  if ((reached.get(by) ?? 0) <= above + 1) {
    reached.delete(by)
    if (by === 'all' || reached.size === 0) searched.delete(key)
  }
  return undefined
}

/**
 * Whether the receiver, the value, the data and, where the node returns it, the access list are ours. With our
 * signature, such a transaction is an attempt that is not on record, and not a foreign transaction.
 */
function carriesOurs(spender: Mined, address: Address, { nonce, payloads = [] }: LiveNonce): boolean {
  if (spender.nonce !== nonce || !isAddressEqual(spender.from, address)) return false
  return payloads.some(
    ({ to, value, data, accessList, isAnyValue }) =>
      spender.to?.toLowerCase() === to?.toLowerCase() &&
      (spender.value === value || isAnyValue === true) &&
      spender.data === data.toLowerCase() &&
      (!spender.accessList || isSameAccessList(spender.accessList, accessList)),
  )
}

/**
 * The execution: empty where the endpoint has no receipt for that block that can be read, undefined where it did not answer. For a
 * deep block the height suffices: some gateways name another hash in receipts.
 */
async function readExecution(
  endpoint: Endpoint,
  hash: Hash,
  signed: Parameters<typeof executionOf>[2],
  block: BlockRef,
  at: TrackedHead,
  isDeep: boolean,
): Promise<Execution | undefined> {
  const reply = await readReceipt(endpoint, hash)
  if ('value' in reply) {
    const { number, hash: named } = reply.value.block
    const isOfBlock = named === block.hash || (isDeep && number === block.number)
    return isOfBlock ? executionOf(endpoint, { ...reply.value, block }, signed, at) : {}
  }
  return reply.why === 'none' ? {} : undefined
}
