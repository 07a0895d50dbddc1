// Types of the API, written from its OpenAPI document: `npx vitest run --project real test/client/types.test.ts -u`.
import type { EndpointView, NetworkPriceView } from './shared-types.ts'
import type { TransactionView } from './transaction-types.ts'

export interface RelayerView {
  readonly id: string
  readonly name: string
  readonly network: string
  readonly network_type: 'evm'
  readonly chain_id: number
  readonly address: string
  readonly signer_id: string
  readonly notification_id?: string
  /** Its own pause */
  readonly paused: boolean
  /** Its whole network is paused, which is as if the relayer were */
  readonly network_paused: boolean
  readonly system_disabled: boolean
  readonly policies: PoliciesView
  readonly custom_rpc_urls?: readonly EndpointView[]
}

export interface PoliciesView {
  /** Wei */
  readonly min_balance: number | string
  /** Wei */
  readonly gas_price_cap?: number | string
  /** Wei */
  readonly cancel_gas_price_cap?: number | string
  /** Wei */
  readonly cancel_reserve?: number | string
  readonly runway_warning: string
  /** Wei */
  readonly low_balance?: number | string
  readonly presign_cancel: number
  readonly max_in_flight?: number
  readonly eip1559_pricing: boolean
  readonly gas_limit_estimation: boolean
  readonly skip_unfunded: boolean
  readonly whitelist_receivers?: readonly string[]
  readonly whitelist_selectors?: Readonly<Record<string, readonly string[]>>
  /** Wei */
  readonly value_cap?: number | string
  readonly min_hold?: string
  /** Wei */
  readonly hold_above_value?: number | string
  readonly four_eyes: boolean
}

export interface RelayerStatusView {
  readonly network_type: 'evm'
  /** Wei */
  readonly balance: string
  /** The account's next nonce at the head */
  readonly nonce: string
  readonly pending_transactions_count: number
  readonly last_confirmed_transaction_timestamp?: string
  readonly foreign_pending?: ForeignPendingView
  readonly network_price?: NetworkPriceView
  /** It is paused, or its network is */
  readonly paused: boolean
  readonly system_disabled: boolean
}

/** Transactions of the account in pools that this service did not sign; absent without any */
export interface ForeignPendingView {
  readonly count: number
  /** The next nonce, counting the pool */
  readonly pending_nonce: number
  /** The lowest nonces */
  readonly transactions: readonly ForeignTransactionView[]
}

export interface ForeignTransactionView {
  readonly nonce: number
  /** Where a node shows it */
  readonly hash?: string
}

export interface ApiKeyView {
  readonly id: string
  readonly name: string
  /** The first characters of the key */
  readonly hint: string
  readonly scopes: readonly ('read' | 'send' | 'cancel' | 'release' | 'pause' | 'sign' | 'admin')[]
  /** Absent: every relayer */
  readonly relayers?: readonly string[]
  readonly created_at: string
  /** The id of an API key, or `administrator` for the key of the environment */
  readonly created_by: string
  readonly expires_at?: string
  readonly revoked_at?: string
  readonly revoked_by?: string
  /** To the minute; absent: never */
  readonly last_used_at?: string
}

export interface ApiKeyInput {
  /** A name for people, of 1 to 100 characters on one line */
  readonly name: string
  /** A list of the key's scopes: one or more of read, send, cancel, release, pause, sign, admin */
  readonly scopes: readonly ('read' | 'send' | 'cancel' | 'release' | 'pause' | 'sign' | 'admin')[]
  /** A list of 1 to 256 relayers' ids, or nothing for all relayers; each exists */
  readonly relayers?: readonly string[]
  /** A time by RFC 3339, such as "2030-01-31T12:00:00Z", or nothing for a key that does not expire; it lies in the future */
  readonly expires_at?: string
}

export interface NewApiKeyView extends ApiKeyView {
  /** The bearer token; shown in this response only */
  readonly key: string
}

export interface ReadinessView {
  readonly status: 'ready'
  readonly version: string
  readonly relayers: RelayersByStateView
  /** What hinders the process that answers, whatever its relayers do. It serves requests nevertheless */
  readonly conditions: readonly ProcessConditionView[]
}

/** How many relayers are in each state, by the last observations of this process: no node is called. An outage of nodes changes no status code */
export interface RelayersByStateView {
  readonly ok: number
  readonly waiting: number
  readonly paused: number
  readonly unreachable: number
  readonly unobserved: number
}

export interface ProcessConditionView {
  readonly condition:
    | 'database_out'
    | 'database_replaced'
    | 'log_lost'
    | 'notify_queue_full'
    | 'pending_bytes_high'
    | 'disk_low'
  readonly since: string
  readonly reason?: string
  readonly runbook: string
}

export interface SignerProbeView {
  readonly id: string
  readonly address: string
  /** As its key service names it */
  readonly key_version: string
  /** Of the signature, with its retries and its place in the queue */
  readonly latency_ms: number
  /** How far the service's clock is ahead of the key service's; absent where its answers have no date */
  readonly clock_ahead_seconds?: number
  /** When the access token ends; absent without one */
  readonly token_ends_at?: string
}

export interface GapFillerPermitView {
  readonly count: number
  readonly granted_at: string
  readonly valid_until: string
}

export interface GapFillerPermitInput {
  /** A whole number from 1 to 5000 */
  readonly count: number
  /** A whole number of seconds from 1 to 86400 */
  readonly valid_for_seconds?: number
}

export interface SweepView {
  /** The address that gets the balance */
  readonly to: string
  /** Wei, decimal. Absent until the transaction has a nonce, as the balance may change until then */
  readonly value?: string
  /** How many other transactions of the relayer are pending or in flight, canceled ones that still race among them. The sweep waits for those that came before it */
  readonly others: number
  readonly transaction: TransactionView
}

export interface SweepInput {
  /** The address that gets the balance: 0x and 40 hex digits, in one case or with its EIP-55 checksum */
  readonly to: string
  /** Gas units as an integer from 12000, or nothing to have it estimated */
  readonly gas_limit?: number
}
