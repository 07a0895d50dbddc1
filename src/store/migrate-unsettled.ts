// The indexes of the transactions that are confirmed and not final.

const inProgress = {
  sqlite: `CREATE INDEX transactions_in_progress ON transactions (relayer_id, open, confirmed_at, nonce) WHERE open = 1 AND nonce IS NOT NULL AND confirmed_at IS NULL`,
  postgres: `CREATE INDEX transactions_in_progress ON transactions (relayer_id, nonce) WHERE open = 1 AND nonce IS NOT NULL AND confirmed_at IS NULL`,
}

export const ofUnsettled = [
  {
    name: '018-unsettled',
    // A step leaves out the rows that are confirmed and not final. Those with a foreign spender are few: it reads them.
    statements: [
      // Each planner prefers it to transactions_open_nonce, which has every open row: SQLite for its columns, PostgreSQL
      // for its condition.
      inProgress,
      `CREATE INDEX transactions_displaced ON transactions (relayer_id, open, included_kind, nonce) WHERE open = 1 AND confirmed_at IS NOT NULL AND included_kind = 'external'`,
      `CREATE INDEX transactions_unsettled ON transactions (relayer_id, included_block, nonce) WHERE open = 1 AND confirmed_at IS NOT NULL AND included_kind <> 'external'`,
      `CREATE INDEX transactions_unsettled_wait ON transactions (relayer_id, wait_condition, confirmed_at) WHERE open = 1 AND confirmed_at IS NOT NULL AND included_kind <> 'external'`,
    ],
  },
]
