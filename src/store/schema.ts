// The tables, as the queries see them. One schema for every database; migrations.ts creates it.
import type { Generated } from 'kysely'

/** 0 or 1: SQLite has no booleans, and one set of queries serves both databases. */
export type Flag = 0 | 1

export interface RelayerTable {
  id: string
  name: string
  network: string
  chain_id: number
  address: string
  signer_id: string
  notification_id: string | null
  paused: Flag
  policies: string
  epoch: number
  last_sequence: number
  spent_below: number
  explained_below: number
}

export interface TransactionTable {
  id: string
  relayer_id: string
  sequence: number
  version: number
  created_at: number
  origin: string
  from_address: string
  to_address: string | null
  value: string
  data: string
  gas_limit: number | null
  pricing: string
  speed: string | null
  gas_price: string | null
  max_fee_per_gas: string | null
  max_priority_fee_per_gas: string | null
  /** As JSON. */
  access_list: string | null
  /** The payloads that were replaced, oldest first, as JSON. */
  earlier: string | null
  valid_until: number | null
  phase: string
  /** 0 once nothing more can happen to it: everything that does work looks at open rows only. */
  open: Flag
  status: string
  /** History: what happened to it last. */
  status_reason: string | null
  /** What holds it up, one of domain/condition.ts, and the same for people; both null where nothing does. */
  wait_condition: string | null
  wait_text: string | null
  nonce: number | null
  sent_at: number | null
  canceled_at: number | null
  cancel_origin: string | null
  ended_at: number | null
  drop_reason: string | null
  included_kind: string | null
  included_hash: string | null
  included_block: number | null
  included_block_hash: string | null
  included_succeeded: Flag | null
  revert_reason: string | null
  gas_used: number | null
  effective_gas_price: string | null
  l1_fee: string | null
  /** Set once, when a no-op of a lost history was of this transaction or of another; a PUT clears it. */
  suspected_hash: string | null
  suspected_nonce: number | null
}

export interface AttemptTable {
  transaction_id: string
  nonce: number
  /** Counted from 0 within a nonce of a transaction: the order in which they were signed. */
  position: number
  hash: string
  kind: string
  revision: number
  gas_limit: number
  gas_price: string | null
  max_fee_per_gas: string | null
  max_priority_fee_per_gas: string | null
  raw: string
  r: string
  s: string
  v: number
  recorded_at: number
  recorded_at_block: number
  state: string
  handed_at: number | null
  outcome: string | null
  outcome_code: string | null
  outcome_message: string | null
  /** Whether every broadcast of it was rejected, where that is certain. */
  rejections: 'all' | 'allButLast' | null
  /** 1: rebuilt from the chain, as the database had lost it. */
  recovered: Flag
}

/** Every change of a status, in the order of commits, written in the same commit: nothing is lost between the two. */
export interface OutboxTable {
  id: Generated<number>
  relayer_id: string
  transaction_id: string
  status: string
  status_reason: string | null
  terminal: Flag
  occurred_at: number
  kind: Generated<string>
  /** What the transaction looked like then, of an event that is not the last one: later the row tells something else. */
  nonce: number | null
  hash: string | null
  revision: Generated<number>
  sent_at: number | null
  /** Who is told: the notification that the relayer named then. */
  notification_id: string | null
}

/** One row, once anything was pruned: events up to `through` are no longer all there. */
export interface OutboxPrunedTable {
  id: number
  through: number
}

/** One a notification: how far it has taken events over into its deliveries, and who works it off until when. */
export interface DeliveryQueueTable {
  notification_id: string
  position: number
  /** Deliveries that wait. */
  waiting: number
  leased_by: string | null
  leased_until: number
}

/** An event on its way to a notification; deleted when it has arrived. */
export interface DeliveryTable {
  notification_id: string
  event_id: number
  transaction_id: string
  /** `waiting` or `dead`. */
  state: string
  /** Null behind an earlier event of the same transaction, and of the dead. */
  due_at: number | null
  tries: number
  first_tried_at: number | null
  gave_up_at: number | null
  last_error: string | null
}

/** Transactions by status, kept with every write: no page and no gauge ever counts rows. */
export interface TallyTable {
  relayer_id: string
  status: string
  count: number
}

/** What was sent under an idempotency key, for ever: written in the commit of the transactions that it made. */
export interface IdempotencyKeyTable {
  /** The id of the API key. */
  owner: string
  key: string
  /** Of the request, in one canonical form. */
  digest: string
  /** A JSON list, in the order of the request. */
  transaction_ids: string
  created_at: number
}

/** Where the order and the epoch of a deleted relayer ended: its transactions stay, and its id may come back. */
export interface FormerRelayerTable {
  id: string
  chain_id: number
  address: string
  epoch: number
  last_sequence: number
  spent_below: number
  deleted_at: number
}

/** What was configured through the API: entities of its own, and what it changed of the file's. */
export interface ManagedTable {
  kind: string
  id: string
  /** JSON, nothing of it secret. */
  facts: string
  /** See ops/vault.ts. */
  sealed: string | null
  /** Of the whole estate when this row was written: two versions of a row never share one. */
  revision: number
}

/** One row: grows with every change of `managed` and of the relayers' rows, so that another process notices. */
export interface EstateTable {
  id: number
  revision: number
}

/** The keys that the administrator gave out. The key itself is in no row: only its digest. */
export interface ApiKeyTable {
  id: string
  name: string
  digest: string
  /** How the key begins, for people to tell keys apart. */
  hint: string
  /** A JSON list. */
  scopes: string
  /** A JSON list of relayers' ids; null: all of them. */
  relayers: string | null
  created_at: number
  /** The API key that made it. */
  created_by: string
  expires_at: number | null
  revoked_at: number | null
  revoked_by: string | null
  last_used_at: number | null
}

/** What was decided on requests for changes, and which were refused: a row a commit. */
export interface AuditLogTable {
  id: Generated<number>
  /** Of its last entry. */
  last_at: number
  /** Of its entries. */
  count: number
  /** A JSON list of decisions, see domain/audit.ts. */
  entries: string
}

export interface Schema {
  relayers: RelayerTable
  former_relayers: FormerRelayerTable
  managed: ManagedTable
  estate: EstateTable
  transactions: TransactionTable
  attempts: AttemptTable
  outbox: OutboxTable
  outbox_pruned: OutboxPrunedTable
  delivery_queues: DeliveryQueueTable
  deliveries: DeliveryTable
  tallies: TallyTable
  idempotency_keys: IdempotencyKeyTable
  api_keys: ApiKeyTable
  audit_log: AuditLogTable
}
