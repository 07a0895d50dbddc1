// The part of the store port for what reverted transactions returned.
import type { TransactionId } from '../domain/ids.ts'
import type { RevertData } from '../domain/revert-data.ts'

export interface RevertReads {
  /** The last recorded one: after a reorganization its block may be another than the transaction's. */
  revert(id: TransactionId): Promise<RevertData | undefined>
}

export interface RevertChanges {
  /** It goes with its transaction. */
  recordRevert(id: TransactionId, revert: RevertData): Promise<void>
}
