// Reads the receipts of our attempts from one node. A receipt proves that its attempt used the nonce.
import { attemptWith } from '../../domain/attempt.ts'
import type { Hash } from '../../domain/ids.ts'
import type { LiveNonce } from '../../domain/observation.ts'
import type { Inclusion } from '../../domain/transaction.ts'
import type { Nonce } from '../../domain/units.ts'
import type { ReadCanonical } from '../heads/read-canonical.ts'
import type { TrackedHead } from '../heads/track-head.ts'
import { type NodeReply, valueIn } from '../nodes/ask-about.ts'
import { usualMax } from '../nodes/batch-size.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import { readHeader } from '../nodes/read-block.ts'
import { executionOf, type Receipt, readReceipt, receiptMethod, receiptsMade } from './receipt.ts'
import { readReceiptsOfBlock } from './receipts-of-block.ts'

interface Receipts {
  /** The attempts that used their nonces, by nonce: each receipt names a block that is canonical at the head. */
  readonly inclusions: ReadonlyMap<Nonce, Inclusion>
  /**
   * The node says that no attempt with this nonce has a receipt, or the receipt is too large to be read, also the next
   * time: a payload can log megabytes.
   */
  readonly denied: ReadonlySet<Nonce>
  /** The node answered with the receipt of another transaction. */
  readonly strayed: ReadonlySet<Nonce>
  /** The node has a receipt that proves nothing yet, or several that contradict each other. */
  readonly undecided: ReadonlySet<Nonce>
}

/**
 * `shown` are inclusions that bodies showed, without a receipt so far. Some gateways name another block in a receipt than the header
 * of its height does: deep enough, the body proves which block it is.
 */
export async function readReceipts(
  endpoint: Endpoint,
  readCanonical: ReadCanonical,
  open: readonly LiveNonce[],
  at: TrackedHead,
  shown: ReadonlyMap<Nonce, Inclusion> = new Map(),
): Promise<Receipts> {
  const attempts = open.flatMap(({ nonce, attempts }) =>
    // Where two attempts have the same bytes, the newest counts, even if only the other one's receipt was answered.
    attempts.map((attempt) => ({ ...(attemptWith(attempts, attempt.hash) ?? attempt), nonce })),
  )
  const replies = await readAll(endpoint, attempts, at)
  const receipts = replies.map(valueIn)
  const canonical = await readCanonical(receipts.filter((receipt) => receipt !== undefined).map(blockNumberOf), at)
  // A receipt from above the head, or from a block that a reorganization replaced, proves nothing (yet).
  const isCanonical = ({ block }: Receipt) => canonical.get(block.number) === block.hash
  const proving = await Promise.all(
    receipts.map(async (receipt, index) => {
      if (!receipt || isCanonical(receipt)) return receipt
      const inBlock = shown.get(attempts[index]?.nonce ?? -1)
      const isOf = inBlock && (await isOfDeepBlock(endpoint, receipt, inBlock, at))
      return isOf ? { ...receipt, block: inBlock.block } : undefined
    }),
  )
  // That of another branch, or of a gateway that names the wrong block: the body decides.
  const isElsewhere = ({ block }: Receipt) => (canonical.get(block.number) ?? block.hash) !== block.hash
  const contradicted = usedTwice(attempts.filter((_, index) => proving[index]))
  if (contradicted.size > 0) endpoint.strayed(receiptMethod)
  const inclusions = new Map<Nonce, Inclusion>()
  const undecided = new Set<Nonce>()
  const silent = new Set<Nonce>()
  const strayed = new Set<Nonce>()
  for (const [index, attempt] of attempts.entries()) {
    const reply = replies[index]
    const { nonce, hash, kind } = attempt
    if (!reply) continue
    if ('value' in reply) {
      if (!isElsewhere(reply.value)) undecided.add(nonce)
    } else if (reply.why === 'another') strayed.add(nonce)
    else if (reply.why === 'noAnswer') silent.add(nonce)
    const receipt = proving[index]
    if (!receipt || contradicted.has(nonce)) continue
    const execution = await executionOf(endpoint, receipt, attempt, at)
    if (execution) inclusions.set(nonce, { by: 'attempt', hash, kind, block: receipt.block, ...execution })
  }
  const isDenied = (nonce: Nonce) => !undecided.has(nonce) && !silent.has(nonce) && !strayed.has(nonce)
  const denied = new Set(open.map(({ nonce }) => nonce).filter(isDenied))
  return { inclusions, denied, strayed, undecided }
}

/**
 * Those of a block that lists many of them in one call, all others singly. A hundred and more are read singly: sends leave in requests no
 * larger than a read that was answered (batch-size.ts), so that a window that grows would wait for a larger read.
 */
function readAll(
  endpoint: Endpoint,
  attempts: readonly { readonly hash: Hash }[],
  { head, listed = [] }: TrackedHead,
): Promise<readonly NodeReply<Receipt>[]> {
  const listings = attempts.length < usualMax ? listed : []
  const ofBlocks = listings.map((block) => {
    const wanted = attempts.filter(({ hash }) => block.hashes.has(hash)).length
    return readReceiptsOfBlock(endpoint, block, { wanted, head: head.number })
  })
  return Promise.all(
    attempts.map(async ({ hash }) => {
      const ofBlock = await ofBlocks[listings.findIndex(({ hashes }) => hashes.has(hash))]
      const value = ofBlock?.get(hash)
      return value ? { value } : readReceipt(endpoint, hash)
    }),
  )
}

/** A node on an old branch names another block, too: its receipt is of an execution that was taken back. Its header tells. */
async function isOfDeepBlock(
  endpoint: Endpoint,
  { hash, block }: Receipt,
  shown: Inclusion,
  { head }: TrackedHead,
): Promise<boolean> {
  if (head.number - shown.block.number < receiptsMade.depth) return false
  if (shown.hash !== hash || shown.block.number !== block.number) return false
  return valueIn(await readHeader(endpoint, block.number))?.hash === shown.block.hash
}

/**
 * One transaction uses a nonce, so receipts of two transactions are void: at most one of them is true. Two attempts may be the
 * same bytes, after a PUT that repeats the payload.
 */
function usedTwice(proven: readonly { readonly nonce: Nonce; readonly hash: Hash }[]): ReadonlySet<Nonce> {
  const first = new Map<Nonce, Hash>()
  const twice = new Set<Nonce>()
  for (const { nonce, hash } of proven) {
    if ((first.get(nonce) ?? hash) !== hash) twice.add(nonce)
    else first.set(nonce, hash)
  }
  return twice
}

function blockNumberOf(receipt: Receipt): number {
  return receipt.block.number
}
