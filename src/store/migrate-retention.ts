// The indexes by which old rows are found, and how far they were shrunk. Each search begins at the oldest row, whatever the
// number of rows.

export const ofRetention = [
  {
    name: '024-retention',
    statements: [
      'CREATE INDEX transactions_ended ON transactions (ended_at) WHERE open = 0',
      'CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at)',
    ],
  },
  {
    name: '025-shrunk-attempts',
    // No row: none is shrunk. The rows of earlier releases shrink while the service runs.
    statements: [
      `CREATE TABLE attempts_shrunk (
        relayer_id TEXT NOT NULL, chain_id BIGINT NOT NULL, address TEXT NOT NULL, below BIGINT NOT NULL,
        PRIMARY KEY (relayer_id, chain_id, address)
      )`,
    ],
  },
]
