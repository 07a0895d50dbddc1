// The reasons that keep a relayer's transactions waiting: a condition for machines, a text for people.
import type { Wei } from './units.ts'

/** Few and fixed: each is a label of a metric, and has its section in docs/runbook.md. */
export const conditions = [
  /** The transaction is on hold: until a time, or until a release. */
  'on_hold',
  /** The relayer is paused. */
  'paused',
  /** The relayer's current policies forbid a replacement. */
  'policy',
  /** The balance is below min_balance. */
  'balance_below_minimum',
  /** The balance does not cover the next transaction, or one in flight. */
  'balance_short',
  /** First come, first served: the sequencer accepted a transaction before it was canceled or replaced. */
  'already_ordered',
  /** First come, first served: no answer shows whether the sequencer has a canceled transaction. */
  'outcome_unknown',
  /** The balance does not cover a no-op. */
  'cancel_unfunded',
  /** A send needs more than gas_price_cap. */
  'gas_price_cap',
  /** A no-op needs more than cancel_gas_price_cap. */
  'cancel_gas_price_cap',
  /** A no-op needs more than the bound of its cancellation. */
  'cost_bound',
  /** The fees that a client named are too low now. */
  'own_price',
  /** Another price would be above the ceiling of prices, and no policy sets a cap. */
  'price_ceiling',
  /** The nonce has as many attempts as the service signs. */
  'attempts_exhausted',
  /** A foreign transaction took a nonce of ours. */
  'nonce_taken',
  /** A foreign transaction waits in the pool before ours. */
  'nonce_blocked',
  /** A nonce before ours is unused, and no node shows whether a foreign transaction waits for it. */
  'pool_unseen',
  /** A nonce before ours is unused, and no second count of the account confirms that. */
  'gap_unconfirmed',
  /** The relayer has filled as many nonces that the record never assigned as it may within an hour. */
  'gap_fillers_limited',
  /** A nonce is spent, and no node shows the spender. */
  'nonce_unproven',
  /** Transactions that the database does not hold used nonces. */
  'history_unknown',
  /** A no-op of a lost history canceled one of several transactions, and the record does not show which. */
  'cancellation_unclear',
  /** Many blocks could have held the next nonce, none did, and no other condition says why. */
  'no_progress',
  /** The node is behind the settled part of the chain. */
  'node_behind',
  /** A node refuses a broadcast. */
  'node_refuses',
  /** Every node that answers refuses a payload, and a no-op takes its nonce. */
  'refused_by_all',
  /** The nodes answer, and their head has stood for longer than the chain's pace allows. */
  'head_stalled',
  /** No node could be reached. */
  'node_unreachable',
  /** The service that holds the key does not sign now. */
  'signer_unavailable',
  /** No node reports a price, or the balance. */
  'facts_missing',
  /** No node could estimate the gas of the next transaction. */
  'gas_unknown',
  /** The next transaction would revert now. */
  'would_revert',
  /** Another service of the database advances a relayer with the same key on the same chain. */
  'account_in_use',
  /** A transaction is confirmed, and no node has reported for long that its block is final. */
  'finality_stalled',
  /** A transaction is final by one endpoint, and another one denies it. */
  'witnesses_contradict',
  /** A transaction is final by one endpoint, and no other has answered yet. */
  'witness_silent',
] as const
export type Condition = (typeof conditions)[number]

/**
 * The conditions of a relayer. No transaction has the last two. `step_failing`: the log has the error. `foreign_use`: a foreign transaction
 * used nonces of its account; it ends when it is acknowledged.
 */
export const heldConditions = [...conditions, 'step_failing', 'foreign_use'] as const
export type HeldCondition = (typeof heldConditions)[number]

/** Whether a payment to the account ends it. */
export function isOfMoney({ condition }: { readonly condition: HeldCondition }): boolean {
  return condition === 'balance_below_minimum' || condition === 'balance_short'
}

/** The conditions of a network. */
export const networkConditions = [
  /** An endpoint serves another chain, by its chain id or the block of the anchor. */
  'wrong_chain',
  /** Equally many endpoints hold different branches. */
  'branches_differ',
  /** Verdicts rest on one endpoint, as all others were silent for long. */
  'single_witness',
] as const
export type NetworkConditionName = (typeof networkConditions)[number]

/** The section of docs/runbook.md about a condition: its path at this service. */
export function runbookOf(condition: HeldCondition | NetworkConditionName): string {
  return `/docs/runbook.md#${condition}`
}

/**
 * Rounds up to 1, 2 or 5 times a power of ten. An exact figure would follow prices and change with every block, and
 * each change of a wait is a write to the database.
 */
export function roughly(wei: Wei): Wei {
  let power = 1n
  while (power * 10n < wei) power *= 10n
  return [1n, 2n, 5n, 10n].map((step) => step * power).find((step) => step >= wei) ?? wei
}
