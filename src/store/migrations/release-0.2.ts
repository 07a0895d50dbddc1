// The migrations of release 0.2, oldest first. One that has landed is never edited.
import { type Migration, numbered } from './migration.ts'
import { sequences } from './sequences.ts'

/** `id` declares a column of ids that rise with the rows. */
const contradictionsTable = (id: string) =>
  `CREATE TABLE contradictions (${id}, network TEXT NOT NULL, chain_id BIGINT NOT NULL, noted_at BIGINT NOT NULL,
    condition TEXT NOT NULL, question TEXT NOT NULL, answers TEXT NOT NULL)`

const contradictionsIndex = 'CREATE INDEX contradictions_network ON contradictions (network, chain_id, id)'

const bulksTable = `CREATE TABLE bulks (
    id TEXT PRIMARY KEY, origin TEXT NOT NULL, name TEXT, reason TEXT, filter TEXT NOT NULL, every_relayer INTEGER NOT NULL,
    pause INTEGER NOT NULL, only_what TEXT, max_cost TEXT, requested_at BIGINT NOT NULL, requested_by TEXT,
    idempotency_key TEXT, digest TEXT
  )`

const bulkPartsTable = (id: string) =>
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

const bulkStatements = [
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

export const ofRelease02: readonly Migration[] = [
  // The time at which a delivery is given up.
  {
    name: '030-delivery-deadlines',
    statements: [
      // Null for dead letters, and for deliveries that an earlier version took over until give-up.ts dates them.
      'ALTER TABLE deliveries ADD COLUMN gives_up_at BIGINT',
      `CREATE INDEX deliveries_deadline ON deliveries (notification_id, gives_up_at) WHERE state = 'waiting'`,
    ],
  },
  // The record of gap fillers: nonces that were given back, gap fillers for nonces that the record never assigned, and
  // how many more an operator permits.
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
  // What an attempt's row keeps of the answers before the last one.
  {
    name: '032-refusals',
    // Null also in earlier rows: their last answer stands for all of them.
    statements: ['taken_at', 'refused_since'].map((column) => `ALTER TABLE attempts ADD COLUMN ${column} BIGINT`),
  },
  // The facts of a wait, beside its text.
  {
    name: '034-wait-facts',
    // Null also in earlier rows, until their waits change.
    statements: [
      'ALTER TABLE transactions ADD COLUMN wait_facts TEXT',
      'ALTER TABLE transactions ADD COLUMN wait_since BIGINT',
    ],
  },
  // The tips that were believed on a network within a day.
  {
    name: '035-tip-marks',
    // By the chain id as well: a name may stand for another chain later.
    statements: [
      `CREATE TABLE tip_marks (network TEXT NOT NULL, chain_id BIGINT NOT NULL, marked_at BIGINT NOT NULL, tip TEXT NOT NULL,
        PRIMARY KEY (network, chain_id, marked_at))`,
    ],
  },
  // The anchors of networks.
  {
    name: '036-anchors',
    // By the chain id as well: a name may stand for another chain later.
    statements: [
      `CREATE TABLE anchors (network TEXT NOT NULL, chain_id BIGINT NOT NULL, number BIGINT NOT NULL, hash TEXT NOT NULL,
        mined_at BIGINT NOT NULL, recorded_at BIGINT NOT NULL, PRIMARY KEY (network, chain_id))`,
    ],
  },
  // The payloads of an hour that every node refused, by the API key that sent them.
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
  // How many endpoints showed the spender of a nonce when it was final.
  {
    name: '039-witnesses',
    statements: ['ALTER TABLE transactions ADD COLUMN witnesses INTEGER'],
  },
  { name: '040-contradictions', statements: [numbered(contradictionsTable), contradictionsIndex] },
  // The server on which the last event was given out, and the events that failovers lost.
  {
    name: '041-server-identity',
    statements: [
      {
        postgres:
          'CREATE TABLE server_identity (id INTEGER PRIMARY KEY, system_identifier TEXT NOT NULL, timeline BIGINT NOT NULL)',
      },
      // Ids above the first and below the second belong to no event of this server; another one may have given them out.
      { postgres: 'CREATE TABLE lost_events (through_id BIGINT PRIMARY KEY, above_id BIGINT NOT NULL)' },
    ],
  },
  // Whether a client insists on a gas limit that may not pay for a new account.
  {
    name: '042-allow-out-of-gas',
    statements: ['ALTER TABLE transactions ADD COLUMN allow_out_of_gas INTEGER'],
  },
  // A relayer's last sequence is that of its newest transaction (relayers/last-sequence.ts), and its row no longer
  // changes with each send. Replicas of an earlier version still go by the row: triggers keep their writes right.
  {
    name: '043-sequences',
    // On SQLite the name alone: an earlier version would give a sequence out twice, and refuses the file.
    statements: sequences,
  },
  // The changes of a relayer's tallies on PostgreSQL, each a row of its own (transactions/tally-changes.ts).
  {
    name: '044-tally-changes',
    statements: [
      {
        postgres: `CREATE TABLE tally_changes (relayer_id TEXT NOT NULL, id BIGINT GENERATED BY DEFAULT AS IDENTITY, status TEXT NOT NULL,
          change BIGINT NOT NULL, PRIMARY KEY (relayer_id, id))`,
      },
      { postgres: 'CREATE TABLE tally_folds (relayer_id TEXT PRIMARY KEY, through BIGINT NOT NULL)' },
    ],
  },
  // What reverted transactions returned, a row each.
  {
    name: '045-reverts',
    // Apart from the transactions, whose rows each step reads whole.
    statements: ['CREATE TABLE reverts (transaction_id TEXT PRIMARY KEY, revert TEXT NOT NULL)'],
  },
  // The table of events as it was when the last id was given out: a dump that is put back makes another table.
  {
    name: '046-restored',
    // Null: the server of an earlier version, which did not read it.
    statements: [{ postgres: 'ALTER TABLE server_identity ADD COLUMN outbox_oid BIGINT' }],
  },
  // What an operator reads of a relayer beside its transactions: a row each.
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
  // The newest sweep of a relayer is found by its origin.
  {
    name: '049-sweeps',
    // Empty but for the few relayers that were ever swept.
    statements: [`CREATE INDEX transactions_sweeps ON transactions (relayer_id, sequence) WHERE origin = 'sweep'`],
  },
  // What each replica sees of its nodes: a row a replica.
  {
    name: '050-node-reports',
    // One row, so that a replica writes all of it with one statement every ten seconds.
    statements: [
      'CREATE TABLE node_reports (replica TEXT PRIMARY KEY, read_at BIGINT NOT NULL, networks TEXT NOT NULL)',
    ],
  },
  // The pauses of whole networks, and their copy in the rows of relayers.
  {
    name: '051-network-pauses',
    statements: [
      'CREATE TABLE network_pauses (network TEXT PRIMARY KEY, pause TEXT NOT NULL)',
      // In the row that each send and each step of an owner locks: no statement more, and no commit beside the pause.
      'ALTER TABLE relayers ADD COLUMN network_paused INTEGER NOT NULL DEFAULT 0',
    ],
  },
  // The figures of each five minutes: of relayers, and of the calls to networks' nodes.
  {
    name: '052-figures',
    statements: [
      `CREATE TABLE figures (
        relayer_id TEXT NOT NULL, at BIGINT NOT NULL, sent BIGINT NOT NULL, confirmed BIGINT NOT NULL, failed BIGINT NOT NULL,
        canceled BIGINT NOT NULL, expired BIGINT NOT NULL, delay_ms BIGINT NOT NULL, delay_1 BIGINT NOT NULL,
        delay_2 BIGINT NOT NULL, delay_5 BIGINT NOT NULL, delay_15 BIGINT NOT NULL, delay_30 BIGINT NOT NULL,
        delay_60 BIGINT NOT NULL, delay_120 BIGINT NOT NULL, delay_300 BIGINT NOT NULL, delay_900 BIGINT NOT NULL,
        delay_3600 BIGINT NOT NULL, delay_longer BIGINT NOT NULL, spent BIGINT NOT NULL, no_ops BIGINT NOT NULL,
        unpriced BIGINT NOT NULL, gas BIGINT NOT NULL, gwei BIGINT NOT NULL, wei BIGINT NOT NULL,
        PRIMARY KEY (relayer_id, at)
      )`,
      // For the removal of old ones, and for the sums of all relayers. No change of a row writes it.
      'CREATE INDEX figures_at ON figures (at)',
      `CREATE TABLE node_calls (
        network TEXT NOT NULL, at BIGINT NOT NULL, calls BIGINT NOT NULL, failed BIGINT NOT NULL, PRIMARY KEY (at, network)
      )`,
    ],
  },
  // The indexes of filtered lists: by receiver and time, and by time.
  {
    name: '053-lists',
    statements: [
      'CREATE INDEX transactions_created ON transactions (relayer_id, created_at, sequence)',
      'CREATE INDEX transactions_receiver ON transactions (relayer_id, to_address, created_at, sequence)',
    ],
  },
  // Names that clients give to their transactions, and the end from which the age of an idempotency key counts.
  {
    name: '054-labels',
    // Apart from the transactions, whose rows each step reads whole. A send without labels writes none of this.
    statements: [
      `CREATE TABLE transaction_labels (
        transaction_id TEXT PRIMARY KEY, relayer_id TEXT NOT NULL, sequence BIGINT NOT NULL, created_at BIGINT NOT NULL,
        external_id TEXT, tags TEXT, note TEXT, removed_end BIGINT
      )`,
      `CREATE INDEX transaction_labels_external ON transaction_labels (relayer_id, external_id, sequence)
        WHERE external_id IS NOT NULL`,
      'CREATE INDEX transaction_labels_removed ON transaction_labels (removed_end) WHERE removed_end IS NOT NULL',
      `CREATE TABLE transaction_tags (
        transaction_id TEXT NOT NULL, position INTEGER NOT NULL, tag TEXT NOT NULL, relayer_id TEXT NOT NULL,
        sequence BIGINT NOT NULL, created_at BIGINT NOT NULL, PRIMARY KEY (transaction_id, position)
      )`,
      'CREATE INDEX transaction_tags_list ON transaction_tags (relayer_id, tag, sequence)',
      // Null: not read yet. Its transactions may be open.
      'ALTER TABLE idempotency_keys ADD COLUMN ended_at BIGINT',
      'CREATE INDEX idempotency_keys_ended ON idempotency_keys (ended_at) WHERE ended_at IS NOT NULL',
    ],
  },
  // Sends on hold.
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
  { name: '056-bulks', statements: [bulksTable, numbered(bulkPartsTable), ...bulkStatements] },
  // The bound of a cancellation: the most that one no-op may cost. Null: without one.
  { name: '057-cost-bounds', statements: ['ALTER TABLE transactions ADD COLUMN cancel_cost_max TEXT'] },
  // Sends under four eyes.
  {
    name: '058-four-eyes',
    // JSON; null unless it stands under four eyes.
    statements: ['ALTER TABLE transactions ADD COLUMN four_eyes TEXT'],
  },
  // Previews of bulk cancellations.
  {
    name: '059-bulk-previews',
    statements: [
      // `id`: the digest of the token.
      `CREATE TABLE bulk_previews (
        id TEXT PRIMARY KEY, key_id TEXT NOT NULL, digest TEXT NOT NULL, expires_at BIGINT NOT NULL, used_by TEXT
      )`,
      'CREATE INDEX bulk_previews_unused ON bulk_previews (key_id, expires_at, id) WHERE used_by IS NULL',
      'CREATE INDEX bulk_previews_used ON bulk_previews (used_by) WHERE used_by IS NOT NULL',
      'CREATE INDEX bulk_previews_expiring ON bulk_previews (expires_at) WHERE used_by IS NULL',
      `CREATE TABLE bulk_preview_parts (
        preview_id TEXT NOT NULL, relayer_id TEXT NOT NULL, shown TEXT NOT NULL, matches BIGINT NOT NULL, no_ops BIGINT NOT NULL,
        cost TEXT, cost_max TEXT, PRIMARY KEY (preview_id, relayer_id)
      )`,
      'ALTER TABLE bulks ADD COLUMN preview_id TEXT',
    ],
  },
  // The events of bulk cancellations.
  {
    name: '060-bulk-events',
    statements: [
      // Of the event of a bulk cancellation: the numbers of its parts, as JSON. Its transaction_id is the id of the object.
      'ALTER TABLE outbox ADD COLUMN bulk_parts TEXT',
      // Beside the object and not its parts: the commits that count verdicts write nothing more for it.
      'ALTER TABLE bulks ADD COLUMN shown TEXT',
      'ALTER TABLE bulks ADD COLUMN announced_at BIGINT',
      'ALTER TABLE bulks ADD COLUMN announced INTEGER NOT NULL DEFAULT 0',
      // An earlier release ended them without an event.
      `UPDATE bulks SET announced = 1
        WHERE NOT EXISTS (SELECT 1 FROM bulk_parts WHERE bulk_parts.bulk_id = bulks.id AND bulk_parts.final_at IS NULL)`,
      'CREATE INDEX bulks_unannounced ON bulks (id) WHERE announced = 0',
    ],
  },
  // The mark of a transaction that was on hold.
  { name: '062-was-held', statements: ['ALTER TABLE transactions ADD COLUMN was_held INTEGER'] },
]
