// What one look at an account adds to what is remembered of it.
import type { TransactionId } from '../../domain/ids.ts'
import type { Estimate, Inquiry } from '../../domain/observation.ts'
import type { Inclusion } from '../../domain/transaction.ts'
import type { BlockNumber, Nonce, Wei } from '../../domain/units.ts'
import type { Count, Remembered } from './account-memory.ts'
import type { Wanted } from './wanted-of-account.ts'

/** What a node answered. */
export interface Reading {
  readonly nonce: Nonce
  /** Whether the node said so itself, of the head. */
  readonly counted: boolean
  readonly pendingNonce?: Nonce
  readonly balance?: Wei
  readonly delegated?: boolean
  readonly estimates: ReadonlyMap<TransactionId, Estimate>
  readonly inclusions: ReadonlyMap<Nonce, Inclusion>
}

/** `reorgs` and `head` are as of the questions. */
export function remember(
  last: Remembered | undefined,
  reading: Reading,
  inquiry: Inquiry,
  wanted: Wanted,
  head: BlockNumber,
  reorgs: number,
): Remembered {
  const { nonce, live, spentBelow } = inquiry
  const before = last?.count
  // With nothing of ours in flight, and nothing that was settled elsewhere, only a foreign transaction can have moved it.
  const isMoved =
    wanted.nonce === 'count' &&
    nonce === 'recent' &&
    live.length === 0 &&
    before?.reorgs === reorgs &&
    before.nonce >= spentBelow &&
    reading.nonce > before.nonce
  const count = isOnlookers(before, reading, inquiry, reorgs)
    ? before
    : reading.counted
      ? { nonce: reading.nonce, readAt: head, reorgs }
      : countOf(wanted, before, reading, head, reorgs)
  // What was read before the first count may have changed since, and none of the counts to come would show it.
  const stands = (readAt: BlockNumber | undefined) => before !== undefined || readAt === head
  const known = stands(last?.balance?.readAt) ? last?.balance : undefined
  const read = reading.balance === undefined ? known : { wei: reading.balance, readAt: head, chargedBelow: 0 }
  const isBehind = reading.nonce < spentBelow && read?.readAt === head
  const balance = isBehind ? { ...read, isBehind } : read
  const coded = stands(last?.code?.readAt) ? last?.code : undefined
  const code = reading.delegated === undefined ? coded : { delegated: reading.delegated, readAt: head }
  return {
    ...(count && { count }),
    ...(balance && { balance }),
    ...(code && !isMoved && { code }),
    shared: isMoved || last?.shared === true,
  }
}

/** Where nothing was counted. Somebody else may have counted meanwhile, after a reorganisation that this look knows nothing of. */
function countOf(
  { nonce }: Wanted,
  before: Count | undefined,
  reading: Reading,
  head: BlockNumber,
  reorgs: number,
): Count | undefined {
  if (nonce === 'known') return before
  const isOfThisBranch = nonce === 'receipts' && before?.reorgs === reorgs
  return isOfThisBranch ? { ...before, nonce: reading.nonce, receiptsAt: head } : undefined
}

/**
 * A requester of a count that knows of nothing in flight can't say whether ours moved it, or a foreign transaction: that is for the
 * relayer to find out, so it has to meet the difference itself.
 */
function isOnlookers(
  before: Count | undefined,
  reading: Reading,
  { nonce, live }: Inquiry,
  reorgs: number,
): before is Count {
  return nonce === 'now' && live.length === 0 && before?.reorgs === reorgs && reading.nonce !== before.nonce
}
