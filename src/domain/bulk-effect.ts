// The effect of a bulk cancellation on a transaction with a nonce. `dropMatches` in store/transactions/bulk/drop-queue.ts holds the
// same rule for the queue, as statements; a test compares them.
import type { BulkRefusal } from './bulk-cancellation.ts'
import { type BulkFilter, matches } from './bulk-filter.ts'
import { cancel } from './cancel.ts'
import type { NotTaken } from './cost-limit.ts'
import { isRacing, isTakenByBulk } from './refusals.ts'
import { statusOf, type Transaction } from './transaction.ts'
import type { TimestampMs, Wei } from './units.ts'

/** The choice within a limit of cost. */
type BulkChoice = { readonly taken: true; readonly share: Wei } | { readonly taken: false; readonly why: NotTaken }

interface BulkAim {
  readonly filter: BulkFilter
  /** The instant of the relayer. */
  readonly now: TimestampMs
  /** Absent without a limit of cost, and for a transaction that it does not concern. */
  readonly choice?: BulkChoice
  /** The tags of the transaction. */
  readonly tags: readonly string[]
}

type BulkEffect =
  /** The transaction is no match, or ended. */
  | { readonly kind: 'none' }
  /** A match that costs too much. */
  | { readonly kind: 'left'; readonly refusal: BulkRefusal }
  /** The transaction's earlier cancellation is racing. `after`: a later object sets a bound of its own. */
  | { readonly kind: 'already'; readonly after?: Transaction }
  | { readonly kind: 'canceled'; readonly after: Transaction }

export function effectOfBulk(transaction: Transaction, { filter, now, choice, tags }: BulkAim): BulkEffect {
  const isOpen = isTakenByBulk(transaction)
  if (!isOpen && !isRacing(statusOf(transaction), transaction.lifecycle.phase)) return { kind: 'none' }
  if (!matches(filter, transaction, now, tags)) return { kind: 'none' }
  if (choice && !choice.taken) {
    return isOpen ? { kind: 'left', refusal: { id: transaction.id, ...choice.why } } : { kind: 'already' }
  }
  if (!isOpen && !choice) return { kind: 'already' }
  const after = cancel(transaction, now, 'request', choice?.share)
  if (isOpen) return { kind: 'canceled', after }
  return { kind: 'already', ...(after !== transaction && { after }) }
}
