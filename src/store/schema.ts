// The tables as the queries see them: one schema for every database, created by migrations.ts.
import type { Generated } from 'kysely'
import type { Attempt, BroadcastState } from '../domain/attempt.ts'
import type { ShownAttention } from '../domain/attention.ts'
import type { BulkEventParts } from '../domain/bulk-event.ts'
import type { CancellationState } from '../domain/cancel.ts'
import type { Condition } from '../domain/condition.ts'
import type { EventKind, EventSubjectId } from '../domain/event.ts'
import type { Pricing, Speed } from '../domain/fees.ts'
import type { FourEyes, Hold } from '../domain/hold.ts'
import type { Address, ApiKeyId, Hash, Hex, NetworkName, NonEmpty, RelayerId, TransactionId } from '../domain/ids.ts'
import type {
  AccessList,
  CancellationIntent,
  DropReason,
  Inclusion,
  Lifecycle,
  Status,
  Transaction,
} from '../domain/transaction.ts'
import type {
  AcknowledgmentTable,
  AnchorTable,
  ApiKeyTable,
  AuditCountTable,
  AuditLogTable,
  ContradictionTable,
  DailySpendTable,
  DashboardSessionTable,
  FigureTable,
  ForeignLookTable,
  ForeignUseTable,
  FormerRelayerTable,
  GapFillTable,
  GapPermitTable,
  GiveUpTable,
  IdempotencyKeyTable,
  LabelTable,
  NetworkAttentionTable,
  NetworkPauseTable,
  NodeCallTable,
  NodeReportTable,
  OwnerReportTable,
  PresignedNoOpTable,
  RelayerChangeTable,
  ReleasedNonceTable,
  TagTable,
  TallyChangeTable,
  TallyFoldTable,
  TallyTable,
  TipMarkTable,
} from './access-tables.ts'
import type { BulkKeyTable, BulkPartTable, BulkTable } from './bulk-tables.ts'
import type { EntityKind } from './store.ts'
import type { Json } from './values.ts'

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
  /** The mark of the relayer's network in `network_pauses`, here so that the lock of the row covers it. */
  network_paused: Flag
  policies: string
  epoch: number
  /** A floor: see relayers/last-sequence.ts. */
  last_sequence: number
  spent_below: number
  explained_below: number
  /** The last sequence when the first of the owners began whose history checks are not complete. Null: one is. */
  unchecked_through: number | null
  /** When it last gave a payload up. Null: never. */
  gave_up_at: number | null
}

/** A transaction on hold is `pending` to clients. */
export type StoredStatus = Status | 'held'

/** The payload that a client sent. */
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
  allow_out_of_gas: 1 | null
}

export interface TransactionTable extends PayloadColumns {
  id: TransactionId
  relayer_id: RelayerId
  sequence: number
  version: number
  created_at: number
  created_by: ApiKeyId | null
  origin: Transaction['origin']
  /** The replaced payloads, oldest first. */
  earlier: Json<NonEmpty<PayloadColumns>> | null
  valid_until: number | null
  phase: Lifecycle['phase']
  /** 0 once the transaction can't change any more: steps read open rows only. */
  open: Flag
  status: StoredStatus
  /** The status, for the index of statuses. Null in the queue, on hold and in progress. */
  listed_status: Status | null
  /** The last change of the transaction, in words. */
  status_reason: string | null
  /** Why it waits: a condition of domain/condition.ts. The three are null when it does not wait. */
  wait_condition: Condition | null
  /** The condition with its facts, as JSON; see transaction-row.ts. */
  wait_facts: string | null
  wait_since: number | null
  nonce: number | null
  /** The broadcast state of each attempt at the nonce, by position. Null: the transaction has no nonce. */
  broadcasts: Json<readonly BroadcastState[]> | null
  sent_at: number | null
  canceled_at: number | null
  cancel_origin: CancellationIntent['origin'] | null
  /** Wei. Null: its no-op has no bound. */
  cancel_cost_max: string | null
  /** Follows from the other columns, and is stored only so that lists can be filtered by it. Null: not canceled. */
  verdict: CancellationState | null
  /** How often it was given up. Null: never. */
  give_ups: number | null
  /** See transaction-row.ts: both are null unless it is on hold. */
  hold: Json<Hold> | null
  held_until: number | null
  /** Null: it does not stand under four eyes. */
  four_eyes: Json<FourEyes> | null
  /** Null: it was never on hold, or still is for the first time. */
  was_held: 1 | null
  was_passed: 1 | null
  ended_at: number | null
  /** When the inclusion had the required confirmations, if it was not final at once. */
  confirmed_at: number | null
  drop_reason: DropReason | null
  included_kind: Attempt['kind'] | Exclude<Inclusion['by'], 'attempt'> | null
  included_hash: Hash | null
  included_block: number | null
  included_block_hash: Hash | null
  included_succeeded: Flag | null
  /** An endpoint shows the block without the payload. */
  included_contradicted: Flag | null
  revert_reason: string | null
  gas_used: number | null
  effective_gas_price: string | null
  l1_fee: string | null
  /** Null before it is final. */
  witnesses: number | null
  /** Set once, for a no-op of a lost history that may belong to this transaction or to another; a PUT clears it. */
  suspected_hash: Hash | null
  suspected_nonce: number | null
  /** The `number` of a row of bulk_parts. */
  bulk_part: number | null
}

export interface AttemptTable {
  transaction_id: TransactionId
  nonce: number
  /** Counted from 0 for each nonce of a transaction, in the order of signing. */
  position: number
  hash: Hash
  kind: Attempt['kind']
  revision: number
  gas_limit: number
  gas_price: string | null
  max_fee_per_gas: string | null
  max_priority_fee_per_gas: string | null
  /** The signed bytes. */
  raw: Hex | ''
  r: Hex
  s: Hex
  v: number
  recorded_at: number
  recorded_at_block: number
  /** The last one before the transaction gave the nonce up. Null: the transaction's row has it. */
  broadcast: Json<BroadcastState> | null
  /** 1: rebuilt from the chain after the database lost it. */
  recovered: Flag
  /** 1: a no-op that was signed before the cancellation. */
  presigned: Flag
}

/** `bulk`: the event of a bulk cancellation for readers of the stream. `bulk_notice`: that for a notification. */
export type BulkRowKind = 'bulk' | 'bulk_notice'
/** An event of a relayer, or of the nodes of a network. */
type AttentionRowKind = 'relayer_attention'
/** The test of a notification. */
type TestRowKind = 'notification_test'

/** Every change of a status, in the order of commits. Each is written in the commit of its change, so none is lost. */
export interface OutboxTable {
  id: Generated<number>
  /** The event's relayer; one of several in the event of a bulk cancellation or of a network's nodes, and '' for none. */
  relayer_id: RelayerId
  transaction_id: EventSubjectId
  status: Status
  status_reason: string | null
  terminal: Flag
  occurred_at: number
  kind: Generated<EventKind | BulkRowKind | AttentionRowKind | TestRowKind>
  /** The transaction as it was at an event that is not its last one: its row has changed since. */
  nonce: number | null
  hash: Hash | null
  revision: Generated<number>
  sent_at: number | null
  confirmed_at: number | null
  /** The notification that the relayer named at the time of the event. */
  notification_id: string | null
  /** The parts of a bulk cancellation, in its event. */
  bulk_parts: Json<BulkEventParts> | null
  /** What the event of a relayer shows. */
  attention: Json<ShownAttention> | null
}

/** One row, once any event was pruned: events up to `through` may be missing. */
interface OutboxPrunedTable {
  id: number
  through: number
}

/** A row per notification: its position in the outbox, its owner and the owner's lease, and whether its last request failed. */
interface DeliveryQueueTable {
  notification_id: string
  position: number
  /** The number of waiting deliveries. */
  waiting: number
  leased_by: string | null
  leased_until: number
  /** The first failure since the last delivery; null where the last request delivered its event. */
  failing_since: number | null
  last_error: string | null
}

/** An event on its way to a notification; deleted once delivered. `gives_up_at` is null for dead letters. */
export interface DeliveryTable {
  notification_id: string
  event_id: number
  transaction_id: EventSubjectId
  state: 'waiting' | 'dead'
  /** Null behind an earlier event of the same transaction, and for dead letters. */
  due_at: number | null
  tries: number
  first_tried_at: number | null
  gave_up_at: number | null
  last_error: string | null
  gives_up_at: number | null
}

/** Entities that the API created, and its changes of the file's entities. */
export interface EntityTable {
  kind: EntityKind
  id: string
  /** JSON, without secrets. */
  facts: string
  /** See ops/vault.ts. */
  sealed: string | null
  /** The registry's revision when the row was written: two versions of a row never share one. */
  revision: number
}

/** One row. The revision grows with every change of `managed` and of relayers' rows, so that other replicas notice. */
interface RevisionTable {
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
  presigned_no_ops: PresignedNoOpTable
  released_nonces: ReleasedNonceTable
  gap_fills: GapFillTable
  give_ups: GiveUpTable
  gap_permits: GapPermitTable
  tip_marks: TipMarkTable
  anchors: AnchorTable
  contradictions: ContradictionTable
  owner_reports: OwnerReportTable
  node_reports: NodeReportTable
  relayer_changes: RelayerChangeTable
  acknowledgments: AcknowledgmentTable
  foreign_looks: ForeignLookTable
  foreign_uses: ForeignUseTable
  network_pauses: NetworkPauseTable
  network_attentions: NetworkAttentionTable
  bulks: BulkTable
  bulk_keys: BulkKeyTable
  bulk_parts: BulkPartTable
  outbox: OutboxTable
  outbox_pruned: OutboxPrunedTable
  delivery_queues: DeliveryQueueTable
  deliveries: DeliveryTable
  tallies: TallyTable
  tally_changes: TallyChangeTable
  tally_folds: TallyFoldTable
  daily_spend: DailySpendTable
  figures: FigureTable
  node_calls: NodeCallTable
  idempotency_keys: IdempotencyKeyTable
  transaction_labels: LabelTable
  transaction_tags: TagTable
  api_keys: ApiKeyTable
  audit_log: AuditLogTable
  audit_count: AuditCountTable
  dashboard_sessions: DashboardSessionTable
}
