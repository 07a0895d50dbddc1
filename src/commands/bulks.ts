// Bulk cancellations whose queue is written in shares, as commands see them.
import type { RelayerId, TransactionId } from '../domain/ids.ts'

export interface Bulks {
  /** A queue that is longer is written in shares of so many. */
  readonly share: number
  /**
   * Resolves to the ids, oldest first, once all of them are written. Rejects when a share can't be written: the others follow
   * in the background, as they do after a crash.
   */
  finish(relayerId: RelayerId): Promise<readonly TransactionId[]>
}
