// The conditions in a few words. The service's own text has the figures.
import type { OverviewView } from '../../client/relayer-types.ts'

export type WaitCondition = NonNullable<OverviewView['held_up']>['wait']['condition']

export const conditionTitles: Readonly<Record<WaitCondition, string>> = {
  paused: 'Paused',
  policy: 'Forbidden by a policy',
  balance_below_minimum: 'Balance below the minimum',
  balance_short: 'Balance too low',
  already_ordered: 'Already ordered by the sequencer',
  outcome_unknown: 'Outcome unknown',
  cancel_unfunded: 'No funds for the no-op',
  gas_price_cap: 'Gas price above the cap',
  cancel_gas_price_cap: 'No-op price above the cap',
  own_price: 'The client’s price is too low',
  price_ceiling: 'Price at its ceiling',
  attempts_exhausted: 'No more attempts',
  nonce_taken: 'Nonce taken by a foreign transaction',
  nonce_blocked: 'Blocked by a foreign transaction',
  pool_unseen: 'The pool can’t be seen',
  gap_unconfirmed: 'Unused nonce not confirmed',
  gap_fillers_limited: 'Too many gap fillers',
  nonce_unproven: 'Nonce spent without a proof',
  history_unknown: 'Unknown history',
  cancellation_unclear: 'Unclear which one was canceled',
  node_behind: 'The node is behind',
  node_refuses: 'The node refuses it',
  refused_by_all: 'Every node refuses it',
  node_unreachable: 'No node can be reached',
  facts_missing: 'No node reports prices',
  gas_unknown: 'Gas can’t be estimated',
  would_revert: 'It would revert now',
  signer_unavailable: 'The signer can’t be reached',
  account_in_use: 'Another service uses the account',
  finality_stalled: 'Finality is stalled',
  witnesses_contradict: 'Endpoints contradict each other',
  witness_silent: 'A second endpoint is silent',
}

/** In no block for so long, without a condition: slow, and worth a look. */
export const slowMs = 300_000

export type Health = 'stuck' | 'slow' | 'paused' | 'racing' | 'busy' | 'idle'

export function healthOf(view: OverviewView, now: number): Health {
  if (view.held_up && view.held_up.wait.condition !== 'paused') return 'stuck'
  if (view.paused) return 'paused'
  if (view.oldest && now - Date.parse(view.oldest.created_at) > slowMs) return 'slow'
  if (view.racing > 0) return 'racing'
  return view.in_flight + view.queued > 0 ? 'busy' : 'idle'
}

/** Worst first. */
export const healthOrder: readonly Health[] = ['stuck', 'slow', 'paused', 'racing', 'busy', 'idle']
