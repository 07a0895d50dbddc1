// What several nodes' answers about the same bytes prove together.
import type { BroadcastOutcome, RejectionCode } from '../../domain/attempt.ts'

/** Evidence that a node may have it, strongest first: what one node may hold, no other node's refusal takes back. */
const evidence: readonly BroadcastOutcome['kind'][] = ['accepted', 'alreadyKnown', 'unknown', 'rejected', 'unsent']

/**
 * Among refusals, what says most about the chain and about rivals in the pools comes first, and what another node might
 * see differently after it. `invalid` is for ever, so it stands only where every node that was reached said so.
 */
const refusals: readonly RejectionCode[] = [
  'nonceTooLow',
  'replacementUnderpriced',
  'insufficientFunds',
  'feeTooLow',
  'nonceGap',
  'typeConflict',
  'poolFull',
  'nodeLimit',
  'invalid',
]

/** `unsent` only if it is all of them. */
export function mergeOutcomes(one: BroadcastOutcome, other: BroadcastOutcome): BroadcastOutcome {
  const distance = evidence.indexOf(one.kind) - evidence.indexOf(other.kind)
  if (distance !== 0) return distance < 0 ? one : other
  // An error that nobody has recorded is worth telling; a silence is not.
  if (one.kind === 'unknown' && other.kind === 'unknown') return one.code === undefined ? other : one
  if (one.kind !== 'rejected' || other.kind !== 'rejected') return one
  return refusals.indexOf(one.code) <= refusals.indexOf(other.code) ? one : other
}

/** Whether the next endpoint may do better: nothing was learned, or the refusal is one node's own affair. */
export function worthAnother(outcome: BroadcastOutcome): boolean {
  if (outcome.kind === 'unsent' || outcome.kind === 'unknown') return true
  return outcome.kind === 'rejected' && (outcome.code === 'nodeLimit' || outcome.code === 'poolFull')
}
