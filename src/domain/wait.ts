// A transaction's wait stands beside its history, and the API shows one or the other.
import type { Wait } from './condition.ts'
import type { Transaction } from './transaction.ts'

/** The history is shown again once the wait is over. */
export function withWait(transaction: Transaction, { condition, text }: Wait): Transaction {
  return { ...transaction, wait: { condition, text: shownText(text) } }
}

export function withoutWait(transaction: Transaction): Transaction {
  const { wait: _, ...rest } = transaction
  return rest
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
