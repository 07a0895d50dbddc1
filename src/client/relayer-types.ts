// Types of the API, written from its OpenAPI document: `npx vitest run --project real test/client/types.test.ts -u`.
import type { NetworkPauseView, NetworkPriceView, WaitConditionView, WaitFactsView, WaitView } from './shared-types.ts'

export interface OverviewView {
  readonly id: string
  readonly name: string
  readonly network: string
  readonly address: string
  /** Its own pause */
  readonly paused: boolean
  readonly network_pause?: NetworkPauseView
  /** `waiting`: a condition holds it up, or would hold up its next send. `unreachable`: no node of its network answers. `unobserved`: no process has observed it for 15 minutes */
  readonly state: 'ok' | 'waiting' | 'paused' | 'unreachable' | 'unobserved'
  readonly conditions: readonly RelayerConditionView[]
  /** Of the last observation by its owner; absent before */
  readonly observed_at?: string
  readonly balance?: LastBalanceView
  readonly runway?: RunwayView
  /** They count neither in `state` nor in `conditions` */
  readonly warnings: readonly FundsWarningView[]
  readonly top_up?: TopUpView
  readonly changed?: RelayerChangeView
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
  readonly network_price?: NetworkPriceView
  readonly oldest?: OpenTransactionView
  readonly held_up?: HeldUpTransactionView
}

/** As last read; absent before */
export interface LastBalanceView {
  /** Wei */
  readonly wei: string
  readonly read_at: string
}

/** How long the balance pays for sends at their present spending, without min_balance, cancel_reserve and what is in flight. Absent without spending in the last week, and before the balance and the prices are known */
export interface RunwayView {
  readonly seconds: number
  /** Wei: the larger of the spending of the last day and the mean of the last week */
  readonly per_day: string
}

/** It holds nothing up */
export interface FundsWarningView {
  readonly warning: 'runway_short' | 'balance_low'
  /** When it began */
  readonly since: string
  readonly text: string
  /** The page about it: a path at this service, unless DOCS_ENABLED is false */
  readonly runbook: string
}

/** The payment to the account that is missing, at the balance and the prices last read. Absent unless a condition is about the balance, and where this process has read no prices */
export interface TopUpView {
  /** Wei: for the next transaction, with cancel_reserve and min_balance */
  readonly next: string
  readonly queue?: QueueTopUpView
}

/** Absent without a queue */
export interface QueueTopUpView {
  /** How many are counted: the first */
  readonly transactions: number
  /** Wei: for all of these, at least. Gas that is still to be estimated and fees on L1 come on top */
  readonly wei: string
}

/** The last change of the relayer by a client; absent without one */
export interface RelayerChangeView {
  readonly at: string
  /** The id of the API key */
  readonly by: string
  readonly operation: string
  /** Those that it changed */
  readonly members: readonly string[]
}

/** In no block, and sent first */
export interface OpenTransactionView {
  readonly id: string
  /** Absent in the queue */
  readonly nonce?: number
  readonly created_at: string
}

/** It holds transactions up, or would hold up the next send */
export interface RelayerConditionView {
  readonly condition: WaitConditionView | 'step_failing' | 'foreign_use'
  /** When it began to hold */
  readonly since: string
  readonly text?: string
  readonly facts?: WaitFactsView
  /** The page about the condition: a path at this service, unless DOCS_ENABLED is false */
  readonly runbook: string
  readonly acknowledged?: AcknowledgmentView
}

/** An operator has seen it. It lapses with the condition */
export interface AcknowledgmentView {
  readonly at: string
  /** The id of the API key */
  readonly by: string
  readonly note?: string
}

/** The first that waits, and so holds up the others; else one whose finality is stalled */
export interface HeldUpTransactionView extends OpenTransactionView {
  readonly wait: WaitView
}

export interface AcknowledgmentInput {
  /** A text of at most 1000 characters, none of them U+0000 */
  readonly note?: string
}
