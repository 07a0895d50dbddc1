// The filter of a bulk cancellation: which transactions it matches, as they were at the instant of their relayer. The statements of
// store/transactions/bulk-filter.ts hold the same rule for the queue; a test compares the two.
import type { Address, Hex, NonEmpty, TransactionId } from './ids.ts'
import { type Payload, type pendingStatuses, type Status, statusOf, type Transaction } from './transaction.ts'
import type { Nonce, TimestampMs, Wei } from './units.ts'

/** Each member narrows it; bounds are inclusive. Receiver, selector and value are those of the newest payload. */
export interface BulkFilter {
  /** Empty only in an object that a key reads which sees none of them. */
  readonly ids?: readonly TransactionId[]
  /** The receiver as stored, with its checksum. */
  readonly to?: Address
  /** Four bytes in lower case, or `0x` for a call without data. A contract creation has none. */
  readonly selector?: Hex
  /** Has one of these tags. A PUT leaves the tags as they are. */
  readonly tags?: NonEmpty<string>
  readonly statuses?: NonEmpty<(typeof pendingStatuses)[number]>
  /** The last creation that matches. Ages are those of this time, if it is before the instant. */
  readonly createdTo?: TimestampMs
  /** Created at least so long before the instant. */
  readonly olderThanMs?: number
  /** Created less than so long before the instant. */
  readonly newerThanMs?: number
  readonly valueFrom?: Wei
  readonly valueTo?: Wei
  readonly nonceFrom?: Nonce
  readonly nonceTo?: Nonce
}

/** Whether it matches everything. */
export function isEverything(filter: BulkFilter): boolean {
  return Object.values(filter).every((member) => member === undefined)
}

export function hasNonces({ nonceFrom, nonceTo }: BulkFilter): boolean {
  return nonceFrom !== undefined || nonceTo !== undefined
}

/** Each member of the filter; absent ones match all. A transaction without a nonce is in no range of nonces. `tags` are the transaction's. */
export function matches(
  filter: BulkFilter,
  transaction: Transaction,
  instant: TimestampMs,
  tags: readonly string[],
): boolean {
  const { payload, lifecycle } = transaction
  const status: Status = statusOf(transaction)
  const nonce = 'nonce' in lifecycle ? lifecycle.nonce : undefined
  const { ids, to, selector, statuses, valueFrom, valueTo, nonceFrom, nonceTo } = filter
  return (
    (ids === undefined || ids.includes(transaction.id)) &&
    (to === undefined || payload.to === to) &&
    (selector === undefined || selectorOf(payload) === selector) &&
    (filter.tags === undefined || filter.tags.some((tag) => tags.includes(tag))) &&
    (statuses === undefined || statuses.some((each) => each === status)) &&
    isCreatedBetween(createdWithin(filter, instant), transaction.createdAt) &&
    (valueFrom === undefined || payload.value >= valueFrom) &&
    (valueTo === undefined || payload.value <= valueTo) &&
    (!hasNonces(filter) || (nonce !== undefined && nonce >= (nonceFrom ?? 0) && nonce <= (nonceTo ?? nonce)))
  )
}

/**
 * The first and the last creation that match, if there are bounds. With `createdTo` at an earlier instant both are as they were then, so
 * that nothing grows into an age in the meantime.
 */
export function createdWithin(
  { createdTo, olderThanMs, newerThanMs }: BulkFilter,
  instant: TimestampMs,
): { readonly from?: TimestampMs; readonly to?: TimestampMs } {
  const at = Math.min(createdTo ?? instant, instant)
  const to = olderThanMs === undefined ? createdTo : at - olderThanMs
  return {
    ...(newerThanMs !== undefined && { from: at - newerThanMs + 1 }),
    ...(to !== undefined && { to }),
  }
}

function isCreatedBetween({ from, to }: ReturnType<typeof createdWithin>, createdAt: TimestampMs): boolean {
  return (from === undefined || createdAt >= from) && (to === undefined || createdAt <= to)
}

const selectorChars = 10

function selectorOf({ to, data }: Payload): string | undefined {
  return to === undefined ? undefined : data.slice(0, selectorChars)
}
