// The part of the store port for bulk cancellations.
import type { BulkCancellation, BulkShare } from '../domain/bulk-cancellation.ts'
import type { RelayerId } from '../domain/ids.ts'
import type { TimestampMs } from '../domain/units.ts'

export interface BulkReads {
  /** The relayers whose queue is canceled, and not written yet. */
  bulksUnderWay(): Promise<readonly RelayerId[]>
}

export interface BulkChanges {
  /**
   * Records a cancellation of every pending transaction, lowest nonce first. Returns their ids in that order, and the ids of
   * rows that could not be changed. A queue longer than `share` is only marked: `cancelShare` writes it. Throws StaleWrite
   * while a queue is marked.
   */
  cancelPending(relayerId: RelayerId, now: TimestampMs, share?: number): Promise<BulkCancellation>
  /** Writes the next `share` transactions of a marked queue, oldest first. */
  cancelShare(relayerId: RelayerId, share: number): Promise<BulkShare>
}
