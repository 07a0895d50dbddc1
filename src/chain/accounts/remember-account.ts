// Merges one reading of an account into the memory of it.
import type { Inquiry } from '../../domain/observation.ts'
import type { Moment } from '../../domain/patience.ts'
import type { Inclusion } from '../../domain/transaction.ts'
import type { Nonce, Wei } from '../../domain/units.ts'
import type { Count, Remembered } from './account-memory.ts'
import type { Wanted } from './wanted-of-account.ts'

/** A node's answers. */
export interface Reading {
  readonly nonce: Nonce
  /** Whether the node itself returned the count at the head. */
  readonly counted: boolean
  readonly pendingNonce?: Nonce
  readonly balance?: Wei
  readonly delegated?: boolean
  readonly inclusions: ReadonlyMap<Nonce, Inclusion>
}

/** `reorgs` and `now` are as of before the read. */
export function remember(
  last: Remembered | undefined,
  reading: Reading,
  inquiry: Inquiry,
  wanted: Wanted,
  now: Moment,
  reorgs: number,
): Remembered {
  const { nonce, live, spentBelow } = inquiry
  const before = last?.count
  // Nothing of ours was in flight, and nothing was settled elsewhere, so only a foreign transaction can have raised the
  // count.
  const isMoved =
    wanted.nonce === 'count' &&
    nonce === 'recent' &&
    live.length === 0 &&
    before?.reorgs === reorgs &&
    before.nonce >= spentBelow &&
    reading.nonce > before.nonce
  const count = isReadWithoutOwnTransactions(before, reading, inquiry, reorgs)
    ? before
    : reading.counted
      ? { nonce: reading.nonce, readAt: now, reorgs }
      : countOf(wanted, before, reading, now, reorgs)
  // A fact read before the first count may have changed before it, and no later count would show that.
  const stands = (readAt: Moment | undefined) => before !== undefined || readAt?.block === now.block
  const known = stands(last?.balance?.readAt) ? last?.balance : undefined
  const fresh = { readAt: now, chargedBelow: 0, spentBelow: reading.nonce, reorgs }
  const read = reading.balance === undefined ? known : { wei: reading.balance, ...fresh }
  const isBehind = reading.nonce < spentBelow && read?.readAt.block === now.block
  const balance = isBehind ? { ...read, isBehind } : read
  const coded = stands(last?.code?.readAt) ? last?.code : undefined
  const code = reading.delegated === undefined ? coded : { delegated: reading.delegated, readAt: now }
  return {
    ...(count && { count }),
    ...(balance && { balance }),
    ...(code && !isMoved && { code }),
    shared: isMoved || last?.shared === true,
  }
}

/**
 * The count after a reading without one. Another step may have counted meanwhile, after a reorganization that this reading does not
 * include.
 */
function countOf(
  { nonce }: Wanted,
  before: Count | undefined,
  reading: Reading,
  now: Moment,
  reorgs: number,
): Count | undefined {
  if (nonce === 'known') return before
  const isOfThisBranch = nonce !== 'count' && nonce !== 'pending' && before?.reorgs === reorgs
  if (!isOfThisBranch) return undefined
  const proven = nonce === 'receipts' && { provenAt: now }
  return { ...before, nonce: reading.nonce, checkedAt: now.block, ...proven }
}

/**
 * Whether a caller without transactions in flight saw another nonce count than the remembered one. The judgment whether ours or a
 * foreign transaction changed it is left to the relayer's own step, which has to see the difference itself.
 */
function isReadWithoutOwnTransactions(
  before: Count | undefined,
  reading: Reading,
  { nonce, live }: Inquiry,
  reorgs: number,
): before is Count {
  return nonce === 'now' && live.length === 0 && before?.reorgs === reorgs && reading.nonce !== before.nonce
}
