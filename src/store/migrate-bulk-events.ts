// The events of bulk cancellations. It has landed, and is never edited.

export const ofBulkEvents = [
  {
    name: '060-bulk-events',
    statements: [
      // Of the event of a bulk cancellation: the numbers of its parts, as JSON. Its transaction_id is the id of the object.
      'ALTER TABLE outbox ADD COLUMN bulk_parts TEXT',
      // Beside the object and not its parts: the commits that count verdicts write nothing more for it.
      'ALTER TABLE bulks ADD COLUMN shown TEXT',
      'ALTER TABLE bulks ADD COLUMN announced_at BIGINT',
      'ALTER TABLE bulks ADD COLUMN announced INTEGER NOT NULL DEFAULT 0',
      // An earlier release ended them without an event.
      `UPDATE bulks SET announced = 1
        WHERE NOT EXISTS (SELECT 1 FROM bulk_parts WHERE bulk_parts.bulk_id = bulks.id AND bulk_parts.final_at IS NULL)`,
      'CREATE INDEX bulks_unannounced ON bulks (id) WHERE announced = 0',
    ],
  },
]
