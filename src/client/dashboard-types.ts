// Types of the API, written from its OpenAPI document: `npx vitest run --project real test/client/types.test.ts -u`.

export interface TraceView {
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
  /** Gap: a no-op of the service for a nonce that nobody uses; sweep: it empties the account */
  readonly origin: 'client' | 'gap' | 'sweep'
  /** It will not change again */
  readonly final: boolean
  /** The id of the API key that sent it */
  readonly created_by?: string
  /** Why it waits, as of the last observation; absent while nothing holds it up */
  readonly wait?: {
    readonly condition:
      | 'on_hold'
      | 'paused'
      | 'policy'
      | 'balance_below_minimum'
      | 'balance_short'
      | 'already_ordered'
      | 'outcome_unknown'
      | 'cancel_unfunded'
      | 'gas_price_cap'
      | 'cancel_gas_price_cap'
      | 'cost_bound'
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
  readonly cancellation?: {
    readonly transaction_id: string
    readonly state: 'racing' | 'dropped' | 'won' | 'lost' | 'external'
    /** This state will not change again */
    readonly final: boolean
    /** The original can never execute, so its payload may be sent again */
    readonly safe_to_retry: boolean
    readonly origin: 'request' | 'expiry' | 'refusal'
    readonly requested_at: string
    /** Its share of the `max_cost` of a bulk cancellation: no no-op may cost more; absent without a bound */
    readonly cost_max?: string
    readonly status_reason?: string
    /** Lost by a preconfirmation: the sequencer has ordered the original, and no block shows it yet */
    readonly preconfirmed?: true
    readonly winner?: {
      readonly hash: string
      readonly block_number: number
      readonly block_hash: string
    }
    /** How many endpoints showed the winner in its block, once the verdict is final */
    readonly witnesses?: number
    /** Wei that the no-op cost in fees; 0 unless it was mined; absent where no node reports its cost */
    readonly cost?: string
  }
  readonly inclusion?: {
    /** The kind of transaction that spent the nonce */
    readonly spender: 'payload' | 'no_op' | 'foreign'
    readonly hash: string
    readonly block_number: number
    /** Absent where no node reports it */
    readonly succeeded?: boolean
    readonly revert_reason?: string
    readonly gas_used?: number
    /** Wei: for each unit of gas */
    readonly effective_gas_price?: string
    /** Wei: all fees; absent where no node reports all of them */
    readonly fees?: string
  }
  readonly labels?: {
    readonly external_id?: string
    readonly tags?: readonly string[]
    readonly note?: string
  }
  /** Of its current nonce, oldest first */
  readonly attempts: readonly {
    readonly hash: string
    readonly kind: 'execute' | 'replace' | 'cancel'
    readonly nonce: number
    readonly gas_limit: number
    /** Wei, decimal */
    readonly gas_price?: string
    /** Wei, decimal */
    readonly max_fee_per_gas?: string
    /** Wei, decimal */
    readonly max_priority_fee_per_gas?: string
    /** Sending: on its way since it was recorded; handed: a node received it; refused: every node that received it called it invalid; held: no node ever received it; withdrawn: was held, and will never be sent */
    readonly state: 'sending' | 'handed' | 'refused' | 'held' | 'withdrawn'
    readonly outcome?: {
      readonly kind: 'accepted' | 'alreadyKnown' | 'rejected' | 'unknown'
      readonly code?: string
      readonly message?: string
      readonly at: string
    }
    /** True: every broadcast of it ended in a certain rejection, so no pool should hold it */
    readonly always_rejected?: boolean
    /** Why it is held or was refused */
    readonly reason?: string
    readonly recorded_at: string
    /** A no-op that was signed before the cancellation, and used because the signer did not sign */
    readonly presigned?: true
    /** The head when it was signed */
    readonly recorded_at_block: number
  }[]
}

export interface ListedTraceView {
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
  /** Why it waits, as of the last observation; absent while nothing holds it up */
  readonly wait?: {
    readonly condition:
      | 'on_hold'
      | 'paused'
      | 'policy'
      | 'balance_below_minimum'
      | 'balance_short'
      | 'already_ordered'
      | 'outcome_unknown'
      | 'cancel_unfunded'
      | 'gas_price_cap'
      | 'cancel_gas_price_cap'
      | 'cost_bound'
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
  readonly cancellation?: {
    readonly transaction_id: string
    readonly state: 'racing' | 'dropped' | 'won' | 'lost' | 'external'
    /** This state will not change again */
    readonly final: boolean
    /** The original can never execute, so its payload may be sent again */
    readonly safe_to_retry: boolean
    readonly origin: 'request' | 'expiry' | 'refusal'
    readonly requested_at: string
    /** Its share of the `max_cost` of a bulk cancellation: no no-op may cost more; absent without a bound */
    readonly cost_max?: string
    readonly status_reason?: string
    /** Lost by a preconfirmation: the sequencer has ordered the original, and no block shows it yet */
    readonly preconfirmed?: true
    readonly winner?: {
      readonly hash: string
      readonly block_number: number
      readonly block_hash: string
    }
    /** How many endpoints showed the winner in its block, once the verdict is final */
    readonly witnesses?: number
    /** Wei that the no-op cost in fees; 0 unless it was mined; absent where no node reports its cost */
    readonly cost?: string
  }
  readonly labels?: {
    readonly external_id?: string
    readonly tags?: readonly string[]
    readonly note?: string
  }
}

export interface FindingView {
  readonly relayer_id: string
  /** Absent: the relayer itself was found */
  readonly transaction_id?: string
}

export interface DailyGasView {
  /** In UTC: the day on which the transactions became final */
  readonly day: string
  readonly relayer_id: string
  /** With the no-ops */
  readonly transactions: number
  /** Of cancellations and gaps */
  readonly no_ops: number
  /** Those whose fees no node reported: the fees do not contain them */
  readonly unpriced: number
  /** Wei */
  readonly fees: string
}

export interface SeriesView {
  readonly from: string
  /** The end of the last step, which may be in the future */
  readonly to: string
  /** 300, 1800 or 7200 */
  readonly step_seconds: number
  /** Of `confirmation_times` */
  readonly bounds_seconds: readonly number[]
  /** One for each step, oldest first, also where nothing happened */
  readonly points: readonly {
    /** The beginning of the step */
    readonly at: string
    /** Transactions that got a nonce and were signed */
    readonly sent: number
    /** Transactions that were executed, and confirmed */
    readonly confirmed: number
    /** Transactions that reverted, counted once confirmed, or that no node took */
    readonly failed: number
    /** Transactions whose cancellation was requested in this step, and has not lost */
    readonly canceled: number
    /** The same for those whose `valid_until` passed */
    readonly expired: number
    /** The sum of the times from the request to the confirmation */
    readonly confirmation_seconds: number
    /** How many took at most `bounds_seconds` of the same index, and more than the one before; the last: longer */
    readonly confirmation_times: readonly number[]
    /** Nonces that the accounts spent and paid for, with those of no-ops */
    readonly spent: number
    /** Of cancellations, among them */
    readonly no_ops: number
    /** Those whose gas or fees no node reported: the sums do not contain them */
    readonly unpriced: number
    /** Of all of them */
    readonly gas_used: number
    /** By network, as their currencies differ; without relayers that were deleted */
    readonly fees: readonly {
      readonly network: string
      /** Wei */
      readonly fees: string
    }[]
    /** Calls to the nodes of the relayers' networks, for all relayers of these networks */
    readonly calls: number
    /** Calls among them without a value */
    readonly failed_calls: number
  }[]
}
