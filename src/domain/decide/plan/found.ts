// What a history check finds: transactions of the queue that a lost part of the history sent or canceled.
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
