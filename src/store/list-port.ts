// The part of the store port for lists: their pages, the transactions of a relayer by filters, and events that are far apart.
import type { CancellationState } from '../domain/cancel.ts'
import type { EventSubject, StoredEvent } from '../domain/event.ts'
import type { Address, RelayerId, TransactionId } from '../domain/ids.ts'
import type { Status, Transaction } from '../domain/transaction.ts'
import type { Nonce, TimestampMs, Wei } from '../domain/units.ts'

export interface PageRequest {
  /** The number of the page, from 1. */
  readonly page: number
  readonly perPage: number
}

export interface Page<T> {
  readonly items: readonly T[]
  readonly total: number
}

/** An item that may be large. Memory holds as many of them as their reader reads at once. */
export interface PageItem<T> {
  /** About the bytes of its payloads, as text. */
  readonly bytes: number
  /** Reads the item; undefined if it was removed since the page was read. */
  readonly read: () => Promise<T | undefined>
}

/** Each member narrows the list; bounds are inclusive. `to` and the values are those of the newest payload. */
export interface TransactionFilter {
  readonly status?: Status
  /** How its cancellation stands. */
  readonly verdict?: CancellationState
  /** The receiver as stored, with its checksum. */
  readonly to?: Address
  readonly nonceFrom?: Nonce
  readonly nonceTo?: Nonce
  readonly createdFrom?: TimestampMs
  readonly createdTo?: TimestampMs
  readonly valueFrom?: Wei
  readonly valueTo?: Wei
  readonly externalId?: string
  readonly tag?: string
  /** The beginning of an id or, with 0x, of an attempt's hash, in lower case. */
  readonly text?: string
}

/** The position of a transaction in every list of its relayer. It stays valid when the transaction is removed. */
export interface ListPosition {
  readonly sequence: number
  readonly createdAt: TimestampMs
}

/** A page of the list, which with `before` begins after that position: pages count from there. */
export interface ListRequest extends PageRequest {
  readonly before?: ListPosition
}

export interface ListPage<T> extends Page<T> {
  /** Present where `total` is a lower bound: it counts the matches among the rows that were looked at, or older than `before`. */
  readonly isAtLeast?: true
  /** Where the rest of the list begins. Absent at its end. */
  readonly next?: ListPosition
  /** Present where older rows were not looked at: the creation of the last one that was. */
  readonly lookedBackTo?: TimestampMs
}

export interface Match extends ListPosition {
  readonly id: TransactionId
}

/** The matches among the newest `rowsLookedAtMax` rows that an index yields, newest first. */
export interface Matches {
  readonly found: readonly Match[]
  /** The last row that was looked at, where there are more. */
  readonly end?: ListPosition
}

/** An item that names its transaction before that is read. */
export interface TransactionItem extends PageItem<Transaction> {
  readonly id: TransactionId
}

export interface ListReads {
  /** Newest first, all in memory: for a few. */
  transactions(relayerId: RelayerId, filter: TransactionFilter, page: ListRequest): Promise<ListPage<Transaction>>
  /** Newest first: by creation where the filter has `to` or a time, else in the order in which they were accepted. */
  transactionItems(
    relayerId: RelayerId,
    filter: TransactionFilter,
    page: ListRequest,
  ): Promise<ListPage<TransactionItem>>
  /** The transaction's position; undefined if the relayer has none with this id. */
  positionOf(relayerId: RelayerId, id: TransactionId): Promise<ListPosition | undefined>
}

/** The bounds of one read. */
export interface EventSearch {
  /** Events whose subject is read. */
  readonly rows: number
  /** Events that are read as a whole. */
  readonly limit: number
}

export interface SparseWindow {
  readonly events: readonly StoredEvent[]
  /** The last event that was looked at: the next window starts after it. */
  readonly through: number
  /** All rows were looked at, few were wanted, and there may be more. */
  readonly mayBeFar: boolean
}

export interface EventSearchReads {
  /** Reads like `events`, for a reader whose events are far apart: only those that it wants are read as a whole. */
  searchEvents(after: number, search: EventSearch, wanted: (subject: EventSubject) => boolean): Promise<SparseWindow>
  /** The id up to which all events are committed; 0 before the first. Constant time. */
  newestEvent(): Promise<number>
  /** The newest id that an event may have. `newestEvent` of another replica may be ahead of ours, never of this. */
  newestGivenEvent(): Promise<number>
  /** Events up to this id may be pruned; 0 before the first pruning. */
  eventsPrunedThrough(): Promise<number>
  /** Whether another server may have given out this id, for an event that a failover lost. */
  isLostEvent(id: number): Promise<boolean>
}
