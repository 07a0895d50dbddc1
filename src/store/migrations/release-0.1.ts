// The migrations of release 0.1, oldest first. They have landed, and are never edited.
import { type Migration, numbered } from './migration.ts'
import { waits } from './waits.ts'

const inProgress = {
  sqlite: `CREATE INDEX transactions_in_progress ON transactions (relayer_id, open, confirmed_at, nonce) WHERE open = 1 AND nonce IS NOT NULL AND confirmed_at IS NULL`,
  postgres: `CREATE INDEX transactions_in_progress ON transactions (relayer_id, nonce) WHERE open = 1 AND nonce IS NOT NULL AND confirmed_at IS NULL`,
}

// Amounts are text: 2^256 fits no integer column. Partial indexes keep a step's cost proportional to the open rows.
export const ofRelease01: readonly Migration[] = [
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
      // A nonce belongs to one open transaction: this index refuses a second. `open` is in the key so that SQLite prefers
      // it to transactions_nonce, which holds the whole history.
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
      // Ids keep rising only while the newest row stays, so pruning leaves it.
      numbered(
        (id) => `CREATE TABLE outbox (
        ${id}, relayer_id TEXT NOT NULL, transaction_id TEXT NOT NULL,
        status TEXT NOT NULL, status_reason TEXT, terminal INTEGER NOT NULL, occurred_at BIGINT NOT NULL
      )`,
      ),
      'CREATE TABLE tallies (relayer_id TEXT NOT NULL, status TEXT NOT NULL, count BIGINT NOT NULL, PRIMARY KEY (relayer_id, status))',
    ],
  },
  {
    name: '002-idempotency',
    statements: [
      // The primary key decides between two requests that arrive at once.
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
      // The transaction as it was at the event, where its row has changed since.
      "ALTER TABLE outbox ADD COLUMN kind TEXT NOT NULL DEFAULT 'update'",
      'ALTER TABLE outbox ADD COLUMN nonce BIGINT',
      'ALTER TABLE outbox ADD COLUMN hash TEXT',
      'ALTER TABLE outbox ADD COLUMN revision INTEGER NOT NULL DEFAULT 0',
      'ALTER TABLE outbox ADD COLUMN sent_at BIGINT',
      // The notification that the relayer named at the time of the event.
      'ALTER TABLE outbox ADD COLUMN notification_id TEXT',
      // One row: events up to it may be pruned.
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
      // A revoked key keeps its row: the audit log names it, and its later use is distinguished from an unknown key.
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
      // Ids keep rising only while the newest row stays, so pruning leaves it.
      numbered(
        (id) => `CREATE TABLE audit_log (${id}, last_at BIGINT NOT NULL, count BIGINT NOT NULL, entries TEXT NOT NULL)`,
      ),
      'CREATE INDEX audit_log_count ON audit_log (count)',
    ],
  },
  {
    name: '008-deliveries',
    statements: [
      'CREATE INDEX outbox_notification ON outbox (notification_id, id) WHERE notification_id IS NOT NULL',
      // A row per notification that a relayer ever named: its position in the outbox, and the owner of its queue.
      `CREATE TABLE delivery_queues (
        notification_id TEXT PRIMARY KEY, position BIGINT NOT NULL, waiting BIGINT NOT NULL,
        leased_by TEXT, leased_until BIGINT NOT NULL
      )`,
      // A delivered row is deleted. due_at is null behind an earlier event of the same transaction, and for dead letters.
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
      // For relayers of an earlier version: their notifications receive events from now on, not the whole history.
      `INSERT INTO delivery_queues (notification_id, position, waiting, leased_by, leased_until)
        SELECT DISTINCT notification_id, (SELECT COALESCE(MAX(id), 0) FROM outbox), 0, NULL, 0
        FROM relayers WHERE notification_id IS NOT NULL`,
    ],
  },
  {
    name: '009-explained-below',
    statements: [
      // Where they differ, a history check is unfinished; earlier versions left none to the next owner.
      'ALTER TABLE relayers ADD COLUMN explained_below BIGINT NOT NULL DEFAULT 0',
      'UPDATE relayers SET explained_below = spent_below',
    ],
  },
  {
    name: '010-room-in-indexes',
    // PostgreSQL writes a changed row anew, and adds an entry next to its first one in each of these indexes.
    statements: ['transactions_pkey', 'transactions_sequence', 'transactions_nonce'].map((index) => ({
      postgres: `ALTER INDEX ${index} SET (fillfactor = 50)`,
    })),
  },
  { name: '011-l1-fee', statements: ['ALTER TABLE transactions ADD COLUMN l1_fee TEXT'] },
  {
    name: '012-suspected-no-ops',
    statements: [
      'ALTER TABLE transactions ADD COLUMN suspected_hash TEXT',
      'ALTER TABLE transactions ADD COLUMN suspected_nonce BIGINT',
      // Empty except after a restore.
      `CREATE INDEX transactions_suspected ON transactions (relayer_id, sequence) WHERE open = 1 AND suspected_hash IS NOT NULL`,
    ],
  },
  // Null: not every broadcast is certain to have been rejected, as for those of earlier versions.
  { name: '013-rejections', statements: ['ALTER TABLE attempts ADD COLUMN rejections TEXT'] },
  { name: '014-waits', statements: waits },
  {
    name: '015-unchecked-through',
    // Null: the last history check is complete. The next owner begins another one.
    statements: ['ALTER TABLE relayers ADD COLUMN unchecked_through BIGINT'],
  },
  {
    name: '016-finality',
    // Null also in earlier rows: a step confirms the mined ones, and final ones were confirmed when they became final.
    statements: ['transactions', 'outbox'].map((table) => `ALTER TABLE ${table} ADD COLUMN confirmed_at BIGINT`),
  },
  {
    name: '017-created-by',
    // Null: the service itself made it, or an earlier version stored it.
    statements: ['ALTER TABLE transactions ADD COLUMN created_by TEXT'],
  },
  // The indexes of the transactions that are confirmed and not final.
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
  {
    name: '019-signatures',
    statements: [
      // Ids keep rising only while the newest row stays, so pruning leaves it.
      numbered(
        (id) =>
          `CREATE TABLE signatures (${id}, relayer_id TEXT NOT NULL, transaction_id TEXT, signer_id TEXT NOT NULL, key_version TEXT NOT NULL, digest TEXT NOT NULL, request_id TEXT, signed_at BIGINT NOT NULL)`,
      ),
      'CREATE INDEX signatures_transaction ON signatures (transaction_id) WHERE transaction_id IS NOT NULL',
    ],
  },
  // The tables of the dashboard: its sessions, and the gas that relayers paid on each day.
  {
    name: '020-dashboard-sessions',
    statements: [
      'CREATE TABLE dashboard_sessions (digest TEXT PRIMARY KEY, key_id TEXT NOT NULL, created_at BIGINT NOT NULL, used_at BIGINT NOT NULL)',
      'CREATE INDEX dashboard_sessions_key ON dashboard_sessions (key_id, used_at)',
    ],
  },
  {
    name: '021-daily-gas',
    statements: [
      `CREATE TABLE daily_gas (
        relayer_id TEXT NOT NULL, day BIGINT NOT NULL, transactions BIGINT NOT NULL, no_ops BIGINT NOT NULL,
        unpriced BIGINT NOT NULL, gwei BIGINT NOT NULL, wei BIGINT NOT NULL, PRIMARY KEY (relayer_id, day)
      )`,
      'CREATE INDEX daily_gas_day ON daily_gas (day, relayer_id)',
    ],
  },
  // The no-ops that are signed before a cancellation. They stay until their nonce is final.
  {
    name: '022-presigned-no-ops',
    statements: [
      // `sealed` is null until the hash is durable.
      `CREATE TABLE presigned_no_ops (
        relayer_id TEXT NOT NULL, nonce BIGINT NOT NULL, hash TEXT NOT NULL, gas_limit BIGINT NOT NULL,
        gas_price TEXT, max_fee_per_gas TEXT, max_priority_fee_per_gas TEXT, sealed TEXT, signed_at BIGINT NOT NULL,
        PRIMARY KEY (relayer_id, nonce, hash)
      )`,
      'ALTER TABLE attempts ADD COLUMN presigned INTEGER NOT NULL DEFAULT 0',
    ],
  },
  {
    name: '023-bulk-cancellations',
    statements: [
      'CREATE TABLE bulk_cancellations (relayer_id TEXT PRIMARY KEY, through BIGINT NOT NULL, requested_at BIGINT NOT NULL)',
    ],
  },
  // The indexes by which old rows are found, and how far they were shrunk. Each search begins at the oldest row,
  // whatever the number of rows.
  {
    name: '024-retention',
    statements: [
      'CREATE INDEX transactions_ended ON transactions (ended_at) WHERE open = 0',
      'CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at)',
    ],
  },
  {
    name: '025-shrunk-attempts',
    // No row: none is shrunk. The rows of earlier releases shrink while the service runs.
    statements: [
      `CREATE TABLE attempts_shrunk (
        relayer_id TEXT NOT NULL, chain_id BIGINT NOT NULL, address TEXT NOT NULL, below BIGINT NOT NULL,
        PRIMARY KEY (relayer_id, chain_id, address)
      )`,
    ],
  },
  {
    name: '026-bulk-counts',
    statements: [
      'ALTER TABLE bulk_cancellations ADD COLUMN unwritten BIGINT NOT NULL DEFAULT 0',
      // A process may have died between two portions.
      `UPDATE bulk_cancellations SET unwritten = (
        SELECT COUNT(*) FROM transactions WHERE transactions.relayer_id = bulk_cancellations.relayer_id
          AND transactions.status = 'pending' AND transactions.sequence <= bulk_cancellations.through)`,
    ],
  },
  // The counts of transactions by buckets of sequences.
  {
    name: '027-tally-buckets',
    statements: [
      // Without a second tree for the key: most commits write a row of it.
      {
        sqlite: `CREATE TABLE tally_buckets (relayer_id TEXT NOT NULL, bucket BIGINT NOT NULL, status TEXT NOT NULL,
          count BIGINT NOT NULL, PRIMARY KEY (relayer_id, bucket, status)) WITHOUT ROWID`,
      },
      // The number is bucketSize of transactions/tally-buckets.ts.
      {
        sqlite: `INSERT INTO tally_buckets (relayer_id, bucket, status, count)
          SELECT relayer_id, sequence / 16384, status, COUNT(*) FROM transactions GROUP BY relayer_id, sequence / 16384, status`,
      },
    ],
  },
  // The number of audit records. SQLite reads on the thread that answers requests, and a sum over a million rows takes
  // 80 ms.
  {
    name: '028-audit-count',
    // On PostgreSQL one row for all commits would make them wait for each other, and the sum holds up no request.
    statements: [
      { sqlite: 'CREATE TABLE audit_count (id INTEGER PRIMARY KEY, count BIGINT NOT NULL)' },
      { sqlite: 'INSERT INTO audit_count (id, count) SELECT 1, COALESCE(SUM(count), 0) FROM audit_log' },
      {
        sqlite:
          'CREATE TRIGGER audit_log_inserted AFTER INSERT ON audit_log BEGIN UPDATE audit_count SET count = count + NEW.count WHERE id = 1; END',
      },
      {
        sqlite:
          'CREATE TRIGGER audit_log_deleted AFTER DELETE ON audit_log BEGIN UPDATE audit_count SET count = count - OLD.count WHERE id = 1; END',
      },
    ],
  },
  // The buckets of sequences on PostgreSQL. Replicas of an earlier version may still write transactions there, and count
  // them in no bucket: a trigger records their relayers.
  {
    name: '029-uncounted-relayers',
    statements: [
      // SQLite has it since 027.
      {
        postgres: `CREATE TABLE tally_buckets (relayer_id TEXT NOT NULL, bucket BIGINT NOT NULL, status TEXT NOT NULL,
          count BIGINT NOT NULL, PRIMARY KEY (relayer_id, bucket, status))`,
      },
      'CREATE TABLE uncounted_relayers (relayer_id TEXT PRIMARY KEY, changes BIGINT NOT NULL)',
      // Once in a database transaction: `changes` is the number of the last one.
      {
        postgres: `CREATE FUNCTION record_uncounted() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
          DECLARE
            relayer uncounted_relayers.relayer_id%TYPE := COALESCE(NEW.relayer_id, OLD.relayer_id);
            present BIGINT := pg_current_xact_id()::text::bigint;
          BEGIN
            IF NOT EXISTS (SELECT 1 FROM uncounted_relayers WHERE relayer_id = relayer AND changes = present) THEN
              INSERT INTO uncounted_relayers (relayer_id, changes) VALUES (relayer, present)
                ON CONFLICT (relayer_id) DO UPDATE SET changes = excluded.changes;
            END IF;
            RETURN NULL;
          END $$`,
      },
      // Sessions of this version and later ones say that they count (postgres/connect.ts).
      {
        postgres: `CREATE TRIGGER transactions_uncounted AFTER INSERT OR DELETE OR UPDATE OF status, sequence, relayer_id
          ON transactions FOR EACH ROW
          WHEN (current_setting('rescind.counts_buckets', true) IS DISTINCT FROM 'yes') EXECUTE FUNCTION record_uncounted()`,
      },
      // Last: the creation of the trigger waits until every open change of a transaction is committed.
      // src/retention/count-buckets.ts then counts in the background.
      {
        postgres: `INSERT INTO uncounted_relayers (relayer_id, changes) SELECT DISTINCT relayer_id, 1 FROM tallies
          ON CONFLICT (relayer_id) DO NOTHING`,
      },
    ],
  },
]
