// The part of the store port for data beside transactions: labels and figures.
import type { CallCount, FigureRange, FigureSums } from '../domain/figures.ts'
import type { RelayerId, TransactionId } from '../domain/ids.ts'
import type { IdHolder, Labels } from '../domain/labels.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { TimestampMs } from '../domain/units.ts'

export interface TransactionReads {
  /** The labels of each transaction that has any. */
  labels(ids: readonly TransactionId[]): Promise<ReadonlyMap<TransactionId, Labels>>
  /** The figures of this relayer, or of all, by network and oldest first. A step in which nothing happened is absent. */
  figures(range: FigureRange, relayerId?: RelayerId): Promise<readonly FigureSums[]>
  /** The calls to this network's nodes, or to those of all. */
  nodeCalls(range: FigureRange, network?: string): Promise<readonly CallCount[]>
}

export interface TransactionChanges {
  /** Inserts the labels of a transaction that this unit stores. */
  insertLabels(transaction: Transaction, labels: Labels): Promise<void>
  /** The transaction that holds this `external_id` of the relayer. The unit has locked the relayer. */
  holderOf(relayerId: RelayerId, externalId: string): Promise<IdHolder | undefined>
  /** Frees the ids whose transactions ended before this time and were removed, at most `rows`. Returns how many. */
  pruneExternalIds(before: TimestampMs, rows: number): Promise<number>
  addNodeCalls(network: string, count: CallCount): Promise<void>
  /** Deletes the oldest figures from before this time, at most `rows` of each table. Returns how many of the table with more. */
  pruneFigures(before: TimestampMs, rows: number): Promise<number>
}
