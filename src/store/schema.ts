// The tables, as the queries see them. One schema for every database; migrations.ts creates it.
import type { Generated } from 'kysely'
import type { Attempt, BroadcastOutcome, BroadcastState, RejectionCode } from '../domain/attempt.ts'
import type { Condition } from '../domain/condition.ts'
import type { EventKind } from '../domain/event.ts'
import type { Pricing, Speed } from '../domain/fees.ts'
import type { Address, Hash, Hex, NetworkName, NonEmpty, RelayerId, TransactionId } from '../domain/ids.ts'
import type {
  AccessList,
  CancellationIntent,
  DropReason,
  Inclusion,
  Lifecycle,
  Status,
  Transaction,
} from '../domain/transaction.ts'
import type { ApiKeyTable, AuditLogTable, IdempotencyKeyTable } from './access-tables.ts'
import type { Json } from './json.ts'
import type { EntityKind } from './store.ts'

/** 0 or 1: SQLite has no booleans, and one set of queries serves both databases. */
export type Flag = 0 | 1

export interface RelayerTable {
  id: RelayerId
  name: string
  network: NetworkName
  chain_id: number
  address: Address
  signer_id: string
  notification_id: string | null
  paused: Flag
  policies: string
  epoch: number
  last_sequence: number
  spent_below: number
  explained_below: number
}

/** What a client asked for. */
export interface PayloadColumns {
  from_address: Address
  to_address: Address | null
  value: string
  data: Hex
  gas_limit: number | null
  pricing: Pricing['kind']
  speed: Speed | null
  gas_price: string | null
  max_fee_per_gas: string | null
  max_priority_fee_per_gas: string | null
  access_list: Json<AccessList> | null
}

export interface TransactionTable extends PayloadColumns {
  id: TransactionId
  relayer_id: RelayerId
  sequence: number
  version: number
  created_at: number
  origin: Transaction['origin']
  /** The payloads that were replaced, oldest first. */
  earlier: Json<NonEmpty<PayloadColumns>> | null
  valid_until: number | null
  phase: Lifecycle['phase']
  /** 0 once nothing more can happen to it: everything that does work looks at open rows only. */
  open: Flag
  status: Status
  /** History: what happened to it last. */
  status_reason: string | null
  /** What holds it up, one of domain/condition.ts, and the same for people; both null where nothing does. */
  wait_condition: Condition | null
  wait_text: string | null
  nonce: number | null
  sent_at: number | null
  canceled_at: number | null
  cancel_origin: CancellationIntent['origin'] | null
  ended_at: number | null
  drop_reason: DropReason | null
  included_kind: Attempt['kind'] | Exclude<Inclusion['by'], 'attempt'> | null
  included_hash: Hash | null
  included_block: number | null
  included_block_hash: Hash | null
  included_succeeded: Flag | null
  revert_reason: string | null
  gas_used: number | null
  effective_gas_price: string | null
  l1_fee: string | null
  /** Set once, when a no-op of a lost history was of this transaction or of another; a PUT clears it. */
  suspected_hash: Hash | null
  suspected_nonce: number | null
}

export interface AttemptTable {
  transaction_id: TransactionId
  nonce: number
  /** Counted from 0 within a nonce of a transaction: the order in which they were signed. */
  position: number
  hash: Hash
  kind: Attempt['kind']
  revision: number
  gas_limit: number
  gas_price: string | null
  max_fee_per_gas: string | null
  max_priority_fee_per_gas: string | null
  raw: Hex
  r: Hex
  s: Hex
  v: number
  recorded_at: number
  recorded_at_block: number
  state: BroadcastState['state']
  handed_at: number | null
  outcome: Exclude<BroadcastOutcome['kind'], 'unsent'> | null
  outcome_code: RejectionCode | 'unrecognized' | null
  outcome_message: string | null
  /** Whether every broadcast of it was rejected, where that is certain. */
  rejections: 'all' | 'allButLast' | null
  /** 1: rebuilt from the chain, as the database had lost it. */
  recovered: Flag
}

/** Every change of a status, in the order of commits, written in the same commit: nothing is lost between the two. */
export interface OutboxTable {
  id: Generated<number>
  relayer_id: RelayerId
  transaction_id: TransactionId
  status: Status
  status_reason: string | null
  terminal: Flag
  occurred_at: number
  kind: Generated<EventKind>
  /** What the transaction looked like then, of an event that is not the last one: later the row tells something else. */
  nonce: number | null
  hash: Hash | null
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
  transaction_id: TransactionId
  state: 'waiting' | 'dead'
  /** Null behind an earlier event of the same transaction, and of the dead. */
  due_at: number | null
  tries: number
  first_tried_at: number | null
  gave_up_at: number | null
  last_error: string | null
}

/** Transactions by status, kept with every write: no page and no gauge ever counts rows. */
export interface TallyTable {
  relayer_id: RelayerId
  status: Status
  count: number
}

/** Where the order and the epoch of a deleted relayer ended: its transactions stay, and its id may come back. */
export interface FormerRelayerTable {
  id: RelayerId
  chain_id: number
  address: Address
  epoch: number
  last_sequence: number
  spent_below: number
  deleted_at: number
}

/** What was configured through the API: entities of its own, and what it changed of the file's. */
export interface EntityTable {
  kind: EntityKind
  id: string
  /** JSON, nothing of it secret. */
  facts: string
  /** See ops/vault.ts. */
  sealed: string | null
  /** Of the whole registry when this row was written: two versions of a row never share one. */
  revision: number
}

/** One row: grows with every change of `managed` and of the relayers' rows, so that another process notices. */
export interface RevisionTable {
  id: number
  revision: number
}

export interface Schema {
  relayers: RelayerTable
  former_relayers: FormerRelayerTable
  managed: EntityTable
  estate: RevisionTable
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
