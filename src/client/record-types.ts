// Types of the API, written from its OpenAPI document: `npx vitest run --project real test/client/types.test.ts -u`.
import type { EndpointView, LabelsView, NetworkPauseView } from './shared-types.ts'

export interface AuditView {
  /** The record's position in the log, for `before` */
  readonly id: string
  readonly at: string
  readonly outcome: 'allowed' | 'refused' | 'failed'
  /** For a refusal or a failure: its `Relayer-Error-Code` */
  readonly code?: string
  /** Absent: unauthenticated */
  readonly key_id?: string
  /** Its `operationId` in this document */
  readonly operation?: string
  readonly relayer_id?: string
  readonly transaction_id?: string
  /** The id of any other entity, such as an API key */
  readonly subject_id?: string
  readonly labels?: LabelsView
  /** The request's `X-Request-Id` */
  readonly request_id?: string
  readonly address?: string
  /** How many equal refusals, or requests that changed nothing, this record stands for */
  readonly count?: number
}

export interface NetworkView {
  readonly id: string
  readonly name: string
  readonly network_type: 'evm'
  readonly chain_id: number
  readonly rpc_urls: readonly EndpointView[]
  readonly required_confirmations: number
  readonly average_blocktime_ms: number
  readonly symbol: string
  readonly is_testnet: boolean
  readonly features: readonly string[]
  readonly tags: readonly string[]
  readonly explorer_urls: readonly string[]
  /** The page that links lead to: the first of `explorer_urls` that is no API's, else that of viem's list where it has the network's name and chain id. Absent without one, and where `explorer_urls` is empty */
  readonly explorer_url?: string
  readonly profile: ProfileView
  /** What `profile` rests on, beside the fields that are set: `table`, the chain id; `list`, a rollup on a list of chains; `shown`, contracts that the chain has; `tags`; `none`: nothing says how it differs from Ethereum */
  readonly profile_basis: 'table' | 'list' | 'shown' | 'tags' | 'none'
  /** The prices of gas that forks change, as the replica that answers uses them: those of `profile`, else read from the chain. A member that is absent was not read, or the endpoints differ */
  readonly gas_rules: GasRulesView
  /** Whether final statements need endpoints of two providers */
  readonly second_witness: 'prefer' | 'require' | 'off'
  /** As the replica that answers found them */
  readonly conditions: readonly NetworkConditionView[]
  readonly pause?: NetworkPauseView
}

export interface ProfileView {
  /** Where transactions wait, and whether a price replaces one */
  readonly pool?: 'public' | 'private' | 'fcfs'
  readonly replacement?: ReplacementRuleView
  /** The gas of a no-op: 21000, or as a node estimates it */
  readonly no_op_gas?: 'constant' | 'estimated'
  /** Whether Ethereum's least gas holds */
  readonly floor_gas?: boolean
  readonly gas_rules?: GasRulesView
  /** How data on L1 is paid */
  readonly l1_fee?: 'none' | 'op_stack' | 'in_gas'
  /** The contract that reports the fee for data on L1 with the functions of the OP stack */
  readonly l1_fee_oracle?: string
  /** The tip that a transaction is raised to that is not mined */
  readonly tip_floor?: string
  /** The call that prices follow */
  readonly price_source?: 'fee_history' | 'linea_estimate_gas'
  /** The gas that a sender pays for */
  readonly charges?: 'gas_used' | 'gas_limit'
  /** The largest signed transaction that pools accept */
  readonly max_transaction_bytes?: number
  /** The most gas that a transaction may name, until the fork Amsterdam */
  readonly max_transaction_gas?: number
  /** What bounds the gas of all transactions in flight, and what a value leaves to an account that has sent something just before */
  readonly reserve_balance?: string
  /** After how many blocks a payment to the account counts */
  readonly balance_lag_blocks?: number
  /** How long a node keeps a nonce that is too high; 0 if it queues it */
  readonly keeps_future_nonce_ms?: number
  /** What makes a result final */
  readonly finality?: 'safe' | 'finalized' | number
  /** How long finality may take after a confirmation before it is reported as late */
  readonly finality_stalled_after_ms?: number
  /** Whether endpoints confirm each other by the hash of the block, or by the transaction, its height and its result */
  readonly witness?: 'block_hash' | 'transaction'
  /** Send by eth_sendRawTransactionSync */
  readonly send_sync?: boolean
  /** Send a transaction with valid_until by eth_sendRawTransactionConditional */
  readonly send_conditional?: boolean
}

/** The rise that pools demand of a replacement */
export interface ReplacementRuleView {
  readonly measure: 'fields' | 'effective_price'
  readonly percent: number
}

/** The prices of gas that forks change; those that are absent are read from the chain */
export interface GasRulesView {
  /** The gas of a call of an account to itself */
  readonly base?: 12000 | 21000
  /** The least gas for a byte 0 of data: none, by EIP-7623, by EIP-7976 */
  readonly floor?: 0 | 10 | 64
  /** The gas of an account that a value creates, beside the transfer */
  readonly new_account?: number
}

export interface NetworkConditionView {
  /** `wrong_chain`: the endpoint serves another chain, by its chain id or the block of the anchor, and is not used. `branches_differ`: as many endpoints hold one branch as another, and nothing is settled. `single_witness`: verdicts rest on the endpoint, as all others were silent for long */
  readonly condition: 'wrong_chain' | 'branches_differ' | 'single_witness'
  /** Its position in `rpc_urls`, from 0 */
  readonly endpoint: number
  readonly text: string
  /** The page about the condition: a path at this service, unless DOCS_ENABLED is false */
  readonly runbook: string
}

export interface NetworkPauseInput {
  /** A text of at most 1000 characters, none of them U+0000 */
  readonly note?: string
}

export interface NetworkNodesView {
  readonly network: string
  readonly network_id: string
  readonly chain_id: number
  /** The endpoints are its own, by `custom_rpc_urls` */
  readonly relayer_id?: string
  /** `degraded`: an endpoint is impaired or distrusted. `down`: none answers for this chain, as a replica sees it. `unreported`: no replica that runs advances a relayer of the network */
  readonly state: 'ok' | 'degraded' | 'down' | 'unreported'
  /** As the replica that answers is configured */
  readonly endpoints: readonly NodeEndpointView[]
  /** As each replica that advances a relayer of the network sees them */
  readonly replicas: readonly NodesOfReplicaView[]
}

export interface NodeEndpointView {
  /** Its position in `rpc_urls`, from 0 */
  readonly endpoint: number
  /** Of its URL, never more of it */
  readonly host: string
  readonly weight: number
}

export interface NodesOfReplicaView {
  /** Its id, in its log. A service over SQLite is `single` */
  readonly replica: string
  /** When it wrote this */
  readonly read_at: string
  /** It has written nothing for a minute: it has stopped, or can not write */
  readonly stale: boolean
  readonly head?: BestHeadView
  readonly nodes: readonly NodeReportView[]
}

/** The highest of those that it trusts */
export interface BestHeadView {
  readonly number: number
  readonly made_at: string
  readonly read_at: string
  readonly behind: number
}

/** As one replica sees it */
export interface NodeReportView extends NodeEndpointView {
  /** `unverified`: it has not shown its chain yet. `impaired`: it fails or lags; it is used where no better one is left. `distrusted`: its answers do not count */
  readonly state: 'ok' | 'unverified' | 'impaired' | 'distrusted'
  /** Why it is not `ok`, the worst first */
  readonly conditions: readonly NodeConditionView[]
  /** As it names itself */
  readonly client?: string
  readonly replacement?: NodeReplacementView
  /** As it answered last */
  readonly chain_id?: number
  readonly head?: NodeHeadView
  readonly calls?: NodeCallsView
  readonly latency?: NodeLatencyView
  readonly last_failure?: NodeFailureView
  readonly last_rpc_error?: NodeRpcErrorView
}

export interface NodeConditionView {
  /** `wrong_chain`: it serves another chain. `branches_differ`: as many endpoints hold another branch as its own. `outvoted`: most hold another branch. `strayed`: it answered about another thing than the call named. `no_answer`: its last requests got no answer. `lagging`: others have left its head behind. `unverified`: it has not shown yet which chain it serves */
  readonly condition:
    | 'wrong_chain'
    | 'branches_differ'
    | 'outvoted'
    | 'strayed'
    | 'no_answer'
    | 'lagging'
    | 'unverified'
  readonly facts: NodeFactsView
  readonly text: string
  /** The page about the condition: a path at this service, unless DOCS_ENABLED is false */
  readonly runbook: string
}

/** The figures of the condition */
export interface NodeFactsView {
  /** The chain that it should serve */
  readonly expected_chain?: number
  readonly served_chain?: number
  /** Of the anchor, or of its own head */
  readonly block?: number
  /** Of its head */
  readonly hash?: string
  /** The anchor of the network */
  readonly expected_hash?: string
  readonly shown_hash?: string
  readonly method?: string
  /** How many times in a row */
  readonly in_row?: number
  /** Blocks */
  readonly behind?: number
  /** When it is tried again, by the clock of its replica */
  readonly rests_until?: string
}

/** By how much its pool wants a replacement to pay more, by its client */
export interface NodeReplacementView {
  /** `fields`: fee cap and tip, each by itself */
  readonly measure: 'fields' | 'effective_price'
  readonly percent: number
}

export interface NodeHeadView {
  readonly number: number
  /** The block's own time */
  readonly made_at: string
  readonly read_at: string
  /** How many blocks the head that the replica believed then was above it */
  readonly behind: number
}

/** Absent for a key that is bound to relayers, at an endpoint that relayers share */
export interface NodeCallsView {
  /** An hour ago, or when the replica began to count */
  readonly since: string
  /** Calls by the service itself, those inside a batch one by one */
  readonly total: number
  /** Refused by the node; a call that reverts counts, too */
  readonly rpc_errors: number
  /** A time-out, a lost connection, a rate limit, an answer that is none */
  readonly unanswered: number
  /** No connection was made */
  readonly unsent: number
}

export interface NodeLatencyView {
  /** Half of the calls were answered within */
  readonly p50_ms: number
  /** 19 of 20 calls were answered within */
  readonly p95_ms: number
  /** So many calls, the last that were answered, at most 500. Absent for a key that is bound to relayers, at an endpoint that relayers share */
  readonly calls?: number
}

export interface NodeFailureView {
  readonly at: string
  /** Absent for a key that is bound to relayers, at an endpoint that relayers share */
  readonly method?: string
  readonly kind: 'unanswered' | 'unsent'
  readonly http_status?: number
  /** Without a URL or a key. Absent for a key that is bound to relayers, at an endpoint that relayers share */
  readonly text?: string
}

/** Absent for a key that is bound to relayers, at an endpoint that relayers share */
export interface NodeRpcErrorView {
  readonly at: string
  readonly method: string
  readonly code: number
  /** The node's words, without a URL or a key */
  readonly text: string
}

export interface NotificationView {
  readonly id: string
  readonly type: 'webhook'
  /** With user, path and query masked */
  readonly url: string
  readonly has_signing_key: boolean
  readonly failing?: FailingNotificationView
}

/** Its last request failed. Absent from the answer to a change */
export interface FailingNotificationView {
  /** Of the first failure since the last delivery */
  readonly since: string
  readonly error: string
}
