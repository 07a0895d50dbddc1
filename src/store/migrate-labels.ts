// Names that clients give to their transactions, and the end from which the age of an idempotency key counts. It has landed, and is never
// edited.

export const ofLabels = [
  {
    name: '054-labels',
    // Apart from the transactions, whose rows each step reads whole. A send without labels writes none of this.
    statements: [
      `CREATE TABLE transaction_labels (
        transaction_id TEXT PRIMARY KEY, relayer_id TEXT NOT NULL, sequence BIGINT NOT NULL, created_at BIGINT NOT NULL,
        external_id TEXT, tags TEXT, note TEXT, removed_end BIGINT
      )`,
      `CREATE INDEX transaction_labels_external ON transaction_labels (relayer_id, external_id, sequence)
        WHERE external_id IS NOT NULL`,
      'CREATE INDEX transaction_labels_removed ON transaction_labels (removed_end) WHERE removed_end IS NOT NULL',
      `CREATE TABLE transaction_tags (
        transaction_id TEXT NOT NULL, position INTEGER NOT NULL, tag TEXT NOT NULL, relayer_id TEXT NOT NULL,
        sequence BIGINT NOT NULL, created_at BIGINT NOT NULL, PRIMARY KEY (transaction_id, position)
      )`,
      'CREATE INDEX transaction_tags_list ON transaction_tags (relayer_id, tag, sequence)',
      // Null: not read yet. Its transactions may be open.
      'ALTER TABLE idempotency_keys ADD COLUMN ended_at BIGINT',
      'CREATE INDEX idempotency_keys_ended ON idempotency_keys (ended_at) WHERE ended_at IS NOT NULL',
    ],
  },
]
