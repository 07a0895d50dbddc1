// The tables of transactions: their rows and attempts, the names that clients give to them, and their idempotency keys.
import type { Sql } from './migration.ts'

// The payload comes last: on SQLite a read of the columns before it passes over no data. What nodes answered to a transaction's broadcasts
// is in its own row, which each answer changes anyway: the rows of attempts are written once.
const tables: readonly Sql[] = [
  `CREATE TABLE transactions (
    id TEXT PRIMARY KEY, relayer_id TEXT NOT NULL, sequence BIGINT NOT NULL, version BIGINT NOT NULL,
    created_at BIGINT NOT NULL, created_by TEXT, origin TEXT NOT NULL, valid_until BIGINT,
    phase TEXT NOT NULL, open INTEGER NOT NULL, status TEXT NOT NULL, listed_status TEXT, status_reason TEXT,
    wait_condition TEXT, wait_facts TEXT, wait_since BIGINT,
    hold TEXT, held_until BIGINT, was_held INTEGER, was_passed INTEGER, four_eyes TEXT,
    nonce BIGINT, broadcasts TEXT, sent_at BIGINT, give_ups INTEGER,
    canceled_at BIGINT, cancel_origin TEXT, cancel_cost_max TEXT, verdict TEXT, bulk_part BIGINT,
    ended_at BIGINT, confirmed_at BIGINT, drop_reason TEXT,
    included_kind TEXT, included_hash TEXT, included_block BIGINT, included_block_hash TEXT, included_succeeded INTEGER,
    included_contradicted INTEGER,
    revert_reason TEXT, gas_used BIGINT, effective_gas_price TEXT, l1_fee TEXT, witnesses INTEGER,
    suspected_hash TEXT, suspected_nonce BIGINT,
    from_address TEXT NOT NULL, to_address TEXT, value TEXT NOT NULL, gas_limit BIGINT,
    pricing TEXT NOT NULL, speed TEXT, gas_price TEXT, max_fee_per_gas TEXT, max_priority_fee_per_gas TEXT,
    allow_out_of_gas INTEGER, access_list TEXT, data TEXT NOT NULL, earlier TEXT
  )`,
  `CREATE TABLE attempts (
    transaction_id TEXT NOT NULL, nonce BIGINT NOT NULL, position INTEGER NOT NULL, hash TEXT NOT NULL,
    kind TEXT NOT NULL, revision INTEGER NOT NULL, presigned INTEGER NOT NULL DEFAULT 0,
    recovered INTEGER NOT NULL DEFAULT 0, gas_limit BIGINT NOT NULL,
    gas_price TEXT, max_fee_per_gas TEXT, max_priority_fee_per_gas TEXT,
    recorded_at BIGINT NOT NULL, recorded_at_block BIGINT NOT NULL, broadcast TEXT,
    r TEXT NOT NULL, s TEXT NOT NULL, v BIGINT NOT NULL, raw TEXT NOT NULL,
    PRIMARY KEY (transaction_id, nonce, position)
  )`,
  // The names that clients give to their transactions. Apart from these, whose rows each step reads whole: a send without labels writes none.
  `CREATE TABLE transaction_labels (
    transaction_id TEXT PRIMARY KEY, relayer_id TEXT NOT NULL, sequence BIGINT NOT NULL, created_at BIGINT NOT NULL,
    external_id TEXT, tags TEXT, note TEXT, removed_end BIGINT
  )`,
  `CREATE TABLE transaction_tags (
    transaction_id TEXT NOT NULL, position INTEGER NOT NULL, tag TEXT NOT NULL, relayer_id TEXT NOT NULL,
    sequence BIGINT NOT NULL, created_at BIGINT NOT NULL, PRIMARY KEY (transaction_id, position)
  )`,
  // The primary key decides between two requests that arrive at once.
  `CREATE TABLE idempotency_keys (
    owner TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL, transaction_ids TEXT NOT NULL,
    created_at BIGINT NOT NULL, ended_at BIGINT, PRIMARY KEY (owner, key)
  )`,
]

// Partial indexes keep a step's cost proportional to the open rows.
//
// Most changes of a row are changes of its status. No index names that column, nor another one that such a change sets: on PostgreSQL
// the changed row then stays on its page and writes into no index (HOT), and SQLite writes its page alone. A row is written into indexes
// when it is stored, when it receives its nonce, when it is confirmed, and when it ends.
const ofOpenRows = (queueKey: string): readonly string[] => [
  `CREATE INDEX transactions_queue ON transactions (${queueKey}) WHERE open = 1 AND nonce IS NULL AND held_until IS NULL`,
  'CREATE INDEX transactions_on_hold ON transactions (relayer_id, open, sequence, held_until) WHERE open = 1 AND held_until IS NOT NULL',
  // A step leaves out the rows that are confirmed and not final.
  'CREATE INDEX transactions_in_progress ON transactions (relayer_id, open, sequence) WHERE open = 1 AND nonce IS NOT NULL AND confirmed_at IS NULL',
]

const indexes: readonly Sql[] = [
  // Of two indexes that cost the same, the planner of SQLite takes the first, and that of PostgreSQL the last. SQLite reads sequences of
  // the queue from the index alone, as it has the columns of the condition.
  ...ofOpenRows('relayer_id, open, nonce, held_until, sequence').map((sqlite) => ({ sqlite })),
  // Those that are confirmed or have ended.
  'CREATE INDEX transactions_status ON transactions (relayer_id, listed_status, sequence) WHERE listed_status IS NOT NULL',
  'CREATE UNIQUE INDEX transactions_sequence ON transactions (relayer_id, sequence)',
  // A nonce belongs to one open transaction: this index refuses a second.
  'CREATE UNIQUE INDEX transactions_open_nonce ON transactions (relayer_id, open, nonce) WHERE open = 1 AND nonce IS NOT NULL',
  'CREATE INDEX transactions_nonce ON transactions (relayer_id, open, nonce) WHERE open = 0 AND nonce IS NOT NULL',
  // On PostgreSQL a changed row stays on its page where that has room.
  { postgres: 'ALTER TABLE transactions SET (fillfactor = 70)' },
  // PostgreSQL writes a changed row anew. Unless no index names what changed, it adds an entry next to the first one in each of these.
  ...['transactions_pkey', 'transactions_sequence'].map((index) => ({
    postgres: `ALTER INDEX ${index} SET (fillfactor = 50)`,
  })),
  // Empty except after a restore.
  'CREATE INDEX transactions_suspected ON transactions (relayer_id, sequence) WHERE open = 1 AND suspected_hash IS NOT NULL',
  // Of the confirmed ones, those with a foreign spender are few: a step reads them.
  `CREATE INDEX transactions_displaced ON transactions (relayer_id, open, included_kind, nonce) WHERE open = 1 AND confirmed_at IS NOT NULL AND included_kind = 'external'`,
  `CREATE INDEX transactions_unsettled ON transactions (relayer_id, included_block, nonce) WHERE open = 1 AND confirmed_at IS NOT NULL AND included_kind <> 'external'`,
  `CREATE INDEX transactions_unsettled_wait ON transactions (relayer_id, wait_condition, confirmed_at) WHERE open = 1 AND confirmed_at IS NOT NULL AND included_kind <> 'external'`,
  // Retention finds old rows by it: each search begins at the oldest row, whatever the number of rows.
  'CREATE INDEX transactions_ended ON transactions (ended_at) WHERE ended_at IS NOT NULL',
  // The newest sweep of a relayer is found by its origin. Empty but for the few relayers that were ever swept.
  `CREATE INDEX transactions_sweeps ON transactions (relayer_id, sequence) WHERE origin = 'sweep'`,
  // The nonces of transactions that were given up, and returned to the queue, are found by these. Empty but for the few that were.
  'CREATE INDEX transactions_given_up ON transactions (relayer_id) WHERE give_ups IS NOT NULL',
  // Filtered lists: by time, and by receiver and time.
  'CREATE INDEX transactions_created ON transactions (relayer_id, created_at, sequence)',
  'CREATE INDEX transactions_receiver ON transactions (relayer_id, to_address, created_at, sequence)',
  // The cancellations that came too late: few, and each matters to somebody.
  `CREATE INDEX transactions_too_late ON transactions (relayer_id, verdict, sequence) WHERE (verdict || '') IN ('lost', 'external')`,
  'CREATE INDEX transactions_held ON transactions (relayer_id, held_until) WHERE open = 1 AND held_until IS NOT NULL',
  `CREATE INDEX transactions_expiring ON transactions (relayer_id, valid_until) WHERE open = 1 AND nonce IS NULL AND valid_until IS NOT NULL`,
  'CREATE INDEX transactions_bulk ON transactions (bulk_part, sequence) WHERE bulk_part IS NOT NULL',
  ...ofOpenRows('relayer_id, sequence').map((postgres) => ({ postgres })),

  'CREATE INDEX transaction_labels_external ON transaction_labels (relayer_id, external_id, sequence) WHERE external_id IS NOT NULL',
  'CREATE INDEX transaction_labels_removed ON transaction_labels (removed_end) WHERE removed_end IS NOT NULL',
  'CREATE INDEX transaction_tags_list ON transaction_tags (relayer_id, tag, sequence)',

  // Retention, again: keys by their age, and by the end of their transactions.
  'CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at)',
  'CREATE INDEX idempotency_keys_ended ON idempotency_keys (ended_at) WHERE ended_at IS NOT NULL',
]

export const ofTransactions = [...tables, ...indexes]
