// The indexes by which old rows are found. Each search begins at the oldest row, whatever the number of rows.

export const ofRetention = [
  {
    name: '024-retention',
    statements: [
      'CREATE INDEX transactions_ended ON transactions (ended_at) WHERE open = 0',
      'CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at)',
    ],
  },
]
