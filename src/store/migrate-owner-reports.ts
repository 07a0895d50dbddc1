// What an operator reads of a relayer beside its transactions: a row each. It has landed, and is never edited.

export const ofOwnerReports = [
  {
    name: '048-owner-reports',
    // Apart from the relayers, whose rows each step reads whole, and each send locks.
    statements: [
      `CREATE TABLE owner_reports (
        relayer_id TEXT PRIMARY KEY, observed_at BIGINT NOT NULL, balance TEXT, balance_read_at BIGINT, conditions TEXT NOT NULL
      )`,
      'CREATE TABLE relayer_changes (relayer_id TEXT PRIMARY KEY, change TEXT NOT NULL)',
      // Of a condition that began at this time: another beginning needs another acknowledgment.
      `CREATE TABLE acknowledgments (
        relayer_id TEXT NOT NULL, condition TEXT NOT NULL, since BIGINT NOT NULL, acknowledgment TEXT NOT NULL,
        PRIMARY KEY (relayer_id, condition)
      )`,
    ],
  },
]
