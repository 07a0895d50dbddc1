// Types of the API, written from its OpenAPI document: `npx vitest run --project real test/client/types.test.ts -u`.

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

export interface RelayerPatchInput {
  /** A text of 1 to 256 characters, none of them U+0000 */
  readonly name?: string
  /** The id of a notification that exists, or null for none */
  readonly notification_id?: string | null
  /** True or false */
  readonly paused?: boolean
  /** An object of policies, or null */
  readonly policies?: {
    /** Wei as an integer or a decimal string: below it nothing new gets a nonce */
    readonly min_balance?: number | string | null
    /** Wei as an integer or a decimal string: the most that a send may pay for a unit of gas */
    readonly gas_price_cap?: number | string | null
    /** Wei as an integer or a decimal string: the most that the no-op of a cancellation may pay for a unit of gas */
    readonly cancel_gas_price_cap?: number | string | null
    /** Wei as an integer or a decimal string: balance kept back from sends, so that a cancellation can be paid */
    readonly cancel_reserve?: number | string | null
    /** An integer from 0: no-ops that are signed for each nonce before a cancellation, at as many price levels, for the time when the key service is down */
    readonly presign_cancel?: number | null
    /** An integer from 1: transactions with a nonce that are not mined; without it from 16 to 512, as many as blocks take at once */
    readonly max_in_flight?: number | null
    /** True or false: false prices sends by speed as legacy transactions; fees that a client names keep their type */
    readonly eip1559_pricing?: boolean | null
    /** True or false: false requires a gas_limit in each send */
    readonly gas_limit_estimation?: boolean | null
    /** True or false: true lets later transactions pass one that the balance does not cover */
    readonly skip_unfunded?: boolean | null
    /** A list of addresses that sends may go to; an empty list allows nobody */
    readonly whitelist_receivers?: readonly string[] | null
    /** An object of lists of selectors by one receiver or more, {"0x…": ["0xa9059cbb"]}: the functions that sends may call there */
    readonly whitelist_selectors?: Readonly<Record<string, readonly string[]>> | null
    /** Wei as an integer or a decimal string: the most that a send may carry */
    readonly value_cap?: number | string | null
    /** True or false: true keeps what a reverted transaction returned, and decodes it */
    readonly include_revert_data?: boolean | null
    /** A list of errors as in a compiler's ABI: the errors of contracts, by which `include_revert_data` decodes */
    readonly revert_abi?:
      | readonly {
          readonly type: 'error'
          readonly name: string
          readonly inputs: readonly (
            | { readonly type: string; readonly name?: string }
            | {
                readonly type: string
                readonly name?: string
                readonly components: readonly { readonly type: string; readonly name?: string }[]
              }
          )[]
        }[]
      | null
    /** True or false: true is refused */
    readonly private_transactions?: false | null
  } | null
  /** 1 to 32 endpoints, as ["https://…"] or [{"url": "https://…", "weight": 100, "headers": {"x-api-key": "…"}}], weights 0 to 100, or null for the network's */
  readonly custom_rpc_urls?:
    | readonly (
        | string
        | {
            readonly url: string
            readonly weight?: number
            /** Who runs it, where the host does not show that: endpoints of one provider are one witness */
            readonly provider?: string
            /** Sent with each request to the endpoint: 16 headers at most, each a text of ASCII; not content-type, host, content-length, or headers about the connection */
            readonly headers?: Readonly<Record<string, string>>
          }
      )[]
    | null
}

export interface RelayerConditionView {
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
}

export interface AcknowledgmentInput {
  /** A text of at most 1000 characters, none of them U+0000 */
  readonly note?: string
}
