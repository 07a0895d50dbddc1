// What keeps a relayer's transactions waiting: for machines as a condition, for people as the reason beside it.
import type { Wei } from './units.ts'

/** Few and fixed: each is a label of a metric, and has its line in docs/operations.md. */
export const conditions = [
  /** The relayer is paused. */
  'paused',
  /** The relayer's policies forbid a replacement by now. */
  'policy',
  /** The balance is below min_balance. */
  'balance_below_minimum',
  /** The balance does not cover what is next, or what is in flight. */
  'balance_short',
  /** The balance does not cover a no-op. */
  'cancel_unfunded',
  /** A send needs more than gas_price_cap. */
  'gas_price_cap',
  /** A no-op needs more than cancel_gas_price_cap. */
  'cancel_gas_price_cap',
  /** The fees that a client named are too low by now. */
  'own_price',
  /** So many attempts were signed for a nonce that no more are. */
  'attempts_exhausted',
  /** A transaction that is not ours took a nonce of ours. */
  'nonce_taken',
  /** A transaction that is not ours waits in the pool before ours. */
  'nonce_blocked',
  /** A nonce before ours is unused, and no node shows whether a foreign transaction waits for it. */
  'pool_unseen',
  /** A nonce is spent, and no node shows by what. */
  'nonce_unproven',
  /** Nonces were used by what the database does not hold. */
  'history_unknown',
  /** A no-op of a lost history canceled one of several transactions, and nobody can tell which. */
  'cancellation_unclear',
  /** The node knows less of the chain than is settled. */
  'node_behind',
  /** A node refuses a broadcast. */
  'node_refuses',
  /** No node could be reached. */
  'node_unreachable',
  /** No node tells a price, or the balance. */
  'facts_missing',
  /** No node could estimate the gas of what is next. */
  'gas_unknown',
  /** What is next would revert by now. */
  'would_revert',
] as const
export type Condition = (typeof conditions)[number]

/** Why a transaction waits, true as of the last look at the chain: `condition` for machines, `text` for people. */
export interface Wait {
  readonly condition: Condition
  readonly text: string
}

/**
 * Rounded up to 1, 2 or 5 times a power of ten: a figure that follows prices would change with every block, and a reason
 * is written to the database each time that it does.
 */
export function roughly(wei: Wei): Wei {
  let power = 1n
  while (power * 10n < wei) power *= 10n
  return [1n, 2n, 5n, 10n].map((step) => step * power).find((step) => step >= wei) ?? wei
}
