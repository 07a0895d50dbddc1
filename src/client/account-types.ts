// Types of the API, written from its OpenAPI document: `npx vitest run --project real test/client/types.test.ts -u`.

export interface RelayerView {
  readonly id: string
  readonly name: string
  readonly network: string
  readonly network_type: 'evm'
  readonly chain_id: number
  readonly address: string
  readonly signer_id: string
  readonly notification_id?: string
  readonly paused: boolean
  readonly system_disabled: boolean
  readonly policies: {
    /** Wei */
    readonly min_balance: number
    /** Wei */
    readonly gas_price_cap?: number
    /** Wei */
    readonly cancel_gas_price_cap?: number
    /** Wei */
    readonly cancel_reserve?: number
    readonly presign_cancel: number
    readonly max_in_flight?: number
    readonly eip1559_pricing: boolean
    readonly gas_limit_estimation: boolean
    readonly skip_unfunded: boolean
    readonly whitelist_receivers?: readonly string[]
    readonly whitelist_selectors?: Readonly<Record<string, readonly string[]>>
    /** Wei */
    readonly value_cap?: number
    readonly include_revert_data: boolean
    readonly revert_abi?: readonly {
      readonly type: 'error'
      readonly name: string
      readonly inputs: readonly {
        readonly type: string
        readonly name?: string
        readonly components?: readonly { readonly type: string; readonly name?: string }[]
      }[]
    }[]
  }
  readonly custom_rpc_urls?: readonly {
    /** With user, path and query masked */
    readonly url: string
    readonly weight: number
    readonly provider?: string
    /** With every value masked, as "***" */
    readonly headers?: Readonly<Record<string, string>>
  }[]
}

export interface RelayerStatusView {
  readonly network_type: 'evm'
  /** Wei */
  readonly balance: string
  /** The account's next nonce at the head */
  readonly nonce: string
  readonly pending_transactions_count: number
  readonly last_confirmed_transaction_timestamp?: string
  /** Transactions of the account in pools that this service did not sign; absent without any */
  readonly foreign_pending?: {
    readonly count: number
    /** The next nonce, counting the pool */
    readonly pending_nonce: number
    /** The lowest nonces */
    readonly transactions: readonly {
      readonly nonce: number
      /** Where a node shows it */
      readonly hash?: string
    }[]
  }
  /** The network's price as this process last read it; absent before its first reading */
  readonly network_price?: {
    /** Wei for a unit of gas: the base fee and the average tip */
    readonly per_gas: string
    /** The head of this reading */
    readonly block_number: number
    readonly read_at: string
  }
  readonly paused: boolean
  readonly system_disabled: boolean
}

export interface OverviewView {
  readonly id: string
  readonly name: string
  readonly network: string
  readonly address: string
  readonly paused: boolean
  /** `waiting`: a condition holds it up, or would hold up its next send. `unreachable`: no node of its network answers. `unobserved`: no process has observed it for 15 minutes */
  readonly state: 'ok' | 'waiting' | 'paused' | 'unreachable' | 'unobserved'
  readonly conditions: readonly {
    readonly condition:
      | 'paused'
      | 'policy'
      | 'balance_below_minimum'
      | 'balance_short'
      | 'already_ordered'
      | 'outcome_unknown'
      | 'cancel_unfunded'
      | 'gas_price_cap'
      | 'cancel_gas_price_cap'
      | 'own_price'
      | 'price_ceiling'
      | 'attempts_exhausted'
      | 'nonce_taken'
      | 'nonce_blocked'
      | 'pool_unseen'
      | 'gap_unconfirmed'
      | 'gap_fillers_limited'
      | 'nonce_unproven'
      | 'history_unknown'
      | 'cancellation_unclear'
      | 'node_behind'
      | 'node_refuses'
      | 'refused_by_all'
      | 'node_unreachable'
      | 'signer_unavailable'
      | 'facts_missing'
      | 'gas_unknown'
      | 'would_revert'
      | 'account_in_use'
      | 'finality_stalled'
      | 'witnesses_contradict'
      | 'witness_silent'
      | 'step_failing'
    /** When it began to hold */
    readonly since: string
    readonly text?: string
    /** The figures of the condition, as in the text; amounts of wei are text */
    readonly facts?: Readonly<Record<string, unknown>>
    /** The page about the condition: a path at this service, unless DOCS_ENABLED is false */
    readonly runbook: string
    /** An operator has seen it. It lapses with the condition */
    readonly acknowledged?: {
      readonly at: string
      /** The id of the API key */
      readonly by: string
      readonly note?: string
    }
  }[]
  /** Of the last observation by its owner; absent before */
  readonly observed_at?: string
  /** As last read; absent before */
  readonly balance?: {
    /** Wei */
    readonly wei: string
    readonly read_at: string
  }
  /** The last change of the relayer by a client; absent without one */
  readonly changed?: {
    readonly at: string
    /** The id of the API key */
    readonly by: string
    readonly operation: string
    /** Those that it changed */
    readonly members: readonly string[]
  }
  /** Without a nonce */
  readonly queued: number
  /** With a nonce, in no block */
  readonly in_flight: number
  /** In a block, not confirmed */
  readonly mined: number
  /** Those in flight that are canceled, and not decided */
  readonly racing: number
  /** Wei: the policy, as text with every digit; absent without one */
  readonly gas_price_cap?: string
  /** The network's price as this process last read it; absent before its first reading */
  readonly network_price?: {
    /** Wei for a unit of gas: the base fee and the average tip */
    readonly per_gas: string
    /** The head of this reading */
    readonly block_number: number
    readonly read_at: string
  }
  /** In no block, and sent first */
  readonly oldest?: {
    readonly id: string
    /** Absent in the queue */
    readonly nonce?: number
    readonly created_at: string
  }
  /** The first that waits, and so holds up the others; else one whose finality is stalled */
  readonly held_up?: {
    readonly id: string
    /** Absent in the queue */
    readonly nonce?: number
    readonly created_at: string
    /** Why it waits, as of the last observation; absent while nothing holds it up */
    readonly wait: {
      readonly condition:
        | 'paused'
        | 'policy'
        | 'balance_below_minimum'
        | 'balance_short'
        | 'already_ordered'
        | 'outcome_unknown'
        | 'cancel_unfunded'
        | 'gas_price_cap'
        | 'cancel_gas_price_cap'
        | 'own_price'
        | 'price_ceiling'
        | 'attempts_exhausted'
        | 'nonce_taken'
        | 'nonce_blocked'
        | 'pool_unseen'
        | 'gap_unconfirmed'
        | 'gap_fillers_limited'
        | 'nonce_unproven'
        | 'history_unknown'
        | 'cancellation_unclear'
        | 'node_behind'
        | 'node_refuses'
        | 'refused_by_all'
        | 'node_unreachable'
        | 'signer_unavailable'
        | 'facts_missing'
        | 'gas_unknown'
        | 'would_revert'
        | 'account_in_use'
        | 'finality_stalled'
        | 'witnesses_contradict'
        | 'witness_silent'
      /** The figures of the condition, as in the text; amounts of wei are text */
      readonly facts?: Readonly<Record<string, unknown>>
      readonly text: string
      /** When the condition began to hold */
      readonly since?: string
      /** The page about the condition: a path at this service, unless DOCS_ENABLED is false */
      readonly runbook: string
    }
  }
}

export interface ApiKeyView {
  readonly id: string
  readonly name: string
  /** The first characters of the key */
  readonly hint: string
  readonly scopes: readonly ('read' | 'send' | 'cancel' | 'sign' | 'admin')[]
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
  /** A list of the key's scopes: one or more of read, send, cancel, sign, admin */
  readonly scopes: readonly ('read' | 'send' | 'cancel' | 'sign' | 'admin')[]
  /** A list of 1 to 256 relayers' ids, or nothing for all relayers; each exists */
  readonly relayers?: readonly string[]
  /** A time by RFC 3339, such as "2030-01-31T12:00:00Z", or nothing for a key that does not expire; it lies in the future */
  readonly expires_at?: string
}

export interface NewApiKeyView {
  readonly id: string
  readonly name: string
  /** The first characters of the key */
  readonly hint: string
  readonly scopes: readonly ('read' | 'send' | 'cancel' | 'sign' | 'admin')[]
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
  /** The bearer token; shown in this response only */
  readonly key: string
}

export interface ReadinessView {
  readonly status: 'ready'
  readonly version: string
  /** How many relayers are in each state, by the last observations of this process: no node is called. An outage of nodes changes no status code */
  readonly relayers: {
    readonly ok: number
    readonly waiting: number
    readonly paused: number
    readonly unreachable: number
    readonly unobserved: number
  }
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
