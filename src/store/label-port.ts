// The part of the store port for the names that clients give to their transactions.
import type { RelayerId, TransactionId } from '../domain/ids.ts'
import type { IdHolder, Labels } from '../domain/labels.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { TimestampMs } from '../domain/units.ts'

export interface LabelReads {
  /** Of those that have any. */
  labels(ids: readonly TransactionId[]): Promise<ReadonlyMap<TransactionId, Labels>>
}

export interface LabelChanges {
  /** Of a transaction that this unit stores. */
  insertLabels(transaction: Transaction, labels: Labels): Promise<void>
  /** The transaction that holds this `external_id` of the relayer. The unit has locked the relayer. */
  holderOf(relayerId: RelayerId, externalId: string): Promise<IdHolder | undefined>
  /** Frees the ids whose transactions ended before this time and were removed, at most `rows`. Returns how many. */
  pruneExternalIds(before: TimestampMs, rows: number): Promise<number>
}
