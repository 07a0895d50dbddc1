// Types of the API, written from its OpenAPI document: `npx vitest run --project real test/client/types.test.ts -u`.

export interface WinnerView {
  readonly hash: string
  readonly block_number: number
  readonly block_hash: string
}

export interface BulkCountsView {
  /** No node ever had them */
  readonly dropped: number
  /** A no-op competes for their nonce */
  readonly racing: number
  /** The no-op took their nonce */
  readonly won: number
  /** They, or their replacements, were mined */
  readonly lost: number
  /** A foreign transaction took their nonce */
  readonly external: number
  /** Those of the above whose state may change again */
  readonly not_final: number
  /** Matches whose earlier cancellation was racing at the instant: they are not counted above */
  readonly already: number
  /** Matches that were not canceled */
  readonly refused: number
  /** Wei that no-ops cost in fees so far */
  readonly cost: string
  /** No-ops whose fees no node reported */
  readonly cost_unknown: number
  /** How many can never execute, so their payloads may be sent again; "all" once that holds for each of those that were canceled */
  readonly safe_to_retry: 'all' | number
}

export interface EndpointView {
  /** With user, path and query masked */
  readonly url: string
  readonly weight: number
  readonly provider?: string
  /** With every value masked, as "***" */
  readonly headers?: Readonly<Record<string, string>>
}

/** The network's price as this process last read it; absent before its first reading */
export interface NetworkPriceView {
  /** Wei for a unit of gas: the base fee and the average tip */
  readonly per_gas: string
  /** The head of this reading */
  readonly block_number: number
  readonly read_at: string
}

/** The whole network is paused, with all of its relayers; absent while it is not */
export interface NetworkPauseView {
  readonly at: string
  /** The id of the API key */
  readonly by: string
  readonly note?: string
}

export type WaitConditionView =
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
  | 'no_progress'
  | 'node_behind'
  | 'node_refuses'
  | 'refused_by_all'
  | 'head_stalled'
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
export type WaitFactsView = Readonly<Record<string, unknown>>

/** Why it waits, as of the last observation; absent while nothing holds it up */
export interface WaitView {
  readonly condition: WaitConditionView
  readonly facts: WaitFactsView
  readonly text: string
  /** When the condition began to hold */
  readonly since: string
  /** The page about the condition: a path at this service, unless DOCS_ENABLED is false */
  readonly runbook: string
}

export interface LabelsView {
  readonly external_id?: string
  readonly tags?: readonly string[]
  readonly note?: string
}
