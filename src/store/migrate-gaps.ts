// The record of gap fillers: nonces that were given back, gap fillers for nonces that the record never assigned, and
// how many more an operator permits. It has landed, and is never edited.

export const ofGaps = [
  {
    name: '031-gap-fillers',
    statements: [
      'CREATE TABLE released_nonces (relayer_id TEXT NOT NULL, nonce BIGINT NOT NULL, PRIMARY KEY (relayer_id, nonce))',
      `CREATE TABLE gap_fills (relayer_id TEXT NOT NULL, filled_at BIGINT NOT NULL, nonce BIGINT NOT NULL,
        PRIMARY KEY (relayer_id, filled_at, nonce))`,
      `CREATE TABLE gap_permits (relayer_id TEXT PRIMARY KEY, fills BIGINT NOT NULL, granted_at BIGINT NOT NULL,
        expires_at BIGINT NOT NULL)`,
    ],
  },
]
