// Types of the API, written from its OpenAPI document: `npx vitest run --project real test/client/types.test.ts -u`.

export interface OverviewView {
  readonly id: string
  readonly name: string
  readonly network: string
  readonly address: string
  /** Its own pause */
  readonly paused: boolean
  /** The whole network is paused, with all of its relayers; absent while it is not */
  readonly network_pause?: {
    readonly at: string
    /** The id of the API key */
    readonly by: string
    readonly note?: string
  }
  /** `waiting`: a condition holds it up, or would hold up its next send. `unreachable`: no node of its network answers. `unobserved`: no process has observed it for 15 minutes */
  readonly state: 'ok' | 'waiting' | 'paused' | 'unreachable' | 'unobserved'
  readonly conditions: readonly {
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
  /** The payment to the account that is missing, at the balance and the prices last read. Absent unless a condition is about the balance, and where this process has read no prices */
  readonly top_up?: {
    /** Wei: for the next transaction, with cancel_reserve and min_balance */
    readonly next: string
    /** Absent without a queue */
    readonly queue?: {
      /** How many are counted: the first */
      readonly transactions: number
      /** Wei: for all of these, at least. Gas that is still to be estimated and fees on L1 come on top */
      readonly wei: string
    }
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
  }
}

export interface RelayerConditionView {
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
}

export interface AcknowledgmentInput {
  /** A text of at most 1000 characters, none of them U+0000 */
  readonly note?: string
}
