// A transaction's wait stands beside its history, and the API shows one or the other.
import type { Wait } from './condition.ts'
import type { Transaction } from './transaction.ts'

/** The history is shown again once the wait is over. */
export function withWait(transaction: Transaction, { condition, text }: Wait): Transaction {
  return { ...transaction, wait: { condition, text: shownText(text) } }
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
  const { condition, text } = head.wait
  return withWait(transaction, { condition, text: `waits behind transaction ${head.id}: ${text}` })
}

/** The reason that the API shows: the wait, else the last entry of the history. */
export function statusReasonOf({ wait, statusReason }: Pick<Transaction, 'wait' | 'statusReason'>): string | undefined {
  return wait?.text ?? statusReason
}

/** A contract may revert with a megabyte of words. */
const charsMax = 500

/** A text as it is stored and shown. Rows hold no U+0000: with it, the stored text would differ from the original. */
export function shownText(text: string): string {
  const plain = text.replaceAll('\0', '')
  return plain.length > charsMax ? `${plain.slice(0, charsMax)}…` : plain
}
