// An event: that something of a transaction changed, and the transaction as it stood then.
import type { Attempt } from './attempt.ts'
import type { Hash, RelayerId, TransactionId } from './ids.ts'
import {
  isTerminal,
  revisionOf,
  type Status,
  shownAttempt,
  spenderKind,
  statusOf,
  type Transaction,
} from './transaction.ts'
import type { Nonce, TimestampMs } from './units.ts'
import { statusReasonOf } from './wait.ts'

/**
 * - `update`: the status changed, or the transaction ended.
 * - `attention`: the status stands, and its reason tells what holds it up or went wrong: a hand may help.
 */
export type EventKind = 'update' | 'attention'

export interface TransactionEvent {
  /** Rises in the order of commits. After a restore from an older copy an id may come again, at another time. */
  readonly id: number
  readonly kind: EventKind
  readonly status: Status
  /** Nothing comes after it. */
  readonly terminal: boolean
  readonly occurredAt: TimestampMs
  /** As it stood then. */
  readonly transaction: Transaction
}

/** What the filters of a stream look at. */
export interface EventSubject {
  readonly relayerId: RelayerId
  readonly transactionId: TransactionId
}

/** What a transaction looked like, as far as it can't be read from the transaction later. */
export interface Appearance {
  readonly nonce?: Nonce
  /** Of the attempt that was shown. */
  readonly hash?: Hash
  /** Of the payload that was shown. */
  readonly revision: number
  readonly sentAt?: TimestampMs
  readonly statusReason?: string
}

/** What a change is worth telling as; undefined when it is not. */
export function eventOf(before: Transaction, after: Transaction): EventKind | undefined {
  if (statusOf(before) !== statusOf(after) || isTerminal(after) !== isTerminal(before)) return 'update'
  return wantsAttention(before, after) ? 'attention' : undefined
}

/** A replacement is no event: its client has the answer. */
function wantsAttention(before: Transaction, after: Transaction): boolean {
  const { lifecycle, cancellation, wait } = after
  const wasMined = before.lifecycle.phase === 'mined'
  // A cancellation is meant to go on with our no-op being mined, which is an event once it is final.
  if ('inclusion' in lifecycle) return !wasMined && spenderKind(lifecycle.inclusion) === 'foreign'
  if (wasMined || recoveredIn(after) > recoveredIn(before)) return true
  // The node refuses its payload for good.
  if (cancellation && !before.cancellation) return true
  // By the condition alone: a text whose figures follow prices must not make an event of each block.
  if (wait) return wait.condition !== before.wait?.condition
  // What held the race up is over, and no status shows that.
  return cancellation !== undefined && before.wait !== undefined
}

function recoveredIn({ lifecycle }: Transaction): number {
  return 'attempts' in lifecycle ? lifecycle.attempts.filter(({ recovered }) => recovered).length : 0
}

export function appearanceOf(transaction: Transaction): Appearance {
  const { lifecycle, sentAt } = transaction
  const statusReason = statusReasonOf(transaction)
  const attempt = shownAttempt(transaction)
  return {
    ...('nonce' in lifecycle && { nonce: lifecycle.nonce }),
    ...(attempt && { hash: attempt.hash }),
    revision: attempt ? (attempt.revision ?? 0) : revisionOf(transaction),
    ...(sentAt !== undefined && { sentAt }),
    ...(statusReason !== undefined && { statusReason }),
  }
}

/** `attempt` is the one that was shown, or any of its nonce when none was. */
export function lookedThen(transaction: Transaction, then: Appearance, attempt: Attempt | undefined): Transaction {
  const { id, relayerId, sequence, createdAt, origin, version, validUntil } = transaction
  const payloads = [...(transaction.earlier ?? []), transaction.payload]
  const [first, ...rest] = payloads.slice(0, then.revision)
  const bound = then.nonce !== undefined && attempt !== undefined
  return {
    ...{ id, relayerId, sequence, createdAt, origin, version },
    ...(validUntil !== undefined && { validUntil }),
    payload: payloads[then.revision] ?? transaction.payload,
    ...(first && { earlier: [first, ...rest] }),
    lifecycle: bound ? { phase: 'inFlight', nonce: then.nonce, attempts: [attempt] } : { phase: 'queued' },
    ...(then.sentAt !== undefined && { sentAt: then.sentAt }),
    ...(then.statusReason !== undefined && { statusReason: then.statusReason }),
  }
}
