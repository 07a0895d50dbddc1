// The tables of bulk cancellations.
import { numbered, type Sql } from './migration.ts'

const counts = [
  ...['dropped', 'racing', 'won', 'lost', 'external', 'unsettled', 'safe', 'unpriced', 'gwei', 'wei', 'already'],
]

export const ofBulks: readonly Sql[] = [
  // `shown` and `announced` stand here and not in the parts: the commits that count verdicts write nothing more for events.
  `CREATE TABLE bulks (
    id TEXT PRIMARY KEY, origin TEXT NOT NULL, name TEXT, reason TEXT, filter TEXT NOT NULL, every_relayer INTEGER NOT NULL,
    pause INTEGER NOT NULL, only_what TEXT, max_cost TEXT, requested_at BIGINT NOT NULL, requested_by TEXT,
    shown TEXT, announced_at BIGINT, announced INTEGER NOT NULL DEFAULT 0, empty INTEGER NOT NULL DEFAULT 0
  )`,
  'CREATE INDEX bulks_requested ON bulks (requested_at, id)',
  'CREATE INDEX bulks_requester ON bulks (requested_by, requested_at, id)',
  'CREATE INDEX bulks_empty ON bulks (requested_at, id) WHERE empty = 1',
  'CREATE INDEX bulks_unannounced ON bulks (id) WHERE announced = 0',

  // Apart from the objects: the key of one that is removed stays, so that a retry takes nothing.
  `CREATE TABLE bulk_keys (
    owner TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL, bulk_id TEXT NOT NULL, created_at BIGINT NOT NULL,
    PRIMARY KEY (owner, key)
  )`,
  'CREATE INDEX bulk_keys_created ON bulk_keys (created_at)',

  numbered(
    (id) => `CREATE TABLE bulk_parts (
    ${id}, bulk_id TEXT NOT NULL, relayer_id TEXT NOT NULL, state TEXT NOT NULL, requester TEXT, instant BIGINT,
    ${counts.map((name) => `${name} BIGINT NOT NULL DEFAULT 0`).join(', ')},
    refusals TEXT, spent TEXT, final_at BIGINT
  )`,
  ),
  'CREATE UNIQUE INDEX bulk_parts_bulk ON bulk_parts (bulk_id, relayer_id)',
  'CREATE INDEX bulk_parts_relayer ON bulk_parts (relayer_id, id)',
  "CREATE INDEX bulk_parts_waiting ON bulk_parts (id) WHERE state = 'waiting'",
]
