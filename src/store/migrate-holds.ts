// Sends on hold. It has landed, and is never edited.

export const ofHolds = [
  {
    name: '055-holds',
    statements: [
      // JSON; null unless it is on hold. `held_until` is then never null: what time never ends lies beyond every time.
      'ALTER TABLE transactions ADD COLUMN hold TEXT',
      'ALTER TABLE transactions ADD COLUMN held_until BIGINT',
      // Its condition names a column that no other transaction has: changes of a phase leave this index alone.
      'CREATE INDEX transactions_held ON transactions (relayer_id, held_until) WHERE held_until IS NOT NULL',
      'DROP INDEX transactions_expiring',
      `CREATE INDEX transactions_expiring ON transactions (relayer_id, valid_until) WHERE phase IN ('queued', 'held') AND valid_until IS NOT NULL`,
    ],
  },
]
