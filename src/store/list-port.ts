// Part of the store port: a relayer's transactions, by filters. Amounts and times are exact.
import type { Address, RelayerId, TransactionId } from '../domain/ids.ts'
import type { Status, Transaction } from '../domain/transaction.ts'
import type { Nonce, TimestampMs, Wei } from '../domain/units.ts'
import type { Page, PageItem, PageRequest } from './page-port.ts'

/** Each member narrows the list; bounds are inclusive. `to` and the values are those of the newest payload. */
export interface TransactionFilter {
  readonly status?: Status
  /** As stored, with its checksum. */
  readonly to?: Address
  readonly nonceFrom?: Nonce
  readonly nonceTo?: Nonce
  readonly createdFrom?: TimestampMs
  readonly createdTo?: TimestampMs
  readonly valueFrom?: Wei
  readonly valueTo?: Wei
  readonly externalId?: string
  readonly tag?: string
  /** In lower case: the beginning of an id or, with 0x, of the hash of an attempt. */
  readonly text?: string
}

/** The position of a transaction in every list of its relayer. It stays valid when the transaction is removed. */
export interface ListPosition {
  readonly sequence: number
  readonly createdAt: TimestampMs
}

/** With `before`, the list begins after that position, and pages count from there. */
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

/** It names its transaction before that is read. */
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
  /** In the same order. */
  transactionMatches(relayerId: RelayerId, filter: TransactionFilter, before?: ListPosition): Promise<Matches>
  /** Those that still exist, in the order of `ids`. */
  transactionItemsOf(relayerId: RelayerId, ids: readonly TransactionId[]): Promise<readonly TransactionItem[]>
  /** Undefined: the relayer has no transaction with this id. */
  positionOf(relayerId: RelayerId, id: TransactionId): Promise<ListPosition | undefined>
}
