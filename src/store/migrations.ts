// The schema's history, oldest first. A migration that has landed is never edited.

export interface Migration {
  readonly name: string
  readonly statements: readonly string[]
}

// Amounts are text: 2^256 fits no integer column. Partial indexes keep the work of a step at the size of what is open.
export const migrations: readonly Migration[] = [
  {
    name: '001-foundation',
    statements: [
      `CREATE TABLE relayers (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, network TEXT NOT NULL, chain_id BIGINT NOT NULL,
        address TEXT NOT NULL, signer_id TEXT NOT NULL, notification_id TEXT, paused INTEGER NOT NULL,
        policies TEXT NOT NULL, epoch BIGINT NOT NULL, last_sequence BIGINT NOT NULL, spent_below BIGINT NOT NULL,
        UNIQUE (chain_id, address)
      )`,
      `CREATE TABLE transactions (
        id TEXT PRIMARY KEY, relayer_id TEXT NOT NULL, sequence BIGINT NOT NULL, version BIGINT NOT NULL,
        created_at BIGINT NOT NULL, origin TEXT NOT NULL,
        from_address TEXT NOT NULL, to_address TEXT, value TEXT NOT NULL, data TEXT NOT NULL, gas_limit BIGINT,
        pricing TEXT NOT NULL, speed TEXT, gas_price TEXT, max_fee_per_gas TEXT, max_priority_fee_per_gas TEXT,
        earlier TEXT, valid_until BIGINT,
        phase TEXT NOT NULL, open INTEGER NOT NULL, status TEXT NOT NULL, status_reason TEXT, nonce BIGINT,
        sent_at BIGINT, canceled_at BIGINT, cancel_origin TEXT, ended_at BIGINT, drop_reason TEXT,
        included_kind TEXT, included_hash TEXT, included_block BIGINT, included_block_hash TEXT,
        included_succeeded INTEGER, revert_reason TEXT, gas_used BIGINT, effective_gas_price TEXT
      )`,
      'CREATE UNIQUE INDEX transactions_sequence ON transactions (relayer_id, sequence)',
      'CREATE INDEX transactions_status ON transactions (relayer_id, status, sequence)',
      `CREATE INDEX transactions_expiring ON transactions (relayer_id, valid_until) WHERE phase = 'queued' AND valid_until IS NOT NULL`,
      // A nonce belongs to one open transaction: the database itself refuses a second. `open` is in the key so that SQLite
      // prefers it to transactions_nonce, which holds the whole history.
      'CREATE UNIQUE INDEX transactions_open_nonce ON transactions (relayer_id, open, nonce) WHERE open = 1 AND nonce IS NOT NULL',
      'CREATE INDEX transactions_nonce ON transactions (relayer_id, nonce) WHERE nonce IS NOT NULL',
      `CREATE TABLE attempts (
        transaction_id TEXT NOT NULL, nonce BIGINT NOT NULL, position INTEGER NOT NULL, hash TEXT NOT NULL,
        kind TEXT NOT NULL, revision INTEGER NOT NULL, gas_limit BIGINT NOT NULL,
        gas_price TEXT, max_fee_per_gas TEXT, max_priority_fee_per_gas TEXT,
        raw TEXT NOT NULL, r TEXT NOT NULL, s TEXT NOT NULL, v BIGINT NOT NULL,
        recorded_at BIGINT NOT NULL, recorded_at_block BIGINT NOT NULL,
        state TEXT NOT NULL, handed_at BIGINT, outcome TEXT, outcome_code TEXT, outcome_message TEXT,
        PRIMARY KEY (transaction_id, nonce, position)
      )`,
      // Ids only rise as long as the newest row stays: whoever prunes leaves it.
      `CREATE TABLE outbox (
        id INTEGER PRIMARY KEY, relayer_id TEXT NOT NULL, transaction_id TEXT NOT NULL,
        status TEXT NOT NULL, status_reason TEXT, terminal INTEGER NOT NULL, occurred_at BIGINT NOT NULL
      )`,
      'CREATE TABLE tallies (relayer_id TEXT NOT NULL, status TEXT NOT NULL, count BIGINT NOT NULL, PRIMARY KEY (relayer_id, status))',
    ],
  },
  {
    name: '002-idempotency',
    statements: [
      // The primary key is what decides between two requests that come at once.
      `CREATE TABLE idempotency_keys (
        owner TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL, transaction_ids TEXT NOT NULL,
        created_at BIGINT NOT NULL, PRIMARY KEY (owner, key)
      )`,
    ],
  },
  {
    name: '003-access-lists',
    statements: ['ALTER TABLE transactions ADD COLUMN access_list TEXT'],
  },
  {
    name: '004-events',
    statements: [
      // What the transaction looked like then, as far as its row does not tell it any more.
      "ALTER TABLE outbox ADD COLUMN kind TEXT NOT NULL DEFAULT 'update'",
      'ALTER TABLE outbox ADD COLUMN nonce BIGINT',
      'ALTER TABLE outbox ADD COLUMN hash TEXT',
      'ALTER TABLE outbox ADD COLUMN revision INTEGER NOT NULL DEFAULT 0',
      'ALTER TABLE outbox ADD COLUMN sent_at BIGINT',
      // To whom it goes: the notification that the relayer named then.
      'ALTER TABLE outbox ADD COLUMN notification_id TEXT',
      // One row: the events up to it are no longer all there.
      'CREATE TABLE outbox_pruned (id INTEGER PRIMARY KEY, through BIGINT NOT NULL)',
    ],
  },
  {
    name: '005-managed',
    statements: [
      'CREATE TABLE managed (kind TEXT NOT NULL, id TEXT NOT NULL, facts TEXT NOT NULL, sealed TEXT, revision BIGINT NOT NULL, PRIMARY KEY (kind, id))',
      'CREATE TABLE estate (id INTEGER PRIMARY KEY, revision BIGINT NOT NULL)',
      'INSERT INTO estate (id, revision) VALUES (1, 0)',
      `CREATE TABLE former_relayers (
        id TEXT PRIMARY KEY, chain_id BIGINT NOT NULL, address TEXT NOT NULL, epoch BIGINT NOT NULL,
        last_sequence BIGINT NOT NULL, spent_below BIGINT NOT NULL, deleted_at BIGINT NOT NULL
      )`,
    ],
  },
  {
    name: '006-api-keys',
    statements: [
      // A revoked key keeps its row: the audit log names it, and a later use of it is told from a stranger's.
      `CREATE TABLE api_keys (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL, hint TEXT NOT NULL, scopes TEXT NOT NULL,
        relayers TEXT, created_at BIGINT NOT NULL, created_by TEXT NOT NULL, expires_at BIGINT,
        revoked_at BIGINT, revoked_by TEXT, last_used_at BIGINT
      )`,
      'CREATE UNIQUE INDEX api_keys_digest ON api_keys (digest)',
    ],
  },
  {
    name: '007-audit-log',
    statements: [
      // Ids only rise as long as the newest row stays: whoever prunes leaves it.
      'CREATE TABLE audit_log (id INTEGER PRIMARY KEY, last_at BIGINT NOT NULL, count BIGINT NOT NULL, entries TEXT NOT NULL)',
      'CREATE INDEX audit_log_count ON audit_log (count)',
    ],
  },
  {
    name: '008-deliveries',
    statements: [
      'CREATE INDEX outbox_notification ON outbox (notification_id, id) WHERE notification_id IS NOT NULL',
      // One a notification that a relayer ever named: what of the outbox it has taken over, and who works it off.
      `CREATE TABLE delivery_queues (
        notification_id TEXT PRIMARY KEY, position BIGINT NOT NULL, waiting BIGINT NOT NULL,
        leased_by TEXT, leased_until BIGINT NOT NULL
      )`,
      // What is delivered is deleted. due_at is null behind an earlier event of the same transaction, and of the dead.
      `CREATE TABLE deliveries (
        notification_id TEXT NOT NULL, event_id BIGINT NOT NULL, transaction_id TEXT NOT NULL, state TEXT NOT NULL,
        due_at BIGINT, tries INTEGER NOT NULL, first_tried_at BIGINT, gave_up_at BIGINT, last_error TEXT,
        PRIMARY KEY (notification_id, event_id)
      )`,
      'CREATE INDEX deliveries_due ON deliveries (notification_id, due_at, event_id) WHERE due_at IS NOT NULL',
      'CREATE INDEX deliveries_transaction ON deliveries (notification_id, transaction_id, event_id)',
      'CREATE INDEX deliveries_event ON deliveries (event_id)',
      `CREATE INDEX deliveries_dead ON deliveries (notification_id, event_id) WHERE state = 'dead'`,
      'CREATE INDEX deliveries_gave_up ON deliveries (gave_up_at) WHERE gave_up_at IS NOT NULL',
      // A relayer of an earlier version: told from now on, and not its whole history.
      `INSERT INTO delivery_queues (notification_id, position, waiting, leased_by, leased_until)
        SELECT DISTINCT notification_id, (SELECT COALESCE(MAX(id), 0) FROM outbox), 0, NULL, 0
        FROM relayers WHERE notification_id IS NOT NULL`,
    ],
  },
]
