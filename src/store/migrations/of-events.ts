// The tables of events and of their deliveries.
import { numbered, type Sql } from './migration.ts'

export const ofEvents: readonly Sql[] = [
  // The transaction as it was at the event, where its row has changed since, and the notification that the relayer named then. An event
  // of a bulk cancellation has its id as the transaction's, and the numbers of its parts as JSON.
  // Ids keep rising only while the newest row stays, so pruning leaves it.
  numbered(
    (id) => `CREATE TABLE outbox (
    ${id}, relayer_id TEXT NOT NULL, transaction_id TEXT NOT NULL,
    status TEXT NOT NULL, status_reason TEXT, terminal INTEGER NOT NULL, occurred_at BIGINT NOT NULL,
    kind TEXT NOT NULL DEFAULT 'update', nonce BIGINT, hash TEXT, revision INTEGER NOT NULL DEFAULT 0, sent_at BIGINT,
    confirmed_at BIGINT, notification_id TEXT, bulk_parts TEXT,
    attention TEXT
  )`,
  ),
  'CREATE INDEX outbox_notification ON outbox (notification_id, id) WHERE notification_id IS NOT NULL',
  // One row: events up to it may be pruned.
  'CREATE TABLE outbox_pruned (id INTEGER PRIMARY KEY, through BIGINT NOT NULL)',
  // The server and the table with which the last event was given out: a dump that is put back makes another table.
  {
    postgres:
      'CREATE TABLE server_identity (id INTEGER PRIMARY KEY, system_identifier TEXT NOT NULL, timeline BIGINT NOT NULL, outbox_oid BIGINT NOT NULL)',
  },
  // Ids above the first and below the second belong to no event of this server; another one may have given them out.
  { postgres: 'CREATE TABLE lost_events (through_id BIGINT PRIMARY KEY, above_id BIGINT NOT NULL)' },

  // A row per notification that a relayer ever named: its position in the outbox, and the owner of its queue.
  `CREATE TABLE delivery_queues (
    notification_id TEXT PRIMARY KEY, position BIGINT NOT NULL, waiting BIGINT NOT NULL,
    leased_by TEXT, leased_until BIGINT NOT NULL, failing_since BIGINT, last_error TEXT
  )`,
  // A delivered row is deleted. due_at is null behind an earlier event of the same transaction, and for dead letters.
  `CREATE TABLE deliveries (
    notification_id TEXT NOT NULL, event_id BIGINT NOT NULL, transaction_id TEXT NOT NULL, state TEXT NOT NULL,
    due_at BIGINT, tries INTEGER NOT NULL, first_tried_at BIGINT, gives_up_at BIGINT, gave_up_at BIGINT, last_error TEXT,
    PRIMARY KEY (notification_id, event_id)
  )`,
  'CREATE INDEX deliveries_due ON deliveries (notification_id, due_at, event_id) WHERE due_at IS NOT NULL',
  'CREATE INDEX deliveries_transaction ON deliveries (notification_id, transaction_id, event_id)',
  'CREATE INDEX deliveries_event ON deliveries (event_id)',
  `CREATE INDEX deliveries_dead ON deliveries (notification_id, event_id) WHERE state = 'dead'`,
  'CREATE INDEX deliveries_gave_up ON deliveries (gave_up_at) WHERE gave_up_at IS NOT NULL',
  `CREATE INDEX deliveries_deadline ON deliveries (notification_id, gives_up_at) WHERE state = 'waiting'`,
]
