// The result of canceling everything pending of a relayer, and of a share of it.
import type { TransactionId } from './ids.ts'

export interface BulkCancellation {
  readonly canceled: readonly TransactionId[]
  readonly failed: readonly { readonly id: TransactionId; readonly reason: string }[]
  /** How many of them a node may have: the owner has to win a race for each. */
  readonly racing: number
  /** How many that were canceled before lost the bound of their cost. Absent: none. */
  readonly lifted?: number
  /** No owner takes one of the queue any more, but their rows are to be written. */
  readonly isUnderWay?: true
}

export interface BulkShare {
  readonly canceled: readonly TransactionId[]
  readonly isLast: boolean
}
