// Presents an event: the body of a webhook, and the data of a line of the stream.
import { type Static, Type } from 'typebox'
import type { TransactionEvent } from '../../domain/event.ts'
import { some, time } from '../response/forms.ts'
import { labelsSchema, presentLabels } from '../response/present-labels.ts'
import { presentTime } from '../response/present-time.ts'
import { presentTransaction, transactionExample, transactionSchema } from '../transactions/present-transaction.ts'

export const eventSchema = Type.Object(
  {
    id: Type.String({
      description: "The event's id, the same at each delivery; its number rises in the order of commits",
      examples: [some.eventId],
    }),
    event: Type.Enum(['transaction_update', 'transaction_attention', 'transaction_alarm'], {
      description: 'alarm: a reorganization took back an execution that was confirmed',
    }),
    timestamp: time('When it happened'),
    terminal: Type.Boolean({ description: 'The last event of this transaction' }),
    payload: Type.Object(
      { payload_type: Type.Literal('transaction'), ...transactionSchema.properties },
      {
        title: 'EventPayload',
        additionalProperties: false,
        description: 'The transaction as it was then',
        examples: [{ payload_type: 'transaction', ...transactionExample }],
      },
    ),
    labels: Type.Optional(labelsSchema),
  },
  { title: 'Event', additionalProperties: false },
)

export function presentEvent(event: TransactionEvent): Static<typeof eventSchema> {
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
    ...(event.labels && { labels: presentLabels(event.labels) }),
  }
}

/** A database restored from an older copy repeats its numbers; with the time, each id names one event. */
export function presentEventId({ id, occurredAt }: Pick<TransactionEvent, 'id' | 'occurredAt'>): string {
  return `${id}-${occurredAt}`
}
