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
  /** Its own pause */
  readonly paused: boolean
  /** Its whole network is paused, which is as if the relayer were */
  readonly network_paused: boolean
  readonly system_disabled: boolean
  readonly policies: {
    /** Wei */
    readonly min_balance: number | string
    /** Wei */
    readonly gas_price_cap?: number | string
    /** Wei */
    readonly cancel_gas_price_cap?: number | string
    /** Wei */
    readonly cancel_reserve?: number | string
    readonly presign_cancel: number
    readonly max_in_flight?: number
    readonly eip1559_pricing: boolean
    readonly gas_limit_estimation: boolean
    readonly skip_unfunded: boolean
    readonly whitelist_receivers?: readonly string[]
    readonly whitelist_selectors?: Readonly<Record<string, readonly string[]>>
    /** Wei */
    readonly value_cap?: number | string
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
  /** It is paused, or its network is */
  readonly paused: boolean
  readonly system_disabled: boolean
}

export interface ApiKeyView {
  readonly id: string
  readonly name: string
  /** The first characters of the key */
  readonly hint: string
  readonly scopes: readonly ('read' | 'send' | 'cancel' | 'pause' | 'sign' | 'admin')[]
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
  /** A list of the key's scopes: one or more of read, send, cancel, pause, sign, admin */
  readonly scopes: readonly ('read' | 'send' | 'cancel' | 'pause' | 'sign' | 'admin')[]
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
  readonly scopes: readonly ('read' | 'send' | 'cancel' | 'pause' | 'sign' | 'admin')[]
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

export interface SweepView {
  /** The address that gets the balance */
  readonly to: string
  /** Wei, decimal. Absent until the transaction has a nonce, as the balance may change until then */
  readonly value?: string
  /** How many other transactions of the relayer are pending or in flight, canceled ones that still race among them. The sweep waits for those that came before it */
  readonly others: number
  readonly transaction: {
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

export interface SweepInput {
  /** The address that gets the balance: 0x and 40 hex digits, in one case or with its EIP-55 checksum */
  readonly to: string
  /** Gas units as an integer from 12000, or nothing to have it estimated */
  readonly gas_limit?: number
}
