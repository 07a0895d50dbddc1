// An event: a change of a transaction, and the transaction as it was then.
import type { Attempt } from './attempt.ts'
import type { AttentionEvent } from './attention.ts'
import type { BulkEvent } from './bulk-event.ts'
import type { BulkId, Hash, NetworkName, RelayerId, TransactionId } from './ids.ts'
import type { Labels } from './labels.ts'
import {
  confirmedAtOf,
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
 * - `attention`: the status is the same, and its reason says why it waits or what went wrong. An operator may help.
 * - `alarm`: an execution was confirmed, and is not any more: a reorganization took it back, or its inclusion was false or is in doubt. It
 *   follows the `update` of the status.
 */
export type EventKind = 'update' | 'attention' | 'alarm'

export interface TransactionEvent {
  /** The id, which rises in the order of commits. After a restore from an older copy an id may occur again, at another time. */
  readonly id: number
  readonly kind: EventKind
  readonly status: Status
  /** No event comes after it. */
  readonly terminal: boolean
  readonly occurredAt: TimestampMs
  /** When the execution was confirmed, if it was then. Absent also from a terminal event, whose transaction has it. */
  readonly confirmedAt?: TimestampMs
  /** The transaction as it was then. */
  readonly transaction: Transaction
  /** Absent for a transaction without labels. */
  readonly labels?: Labels
}

/** The test of a notification. */
export interface TestEvent {
  readonly id: number
  readonly occurredAt: TimestampMs
  readonly notificationId: string
}

export type StoredEvent = TransactionEvent | BulkEvent | AttentionEvent | TestEvent

/** The subject of an event. */
export type EventSubjectId = TransactionId | BulkId | AttentionSubjectId | `notification ${string}`

/** A relayer, or the nodes of a network. */
export type AttentionSubjectId = `relayer ${RelayerId}` | `network ${NetworkName}`

/** A range of event ids, both ends included. */
export interface EventRange {
  readonly from: number
  readonly to: number
}

/** The facts that the filters of a stream read. */
export interface EventSubject {
  readonly relayerId: RelayerId
  /** Absent from the events of a bulk cancellation and of a relayer. */
  readonly transactionId?: TransactionId
}

/** How a transaction looked then, as far as its row can't show it later. */
interface Appearance {
  readonly nonce?: Nonce
  /** The shown attempt's. */
  readonly hash?: Hash
  /** The shown payload's. */
  readonly revision: number
  readonly sentAt?: TimestampMs
  readonly statusReason?: string
}

/** The relayers, or the transaction, whose readers see the event. */
export function subjectsOf(event: StoredEvent): readonly EventSubject[] {
  if ('bulk' in event) return event.changed.map((relayerId) => ({ relayerId }))
  if ('attention' in event) return event.attention.relayers.map(({ id }) => ({ relayerId: id }))
  if ('notificationId' in event) return []
  const { relayerId, id: transactionId } = event.transaction
  return [{ relayerId, transactionId }]
}

/** The events that a change makes, in their order. */
export function eventsOf(before: Transaction, after: Transaction): readonly EventKind[] {
  const kind = eventOf(before, after)
  return [...(kind ? [kind] : []), ...(isTakenBack(before, after) ? (['alarm'] as const) : [])]
}

/** Whether an execution was confirmed, and is not any more. */
function isTakenBack(before: Transaction, after: Transaction): boolean {
  return confirmedAtOf(before) !== undefined && confirmedAtOf(after) === undefined
}

function eventOf(before: Transaction, after: Transaction): EventKind | undefined {
  if (statusOf(before) !== statusOf(after) || isTerminal(after) !== isTerminal(before)) return 'update'
  return wantsAttention(before, after) ? 'attention' : undefined
}

/** The first event of a stored transaction: only one on hold has a first event before its nonce. */
export function firstEventOf({ lifecycle }: Transaction): EventKind | undefined {
  return lifecycle.phase === 'held' ? 'attention' : undefined
}

/** A replacement is no event: its client has the answer. */
function wantsAttention(before: Transaction, after: Transaction): boolean {
  const { lifecycle, cancellation, wait } = after
  const wasMined = before.lifecycle.phase === 'mined'
  // Our no-op being mined is the goal of a cancellation. It is an event once it is final.
  const beginsToWait = wait !== undefined && wait.condition !== before.wait?.condition
  if ('inclusion' in lifecycle) return beginsToWait || (!wasMined && spenderKind(lifecycle.inclusion) === 'foreign')
  if (wasMined || recoveredIn(after) > recoveredIn(before)) return true
  // A release: no status shows it.
  if (before.lifecycle.phase === 'held' && lifecycle.phase === 'queued') return true
  // The node refuses its payload for good.
  if (cancellation && !before.cancellation) return true
  // Only the condition counts: figures of a text follow prices, and would make each block an event.
  if (wait) return beginsToWait
  // The race is no longer held up, and no status shows that.
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

/** `attempt` is the one that was shown, or any of its nonce if none was. */
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
