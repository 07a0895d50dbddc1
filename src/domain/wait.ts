// A transaction's wait stands beside its history, and the API shows one or the other.
import { shownText } from './stored-text.ts'
import type { Transaction } from './transaction.ts'
import type { TimestampMs } from './units.ts'
import type { Reason } from './wait-facts.ts'
import { sentenceOf } from './wait-sentence.ts'

/** The history is shown again once the wait is over. The time of a condition that goes on is kept, even if it is unknown. */
export function withWait(transaction: Transaction, reason: Reason, now: TimestampMs): Transaction {
  const { condition, facts } = reason
  const { wait: before, cancellation } = transaction
  const text = sentenceOf(reason, cancellation !== undefined)
  const since = before?.condition === condition ? before.since : now
  return { ...transaction, wait: { condition, text, facts, ...(since !== undefined && { since }) } }
}

export function withoutWait(transaction: Transaction): Transaction {
  if (!transaction.wait) return transaction
  const { wait: _, ...rest } = transaction
  return rest
}

/** The first of a queue, and why it waits. */
export interface QueueHead extends Pick<Transaction, 'id' | 'sequence' | 'wait'> {}

/** Whether it may wait behind another one: nothing of its own holds it up. */
export function mayWaitBehind({ lifecycle, wait, suspectedNoOp }: Transaction): boolean {
  return lifecycle.phase === 'queued' && !wait && !suspectedNoOp
}

/** First in, first out: the wait of the first in the queue holds up the others. Shown, and not stored. */
export function waitingBehind(transaction: Transaction, head: QueueHead | undefined): Transaction {
  if (!head?.wait || !mayWaitBehind(transaction) || transaction.sequence <= head.sequence) return transaction
  const text = shownText(`waits behind transaction ${head.id}: ${head.wait.text}`)
  return { ...transaction, wait: { ...head.wait, text } }
}

/** The reason that the API shows: the wait, else the last entry of the history. */
export function statusReasonOf({ wait, statusReason }: Pick<Transaction, 'wait' | 'statusReason'>): string | undefined {
  return wait?.text ?? statusReason
}

/** A new entry in the history ends the wait. */
export function withReason(transaction: Transaction, statusReason: string | undefined): Transaction {
  const { statusReason: _, ...rest } = withoutWait(transaction)
  return statusReason === undefined ? rest : { ...rest, statusReason: shownText(statusReason) }
}
