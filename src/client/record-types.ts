// Types of the API, written from its OpenAPI document: `npx vitest run --project real test/client/types.test.ts -u`.

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
  /** The request's `X-Request-Id` */
  readonly request_id?: string
  readonly address?: string
  /** How many equal refusals, or requests that changed nothing, this record stands for */
  readonly count?: number
}

export interface DeadLetterView {
  readonly event: {
    /** The event's id, the same at each delivery; its number rises in the order of commits */
    readonly id: string
    /** Alarm: a reorganization took back an execution that was confirmed */
    readonly event: 'transaction_update' | 'transaction_attention' | 'transaction_alarm'
    /** When it happened */
    readonly timestamp: string
    /** The last event of this transaction */
    readonly terminal: boolean
    /** The transaction as it was then */
    readonly payload: {
      readonly payload_type: 'transaction'
      readonly id: string
      readonly relayer_id: string
      readonly status: 'pending' | 'sent' | 'submitted' | 'mined' | 'confirmed' | 'failed' | 'canceled' | 'expired'
      readonly status_reason?: string
      readonly created_at: string
      readonly sent_at?: string
      readonly confirmed_at?: string
      /** The hash of the mined attempt with the payload, else of its newest attempt */
      readonly hash?: string
      readonly from: string
      /** Absent for a contract creation */
      readonly to?: string
      /** Wei, decimal */
      readonly value: string
      readonly data: string
      readonly nonce?: number
      readonly gas_limit?: number
      /** Wei, decimal */
      readonly gas_price?: string
      /** Wei, decimal */
      readonly max_fee_per_gas?: string
      /** Wei, decimal */
      readonly max_priority_fee_per_gas?: string
      readonly signature?: {
        readonly r: string
        readonly s: string
        readonly v: number
        /** r, s and 27 or 28, in 65 bytes */
        readonly sig: string
      }
      readonly speed?: { readonly name: 'safeLow' | 'average' | 'fast' | 'fastest' }
      /** An array of at most 256 objects of address and storage_keys (EIP-2930), with at most 1024 storage keys in all of them */
      readonly access_list?: readonly {
        /** An address: 0x and 40 hex digits, in one case or with its EIP-55 checksum */
        readonly address: string
        /** At most 1024 storage keys, as an array */
        readonly storage_keys: readonly string[]
      }[]
      /** Gas_limit stands, although it may not pay for a new account */
      readonly allow_out_of_gas?: true
    }
  }
  readonly tries: number
  /** Absent if the day of the event was over before its first try */
  readonly first_tried_at?: string
  readonly gave_up_at: string
  readonly last_error: string
}

export interface NetworkView {
  readonly id: string
  readonly name: string
  readonly network_type: 'evm'
  readonly chain_id: number
  readonly rpc_urls: readonly {
    /** With user, path and query masked */
    readonly url: string
    readonly weight: number
    readonly provider?: string
    /** With every value masked, as "***" */
    readonly headers?: Readonly<Record<string, string>>
  }[]
  readonly required_confirmations: number
  readonly average_blocktime_ms: number
  readonly symbol: string
  readonly is_testnet: boolean
  readonly features: readonly string[]
  readonly tags: readonly string[]
  readonly explorer_urls: readonly string[]
  /** The page that links lead to: the first of `explorer_urls` that is no API's, else that of viem's list where it has the network's name and chain id. Absent without one, and where `explorer_urls` is empty */
  readonly explorer_url?: string
  readonly profile: {
    /** Where transactions wait, and whether a price replaces one */
    readonly pool?: 'public' | 'private' | 'fcfs'
    /** The rise that pools demand of a replacement */
    readonly replacement?: { readonly measure: 'fields' | 'effective_price'; readonly percent: number }
    /** The gas of a no-op: 21000, or as a node estimates it */
    readonly no_op_gas?: 'constant' | 'estimated'
    /** Whether Ethereum's least gas holds */
    readonly floor_gas?: boolean
    /** The prices of gas that forks change; those that are absent are read from the chain */
    readonly gas_rules?: {
      /** The gas of a call of an account to itself */
      readonly base?: 12000 | 21000
      /** The least gas for a byte 0 of data: none, by EIP-7623, by EIP-7976 */
      readonly floor?: 0 | 10 | 64
      /** The gas of an account that a value creates, beside the transfer */
      readonly new_account?: number
    }
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
  /** What `profile` rests on, beside the fields that are set: `table`, the chain id; `list`, a rollup on a list of chains; `shown`, contracts that the chain has; `tags`; `none`: nothing says how it differs from Ethereum */
  readonly profile_basis: 'table' | 'list' | 'shown' | 'tags' | 'none'
  /** The prices of gas that forks change, as the replica that answers uses them: those of `profile`, else read from the chain. A member that is absent was not read, or the endpoints differ */
  readonly gas_rules: {
    /** The gas of a call of an account to itself */
    readonly base?: 12000 | 21000
    /** The least gas for a byte 0 of data: none, by EIP-7623, by EIP-7976 */
    readonly floor?: 0 | 10 | 64
    /** The gas of an account that a value creates, beside the transfer */
    readonly new_account?: number
  }
  /** Whether final statements need endpoints of two providers */
  readonly second_witness: 'prefer' | 'require' | 'off'
  /** As the replica that answers found them */
  readonly conditions: readonly {
    /** `wrong_chain`: the endpoint serves another chain, by its chain id or the block of the anchor, and is not used. `branches_differ`: as many endpoints hold one branch as another, and nothing is settled. `single_witness`: verdicts rest on the endpoint, as all others were silent for long */
    readonly condition: 'wrong_chain' | 'branches_differ' | 'single_witness'
    /** Its position in `rpc_urls`, from 0 */
    readonly endpoint: number
    readonly text: string
    /** The page about the condition: a path at this service, unless DOCS_ENABLED is false */
    readonly runbook: string
  }[]
  /** The whole network is paused, with all of its relayers; absent while it is not */
  readonly pause?: {
    readonly at: string
    /** The id of the API key */
    readonly by: string
    readonly note?: string
  }
}

export interface NetworkPauseInput {
  /** A text of at most 1000 characters, none of them U+0000 */
  readonly note?: string
}

export interface NotificationView {
  readonly id: string
  readonly type: 'webhook'
  /** With user, path and query masked */
  readonly url: string
  readonly has_signing_key: boolean
}
