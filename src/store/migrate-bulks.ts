// Bulk cancellations as objects. It has landed, and is never edited.

export const bulksTable = `CREATE TABLE bulks (
    id TEXT PRIMARY KEY, origin TEXT NOT NULL, name TEXT, reason TEXT, filter TEXT NOT NULL, every_relayer INTEGER NOT NULL,
    pause INTEGER NOT NULL, only_what TEXT, max_cost TEXT, requested_at BIGINT NOT NULL, requested_by TEXT,
    idempotency_key TEXT, digest TEXT
  )`

export const bulkPartsTable = (id: string) =>
  `CREATE TABLE bulk_parts (
    ${id}, bulk_id TEXT NOT NULL, relayer_id TEXT NOT NULL, state TEXT NOT NULL, requester TEXT, instant BIGINT, walking TEXT,
    walked BIGINT NOT NULL DEFAULT 0, through BIGINT NOT NULL DEFAULT 0, blocked_through BIGINT NOT NULL DEFAULT 0,
    unwritten BIGINT NOT NULL DEFAULT 0, ${counts.map((name) => `${name} BIGINT NOT NULL DEFAULT 0`).join(', ')},
    refusals TEXT, spent TEXT, final_at BIGINT
  )`

const counts = [
  ...['dropped', 'racing', 'won', 'lost', 'external', 'unsettled', 'safe', 'unpriced', 'gwei', 'wei', 'already'],
]

/** The mark of an earlier release becomes an object. PostgreSQL has none. */
const ofMarks = [
  {
    sqlite: `INSERT INTO bulks (id, origin, filter, every_relayer, pause, requested_at)
      SELECT printf('%08x-%04x-7000-8000-%012x', requested_at / 65536, requested_at % 65536, rowid), 'delete', '{}', 0, 0, requested_at
      FROM bulk_cancellations`,
  },
  {
    sqlite: `INSERT INTO bulk_parts (bulk_id, relayer_id, state, instant, walking, through, blocked_through, unwritten)
      SELECT printf('%08x-%04x-7000-8000-%012x', requested_at / 65536, requested_at % 65536, rowid), relayer_id, 'taking', requested_at,
        'pending', through, through, unwritten
      FROM bulk_cancellations`,
  },
  // The table itself leaves a release later: on PostgreSQL replicas of the version before still read it.
  'DELETE FROM bulk_cancellations',
]

export const bulkStatements = [
  'CREATE INDEX bulks_requested ON bulks (requested_at, id)',
  'CREATE UNIQUE INDEX bulks_key ON bulks (requested_by, idempotency_key) WHERE idempotency_key IS NOT NULL',
  'CREATE UNIQUE INDEX bulk_parts_bulk ON bulk_parts (bulk_id, relayer_id)',
  'CREATE INDEX bulk_parts_relayer ON bulk_parts (relayer_id, id)',
  // Each step looks here, and finds nothing: a relayer has at most one.
  "CREATE UNIQUE INDEX bulk_parts_taking ON bulk_parts (relayer_id) WHERE state = 'taking'",
  "CREATE INDEX bulk_parts_waiting ON bulk_parts (id) WHERE state = 'waiting'",
  'ALTER TABLE transactions ADD COLUMN bulk_part BIGINT',
  'CREATE INDEX transactions_bulk ON transactions (bulk_part, sequence) WHERE bulk_part IS NOT NULL',
  ...ofMarks,
]
