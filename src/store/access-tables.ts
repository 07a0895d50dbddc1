// The tables of API keys, sessions, idempotency keys, labels, the audit log, pre-signed no-ops,
// counts, foreign uses, daily totals, figures of five minutes, anchors, contradictions, reports of owners and of nodes, pauses of networks, believed tips and positions of retention; schema.ts has the others.
import type { Generated } from 'kysely'
import type { Scope } from '../domain/api-key.ts'
import type { Attention } from '../domain/attention.ts'
import type { AuditRecord, AuditShare } from '../domain/audit.ts'
import type { HeldCondition } from '../domain/condition.ts'
import type { ContradictionCondition, ContradictionQuestion, RecordedContradiction } from '../domain/contradiction.ts'
import type { Figure } from '../domain/figures.ts'
import type { Address, ApiKeyId, Hash, NetworkName, NonEmpty, RelayerId, TransactionId } from '../domain/ids.ts'
import type { NodeReport } from '../domain/node-report.ts'
import type { Acknowledgment, RelayerChange } from '../domain/owner-report.ts'
import type { NetworkPause } from '../domain/pause.ts'
import type { Status } from '../domain/transaction.ts'
import type { BlockNumber } from '../domain/units.ts'
import type { Json } from './values.ts'

/** The keys that the administrator created. A row holds a key's digest, never the key. */
export interface ApiKeyTable {
  id: ApiKeyId
  name: string
  digest: string
  /** The key's first characters, so that people can distinguish keys. */
  hint: string
  scopes: Json<readonly Scope[]>
  /** Null: every relayer. */
  relayers: Json<readonly RelayerId[]> | null
  created_at: number
  /** The API key that created this one. */
  created_by: ApiKeyId
  expires_at: number | null
  revoked_at: number | null
  revoked_by: ApiKeyId | null
  last_used_at: number | null
}

/** A row holds the digest of a session's token, never the token. */
export interface DashboardSessionTable {
  digest: string
  /** The API key whose scopes the session has. */
  key_id: ApiKeyId
  created_at: number
  used_at: number
}

/** Audit records of accepted changes and of refusals: one row for each share of a commit. */
export interface AuditLogTable {
  id: Generated<number>
  share: AuditShare
  /** The time of the row's last record. */
  last_at: number
  /** The number of records in the row. */
  count: number
  entries: Json<readonly AuditRecord[]>
}

/** On SQLite only: the number of records of each share. */
export interface AuditCountTable {
  share: AuditShare
  count: number
}

/** A no-op that was signed before a cancellation. Deleted once its nonce is final. */
export interface PresignedNoOpTable {
  relayer_id: RelayerId
  nonce: number
  hash: Hash
  gas_limit: number
  gas_price: string | null
  max_fee_per_gas: string | null
  max_priority_fee_per_gas: string | null
  /** The signed bytes; see ops/vault.ts. Null until the hash is durable. */
  sealed: string | null
  signed_at: number
}

/** The transactions of each idempotency key, kept for ever. A row is written in the commit of its transactions. */
export interface IdempotencyKeyTable {
  owner: ApiKeyId
  key: string
  /** The digest of the request in its canonical form. */
  digest: string
  /** The transactions, in the order of the request's sends. */
  transaction_ids: Json<readonly TransactionId[]>
  created_at: number
  /** The last end of its transactions. Null where it was not read yet: they may be open. */
  ended_at: Generated<number | null>
}

/** A client's names for a transaction: no row for one without any. */
export interface LabelTable {
  transaction_id: TransactionId
  relayer_id: RelayerId
  sequence: number
  created_at: number
  external_id: string | null
  tags: Json<NonEmpty<string>> | null
  note: string | null
  /** When a transaction ended whose row was removed, and whose `external_id` stays. */
  removed_end: number | null
}

/** The tags of `LabelTable` once more, one in a row, for the lists. */
export interface TagTable {
  transaction_id: TransactionId
  /** The tag's place in the request, from 0. */
  position: number
  tag: string
  relayer_id: RelayerId
  sequence: number
  created_at: number
}

/** `bytes`: those of the payloads of pending transactions, the replaced ones included. */
export type Tallied = Status | 'bytes'

/** The number of transactions per status, updated with every write: no page or gauge counts rows. */
export interface TallyTable {
  relayer_id: RelayerId
  status: Tallied
  count: number
}

/** PostgreSQL only: see transactions/tally-changes.ts. */
export interface TallyChangeTable {
  relayer_id: RelayerId
  id: Generated<number>
  status: Tallied
  change: number
}

/** PostgreSQL only. The changes up to `through` are in the tallies. */
export interface TallyFoldTable {
  relayer_id: RelayerId
  through: number
}

/** The spending of final transactions, by relayer and day. The fees are `gwei` * 1e9 + `wei`. */
export interface DailySpendTable {
  relayer_id: RelayerId
  /** Days since 1 January 1970, in UTC. */
  day: number
  transactions: number
  no_ops: number
  /** Transactions whose fees no node reported. */
  unpriced: number
  gwei: number
  wei: number
  /** Fees and values, without those of sweeps. */
  spent_ether: number
  spent_gwei: number
  spent_wei: number
}

/** The figures of a relayer in the five minutes from `at` on (domain/figures.ts). */
export interface FigureTable extends Record<Figure, number> {
  relayer_id: RelayerId
  at: number
}

/** The node calls of all processes in the five minutes from `at` on. */
export interface NodeCallTable {
  network: string
  at: number
  calls: number
  failed: number
}

/** A nonce that a transaction of ours held and gave back. Rows below `spent_below` count for nothing. */
export interface ReleasedNonceTable {
  relayer_id: RelayerId
  nonce: number
}

/** A gap filler for a nonce that the record never assigned, for a day. */
export interface GapFillTable {
  relayer_id: RelayerId
  filled_at: number
  nonce: number
}

/** A payload that every node refused, for an hour. */
export interface GiveUpTable {
  relayer_id: RelayerId
  /** The API key that sent it. */
  key_id: ApiKeyId
  given_up_at: number
  transaction_id: TransactionId
}

/** An operator's last permit for more of them. */
export interface GapPermitTable {
  relayer_id: RelayerId
  fills: number
  granted_at: number
  expires_at: number
}

/** A network's anchor. */
export interface AnchorTable {
  network: string
  chain_id: number
  number: BlockNumber
  hash: Hash
  mined_at: number
  recorded_at: number
}

/** A contradiction between endpoints of a network, for a week. */
export interface ContradictionTable {
  id: Generated<number>
  network: string
  chain_id: number
  noted_at: number
  condition: ContradictionCondition
  question: Json<ContradictionQuestion>
  answers: Json<RecordedContradiction['answers']>
}

/** The last observation of a relayer by its owner. */
export interface OwnerReportTable {
  relayer_id: RelayerId
  observed_at: number
  balance: string | null
  balance_read_at: number | null
  /** JSON: the runway and the warnings. */
  funds: string | null
  /** JSON; owner-reports.ts describes it. */
  conditions: string
  /** What the events of the relayer have shown. */
  attention: Json<Attention>
}

/** What the events about a network's nodes have shown, by the notification of its relayers; that of relayers without one is ''. */
export interface NetworkAttentionTable {
  network: NetworkName
  notification_id: string
  attention: Json<Attention>
}

/** A replica's view of its nodes. */
export interface NodeReportTable {
  replica: string
  read_at: number
  networks: Json<NodeReport['networks']>
}

/** The last change of a relayer by a client. */
export interface RelayerChangeTable {
  relayer_id: RelayerId
  change: Json<RelayerChange>
}

/** The pause of a whole network. */
export interface NetworkPauseTable {
  network: string
  pause: Json<NetworkPause>
}

/** An operator's note on a condition, for as long as the condition goes on. */
export interface AcknowledgmentTable {
  relayer_id: RelayerId
  condition: HeldCondition
  /** When the condition began. */
  since: number
  acknowledgment: Json<Acknowledgment>
}

/** Every nonce below was looked at for foreign uses of the key. */
export interface ForeignLookTable {
  relayer_id: RelayerId
  looked_below: number
}

/** A run of nonces that foreign transactions spent. */
export interface ForeignUseTable {
  relayer_id: RelayerId
  first_nonce: number
  last_nonce: number
  /** Of the transaction that spent the first nonce, with its block. */
  hash: Hash | null
  block: number | null
  found_at: number
  may_be_lost: 0 | 1
  acknowledgment: Json<Acknowledgment> | null
}

/** A tip that was believed on a network, for a day. */
export interface TipMarkTable {
  network: string
  chain_id: number
  marked_at: number
  tip: string
}

/** The last sequence and epoch of a deleted relayer: its transactions stay, and its id may be used again. */
export interface FormerRelayerTable {
  id: RelayerId
  chain_id: number
  address: Address
  epoch: number
  last_sequence: number
  spent_below: number
  deleted_at: number
}
