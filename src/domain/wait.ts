// A transaction's wait stands beside its history, and the API shows one or the other. Its condition and its facts decide; the
// sentence is made where it is shown.
import type { Condition } from './condition.ts'
import type { OpenTransaction } from './relayer-overview.ts'
import { shownText } from './stored-text.ts'
import type { Transaction } from './transaction.ts'
import type { TimestampMs } from './units.ts'
import type { Reason } from './wait-facts.ts'
import { sentenceOf } from './wait-sentence.ts'

/** The history is shown again once the wait is over. The time of a condition that goes on is kept. */
export function withWait(transaction: Transaction, reason: Reason, now: TimestampMs): Transaction {
  const { wait: before } = transaction
  const since = before?.condition === reason.condition ? before.since : now
  return { ...transaction, wait: { ...reason, since } }
}

/**
 * Whether two reasons say the same to a reader: each wait that differs is a row written. An amount that moves with the blocks, a
 * balance for example, differs once it has moved by a thousandth; sentences show three digits. Texts are those that rows hold.
 */
export function isSameReason(one: Reason, other: Reason): boolean {
  return one.condition === other.condition && isSameFact(one.facts, other.facts)
}

function isSameFact(one: unknown, other: unknown): boolean {
  if (typeof one === 'bigint' && typeof other === 'bigint') {
    const moved = one > other ? one - other : other - one
    return moved * 1_000n < one || moved === 0n
  }
  if (typeof one === 'string' && typeof other === 'string') return shownText(one) === shownText(other)
  if (!isObject(one) || !isObject(other)) return one === other
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...names].every((name) => isSameFact(one[name], other[name]))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
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
  return { ...transaction, wait: { ...head.wait, behind: head.id } }
}

/** Prices of payloads that the service does not raise. */
const named: readonly Condition[] = ['own_price', 'gas_price_cap']

/** A race waits for the lowest nonce in flight, which a payload at a named price may hold for long. Shown, and not stored. */
export function racingBehind(transaction: Transaction, bound: readonly OpenTransaction[]): Transaction {
  const front = bound.find(({ isMined }) => !isMined)
  if (!front?.wait || front.id === transaction.id || !named.includes(front.wait.condition)) return transaction
  return { ...transaction, wait: { ...front.wait, behind: front.id } }
}

/** The reason that the API shows: the wait, else the last entry of the history. */
export function statusReasonOf({
  wait,
  statusReason,
  cancellation,
}: Pick<Transaction, 'wait' | 'statusReason' | 'cancellation'>): string | undefined {
  return wait ? sentenceOf(wait, cancellation !== undefined) : statusReason
}

/** A new entry in the history ends the wait. */
export function withReason(transaction: Transaction, statusReason: string | undefined): Transaction {
  const { statusReason: _, ...rest } = withoutWait(transaction)
  return statusReason === undefined ? rest : { ...rest, statusReason: shownText(statusReason) }
}
