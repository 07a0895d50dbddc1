// The payloads of an hour that every node refused, by the API key that sent them. It has landed, and is never edited.

export const ofGiveUps = [
  {
    name: '037-give-ups',
    statements: [
      `CREATE TABLE give_ups (relayer_id TEXT NOT NULL, key_id TEXT NOT NULL, given_up_at BIGINT NOT NULL,
        transaction_id TEXT NOT NULL, PRIMARY KEY (relayer_id, key_id, given_up_at, transaction_id))`,
      // The last of them, so that a send counts none in a relayer without any.
      'ALTER TABLE relayers ADD COLUMN gave_up_at BIGINT',
    ],
  },
  {
    name: '038-returning',
    // Null: never given up, or by an earlier release, for good.
    statements: ['ALTER TABLE transactions ADD COLUMN give_ups INTEGER'],
  },
]
