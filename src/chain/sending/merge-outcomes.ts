// Merges the outcomes of several nodes for the same bytes.
import type { BroadcastOutcome, RejectionCode } from '../../domain/attempt.ts'

/** Strongest evidence first that a node may have the bytes. A refusal by another node does not refute it. */
const evidence: readonly BroadcastOutcome['kind'][] = ['accepted', 'alreadyKnown', 'unknown', 'rejected', 'unsent']

/**
 * The refusals that prove most about the chain and about rivals in the pools come first, then those that differ between
 * nodes. `invalid` counts only if every node that was reached returned it.
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

/** `unsent` only where both are. */
export function mergeOutcomes(one: BroadcastOutcome, other: BroadcastOutcome): BroadcastOutcome {
  const distance = evidence.indexOf(one.kind) - evidence.indexOf(other.kind)
  if (distance !== 0) return distance < 0 ? one : other
  // An unrecognized error is worth reporting; a missing answer is not.
  if (one.kind === 'unknown' && other.kind === 'unknown') return one.code === undefined ? other : one
  if (one.kind !== 'rejected' || other.kind !== 'rejected') return one
  return refusals.indexOf(one.code) <= refusals.indexOf(other.code) ? one : other
}

/** Whether the next endpoint may do better: the outcome proved nothing, or the refusal is specific to one node. */
export function worthAnother(outcome: BroadcastOutcome): boolean {
  if (outcome.kind === 'unsent' || outcome.kind === 'unknown') return true
  return outcome.kind === 'rejected' && specific.includes(outcome.code)
}

/** Rejections by one node's own limits, pool or rules: it may follow an old fork. */
const specific: readonly RejectionCode[] = ['nodeLimit', 'poolFull', 'invalid']
