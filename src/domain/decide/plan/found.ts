// The findings of a history check: transactions of the queue that a lost part of the history sent or canceled, and the reasons recorded.
import type { LostNoOp, MinedPayload, Spender } from '../../observation.ts'
import type { Transaction } from '../../transaction.ts'

/** A transaction of the queue, the spender that executed it, and the payload that the spender carries. */
export interface Found {
  readonly transaction: Transaction
  readonly spender: Spender
  readonly signed: MinedPayload
  readonly revision: number
}

/** A transaction of the queue, and the no-op that canceled it, or may have. */
export interface NoOpMatch {
  readonly transaction: Transaction
  readonly noOp: LostNoOp
}

export interface NoOpMatches {
  readonly canceled: readonly NoOpMatch[]
  /** More than one transaction is possible. Excludes those that are already marked. */
  readonly suspected: readonly NoOpMatch[]
}

/** The reason that is recorded for a transaction that was found on the chain, and not in the database. */
export const recoveredReason =
  'sent by a part of its history that this database does not hold: was it restored from an older copy?'

/** The reason of a restored cancellation. */
export const restoredReason =
  'restored from the chain, as this database does not hold it: was it restored from an older copy?'
