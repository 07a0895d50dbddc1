// Presents an event: the body of a webhook, and the data of a line of the stream.
import { type Static, Type } from 'typebox'
import type { AttentionEvent } from '../../domain/attention.ts'
import { finalAtOf } from '../../domain/bulk-counts.ts'
import type { BulkEvent } from '../../domain/bulk-event.ts'
import { runbookOf } from '../../domain/condition.ts'
import type { StoredEvent, TestEvent, TransactionEvent } from '../../domain/event.ts'
import { countsSchema, presentBulkSummary } from '../bulk-cancellations/present-bulk.ts'
import { closed, some, such, time } from '../response/forms.ts'
import { labelsSchema, presentLabels, presentTime } from '../response/present-values.ts'
import { outcomeSchema, presentOutcome } from '../transactions/present-cancellation.ts'
import { presentTransaction, transactionExample, transactionSchema } from '../transactions/present-transaction.ts'
import { heldConditionSchema } from '../transactions/present-wait.ts'

const eventId = Type.String({
  description: "The event's id, the same at each delivery; its number rises in the order of commits",
  examples: [some.eventId],
})

const transactionEventSchema = closed('TransactionEvent')({
  id: eventId,
  event: Type.Enum(['transaction_update', 'transaction_attention', 'transaction_alarm'], {
    description:
      'alarm: an execution that was confirmed is not any more: a reorganization took it back, or its inclusion was false or is in doubt',
  }),
  timestamp: time('When it happened'),
  terminal: Type.Boolean({ description: 'The last event of this transaction' }),
  payload: closed('EventPayload', {
    description: 'The transaction as it was then',
    examples: [{ payload_type: 'transaction', ...transactionExample }],
  })({ payload_type: Type.Literal('transaction'), ...transactionSchema.properties }),
  cancellation: Type.Optional(outcomeSchema),
  labels: Type.Optional(labelsSchema),
})

const bulkEventSchema = closed('BulkCancellationEvent')({
  id: eventId,
  event: Type.Enum(['bulk_cancellation_progress', 'bulk_cancellation_final'], {
    description: 'progress: in streams only, at most once a second. final: every verdict at these relayers is final',
  }),
  timestamp: time('When it was observed'),
  terminal: Type.Boolean({ description: 'The last event of this bulk cancellation at these relayers' }),
  payload: closed('BulkEventPayload', {
    description: 'The bulk cancellation at these relayers, as it was when the event was sent',
  })({
    payload_type: Type.Literal('bulk_cancellation'),
    id: such(some.bulkId),
    origin: Type.Enum(['request', 'delete'], {
      description: '`delete`: a DELETE of everything pending made it. It sends no webhook',
    }),
    name: Type.Optional(Type.String()),
    reason: Type.Optional(Type.String()),
    requested_at: time(),
    requested_by: Type.Optional(such(some.apiKeyId, 'The API key')),
    relayers: Type.Array(such('local'), {
      description: 'In a stream: those that its reader sees. In a webhook: those of the notification',
    }),
    counts: countsSchema,
    final_at: Type.Optional(time('Of the final event')),
  }),
})

const attentionEventSchema = closed('RelayerEvent')({
  id: eventId,
  event: Type.Literal('relayer_attention'),
  timestamp: time('When it was observed'),
  terminal: Type.Boolean({ description: 'No condition is left' }),
  payload: closed('AttentionPayload', { description: 'The relayer as it was then' })({
    payload_type: Type.Enum(['relayer', 'network'], {
      description: 'network: its nodes, which these relayers share. One event for each notification of them',
    }),
    id: such('local', 'Of the relayer, or the name of the network'),
    network: such('mainnet'),
    relayers: Type.Array(such('local'), {
      description: 'In a stream: those that its reader sees. In a webhook: those that name the notification',
    }),
    conditions: Type.Array(
      closed('AttentionCondition')({
        condition: heldConditionSchema,
        since: time(),
        runbook: such('/docs/runbook.md#balance_short', 'The path of its section at this service'),
      }),
      { description: 'Those that have held for a minute, and were not absent for one since' },
    ),
    waiting: Type.Integer({ minimum: 0, description: 'Transactions of these relayers in no block' }),
  }),
})

const testEventSchema = closed('TestEvent')({
  id: eventId,
  event: Type.Literal('notification_test', { description: 'A client requested it. In no stream' }),
  timestamp: time('When it was requested'),
  terminal: Type.Literal(true),
  payload: closed('TestPayload')({ payload_type: Type.Literal('notification'), id: such('alerts') }),
})

/** The body of a webhook, and the data of a line of the stream. */
export const eventSchema = Type.Union(
  [transactionEventSchema, bulkEventSchema, attentionEventSchema, testEventSchema],
  {
    title: 'Event',
  },
)

export function presentEvent(event: StoredEvent): Static<typeof eventSchema> {
  if ('attention' in event) return presentAttentionEvent(event)
  if ('notificationId' in event) return presentTestEvent(event)
  return 'bulk' in event ? presentBulkEvent(event) : presentTransactionEvent(event)
}

function presentTestEvent(event: TestEvent): Static<typeof testEventSchema> {
  return {
    ...{
      id: presentEventId(event),
      event: 'notification_test',
      timestamp: presentTime(event.occurredAt),
      terminal: true,
    },
    payload: { payload_type: 'notification', id: event.notificationId },
  }
}

function presentAttentionEvent(event: AttentionEvent): Static<typeof attentionEventSchema> {
  const { network, isOfNetwork, relayers, conditions } = event.attention
  const ids = relayers.map(({ id }) => id)
  return {
    id: presentEventId(event),
    event: 'relayer_attention',
    timestamp: presentTime(event.occurredAt),
    terminal: conditions.length === 0,
    payload: {
      payload_type: isOfNetwork ? 'network' : 'relayer',
      id: isOfNetwork ? network : (ids[0] ?? network),
      ...{ network, relayers: ids },
      conditions: conditions.map(({ condition, since }) => ({
        ...{ condition, since: presentTime(since), runbook: runbookOf(condition) },
      })),
      waiting: relayers.reduce((sum, { waiting }) => sum + waiting, 0),
    },
  }
}

function presentBulkEvent(event: BulkEvent): Static<typeof bulkEventSchema> {
  const { bulk, kind, occurredAt } = event
  const terminal = kind === 'bulkFinal'
  const finalAt = terminal ? finalAtOf(bulk) : undefined
  return {
    id: presentEventId(event),
    event: terminal ? 'bulk_cancellation_final' : 'bulk_cancellation_progress',
    timestamp: presentTime(occurredAt),
    terminal,
    payload: {
      payload_type: 'bulk_cancellation',
      ...presentBulkSummary(bulk),
      ...(finalAt !== undefined && { final_at: presentTime(finalAt) }),
    },
  }
}

function presentTransactionEvent(event: TransactionEvent): Static<typeof transactionEventSchema> {
  const { cancellation } = event.transaction
  return {
    id: presentEventId(event),
    event: `transaction_${event.kind}`,
    timestamp: presentTime(event.occurredAt),
    terminal: event.terminal,
    // The row may have changed since, so the event's own facts replace those of its phase.
    payload: {
      payload_type: 'transaction',
      ...presentTransaction(event.transaction),
      status: event.status,
      ...(event.confirmedAt !== undefined && { confirmed_at: presentTime(event.confirmedAt) }),
    },
    // Before the last event it may change, and the earlier events show no cancellation (`lookedThen`).
    ...(event.terminal && cancellation && { cancellation: presentOutcome(event.transaction, cancellation) }),
    ...(event.labels && { labels: presentLabels(event.labels) }),
  }
}

/** A database restored from an older copy repeats its numbers; with the time, each id names one event. */
export function presentEventId({ id, occurredAt }: Pick<StoredEvent, 'id' | 'occurredAt'>): string {
  return `${id}-${occurredAt}`
}
