// Types of the API, written from its OpenAPI document: `npx vitest run --project real test/client/types.test.ts -u`.
import type { BulkCountsView, LabelsView, WaitConditionView, WinnerView } from './shared-types.ts'
import type { TransactionView } from './transaction-types.ts'

export type EventView = TransactionEventView | BulkCancellationEventView | RelayerEventView | TestEventView

export interface TransactionEventView {
  /** The event's id, the same at each delivery; its number rises in the order of commits */
  readonly id: string
  /** Alarm: an execution that was confirmed is not any more: a reorganization took it back, or its inclusion was false or is in doubt */
  readonly event: 'transaction_update' | 'transaction_attention' | 'transaction_alarm'
  /** When it happened */
  readonly timestamp: string
  /** The last event of this transaction */
  readonly terminal: boolean
  readonly payload: EventPayloadView
  readonly cancellation?: CancellationOutcomeView
  readonly labels?: LabelsView
}

/** In the last event of a canceled transaction: how the cancellation ended */
export interface CancellationOutcomeView {
  readonly state: 'racing' | 'dropped' | 'won' | 'lost' | 'external'
  /** This state will not change again */
  readonly final: boolean
  /** The original can never execute, so its payload may be sent again */
  readonly safe_to_retry: boolean
  readonly origin: 'request' | 'expiry' | 'refusal'
  readonly winner?: WinnerView
}

export interface BulkCancellationEventView {
  /** The event's id, the same at each delivery; its number rises in the order of commits */
  readonly id: string
  /** Progress: in streams only, at most once a second. final: every verdict at these relayers is final */
  readonly event: 'bulk_cancellation_progress' | 'bulk_cancellation_final'
  /** When it was observed */
  readonly timestamp: string
  /** The last event of this bulk cancellation at these relayers */
  readonly terminal: boolean
  readonly payload: BulkEventPayloadView
}

/** The bulk cancellation at these relayers, as it was when the event was sent */
export interface BulkEventPayloadView {
  readonly payload_type: 'bulk_cancellation'
  readonly id: string
  /** `delete`: a DELETE of everything pending made it. It sends no webhook */
  readonly origin: 'request' | 'delete'
  readonly name?: string
  readonly reason?: string
  readonly requested_at: string
  /** The API key */
  readonly requested_by?: string
  /** In a stream: those that its reader sees. In a webhook: those of the notification */
  readonly relayers: readonly string[]
  readonly counts: BulkCountsView
  /** Of the final event */
  readonly final_at?: string
}

export interface RelayerEventView {
  /** The event's id, the same at each delivery; its number rises in the order of commits */
  readonly id: string
  readonly event: 'relayer_attention'
  /** When it was observed */
  readonly timestamp: string
  /** No condition is left */
  readonly terminal: boolean
  readonly payload: AttentionPayloadView
}

/** The relayer as it was then */
export interface AttentionPayloadView {
  /** Network: its nodes, which these relayers share. One event for each notification of them */
  readonly payload_type: 'relayer' | 'network'
  /** Of the relayer, or the name of the network */
  readonly id: string
  readonly network: string
  /** In a stream: those that its reader sees. In a webhook: those that name the notification */
  readonly relayers: readonly string[]
  /** Those that have held for a minute, and were not absent for one since */
  readonly conditions: readonly AttentionConditionView[]
  /** Transactions of these relayers in no block */
  readonly waiting: number
}

export interface AttentionConditionView {
  readonly condition: WaitConditionView | 'step_failing' | 'foreign_use'
  readonly since: string
  /** The path of its section at this service */
  readonly runbook: string
}

export interface TestEventView {
  /** The event's id, the same at each delivery; its number rises in the order of commits */
  readonly id: string
  /** A client requested it. In no stream */
  readonly event: 'notification_test'
  /** When it was requested */
  readonly timestamp: string
  readonly terminal: true
  readonly payload: TestPayloadView
}

export interface TestPayloadView {
  readonly payload_type: 'notification'
  readonly id: string
}

/** The transaction as it was then */
export interface EventPayloadView extends TransactionView {
  readonly payload_type: 'transaction'
}

export interface DeadLetterView {
  readonly event: EventView
  readonly tries: number
  /** Absent if the day of the event was over before its first try */
  readonly first_tried_at?: string
  readonly gave_up_at: string
  readonly last_error: string
}
