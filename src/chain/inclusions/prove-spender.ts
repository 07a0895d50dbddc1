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
import type { Mined } from '../nodes/decode.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import { type FindSpender, type FoundSpender, readSpenders } from './find-spender.ts'
import { type Located, locateSpending } from './locate-spending.ts'
import { executionOf, readReceipt, receiptsMade } from './receipt.ts'

/** Bodies read in one proof. The next blocks' observations continue a longer search. */
const bodiesMax = 32

interface ProveSpender {
  /** A block at which the nonce is certainly spent. */
  readonly spentBy: BlockNumber
  /** The lowest block that each search has reached: for all endpoints, and beyond it for one. */
  readonly searched: Map<string, BlockNumber>
  readonly located: Located
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
  const spending = await locateSpending(endpoint, address, live, parts.spentBy, parts.located)
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
    const isDeep = at.head.number - block.number >= receiptsMade.depth
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

/** The key of a search in `searched`. */
export function searchOf(address: Address, nonce: Nonce): string {
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
  // Below an entry that can't be read it goes on by itself: another endpoint may show that entry whole.
  const itself = `${key} ${endpoint.index}`
  const byAll = searched.get(key) ?? atMost + 1
  let by = (searched.get(itself) ?? byAll) < byAll ? itself : key
  const from = Math.min(atMost, (searched.get(by) ?? byAll) - 1)
  for (let number = from; number > above && from - number < bodiesMax; number -= 1) {
    const seeks = { account: address, from: live.nonce, through: live.nonce }
    const body = await readSpenders(endpoint, number, seeks)
    if (!body) return undefined
    const spender = await findSpender(endpoint, body, address, live)
    // This block is read again, until another endpoint or another reading confirms it.
    if (spender === 'unproven') return undefined
    if (spender) {
      for (const each of [key, itself]) searched.delete(each)
      return { spender, block: { number, hash: body.head.hash }, minedAt: body.head.timestampMs }
    }
    if (body.unread.length > 0) by = itself
    searched.set(by, number)
  }
  // The search ended without a find: a reorganization moved the transaction, or an entry can't be read. It begins again.
  if ((searched.get(by) ?? 0) <= above + 1) searched.delete(by)
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
