// The conditions in a few words. The service's own text has the figures.
import type { OverviewView } from '../../client/relayer-types.ts'

export type WaitCondition = OverviewView['conditions'][number]['condition']

export const conditionTitles: Readonly<Record<WaitCondition, string>> = {
  on_hold: 'On hold',
  paused: 'Paused',
  policy: 'Forbidden by a policy',
  balance_below_minimum: 'Balance below the minimum',
  balance_short: 'Balance too low',
  already_ordered: 'Already ordered by the sequencer',
  outcome_unknown: 'Outcome unknown',
  cancel_unfunded: 'No funds for the no-op',
  gas_price_cap: 'Gas price above the cap',
  cancel_gas_price_cap: 'No-op price above the cap',
  cost_bound: 'No-op cost above its bound',
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
  no_progress: 'No block takes it',
  node_behind: 'The node is behind',
  node_refuses: 'The node refuses it',
  refused_by_all: 'Every node refuses it',
  head_stalled: 'No new block',
  node_unreachable: 'No node can be reached',
  facts_missing: 'No node reports prices',
  gas_unknown: 'Gas can’t be estimated',
  would_revert: 'It would revert now',
  signer_unavailable: 'The signer can’t be reached',
  account_in_use: 'Another service uses the account',
  finality_stalled: 'Finality is stalled',
  witnesses_contradict: 'Endpoints contradict each other',
  witness_silent: 'A second endpoint is silent',
  foreign_use: 'The key was used elsewhere',
  step_failing: 'The service fails at it: the log has the error',
}

/** The age from which a transaction in no block, without a condition, is slow, and worth a look. */
const slowMs = 300_000

/**
 * - `stuck`: a condition holds transactions up. `blocked`: nothing is open, and a condition would hold up the next send.
 * - `acknowledged`: all of its conditions are. `unobserved`: nothing is open, and no process has looked.
 */
export type Health =
  | 'stuck'
  | 'blocked'
  | 'slow'
  | 'paused'
  | 'acknowledged'
  | 'racing'
  | 'busy'
  | 'unobserved'
  | 'idle'

export function healthOf(view: OverviewView, now: number): Health {
  const held = heldOf(view)
  const isOpen = view.queued + view.in_flight > 0 || view.held_up !== undefined
  if (held.some(({ acknowledged }) => !acknowledged)) return isOpen ? 'stuck' : 'blocked'
  if (view.paused || view.network_pause) return 'paused'
  if (held.length > 0) return 'acknowledged'
  if (view.oldest && now - Date.parse(view.oldest.created_at) > slowMs) return 'slow'
  if (view.racing > 0) return 'racing'
  if (isOpen) return 'busy'
  return view.state === 'unobserved' ? 'unobserved' : 'idle'
}

/** A pause is the operator's own. */
export function heldOf({ conditions }: OverviewView): OverviewView['conditions'] {
  return conditions.filter(({ condition }) => condition !== 'paused')
}

/** Worst first. */
export const healthOrder: readonly Health[] = [
  'stuck',
  'blocked',
  'slow',
  'paused',
  'acknowledged',
  'racing',
  'busy',
  'unobserved',
  'idle',
]
