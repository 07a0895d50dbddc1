// A canceled transaction in flight: it is dropped where certainly no node has it, and otherwise a no-op contends for its nonce
// until something is mined.
//
// Where a sequencer orders transactions as they come, no price replaces one. So the outcome of the payload's broadcasts
// decides:
//
// 1. Every broadcast was certainly rejected: it is dropped, at no cost.
// 2. An answer shows that the sequencer ordered it: a block will show that the cancellation lost, and no no-op is sent.
// 3. Anything else, an accepted hash included: one no-op takes the nonce, unless the payload was ordered first.
import {
  type Attempt,
  invalidReasonOf,
  isNoOp,
  isSequenced,
  mayBeKnown,
  rejectionOf,
  wasAlwaysRejected,
} from '../../attempt.ts'
import { whyGivenUp } from '../../give-up.ts'
import { isFcfs } from '../../profile.ts'
import { type InPhase, payloadAttempts } from '../../transaction.ts'
import { explain, type Steps } from '../plan/decision.ts'
import type { Situation } from '../plan/work.ts'
import { isOrderedBySequencer } from '../rules/arrival-order.ts'
import { noOpContender } from '../terms/contender.ts'
import { advance } from './advance.ts'

export function cancelInFlight(transaction: InPhase<'inFlight'>, situation: Situation): Steps {
  // Other reasons why the no-op waits go deeper, and come after this one.
  const why = transaction.cancellation?.origin === 'refusal' ? explain(transaction, whyGivenUp(transaction)) : []
  return [...why, ...race(transaction, situation)]
}

function race(transaction: InPhase<'inFlight'>, situation: Situation): Steps {
  const { attempts } = transaction.lifecycle
  const known = attempts.filter(mayBeKnown)
  if (!isFcfs(situation.policy)) {
    return known.length === 0
      ? [{ do: 'drop', transaction }]
      : advance(noOpContender(transaction, situation), situation)
  }
  if (known.every((attempt) => isRejectedForGood(attempt, situation))) return [{ do: 'drop', transaction }]
  if (isOrderedBySequencer(transaction, situation)) {
    const by = payloadAttempts(attempts).some(isSequenced) ? 'receipt' : 'spentNonce'
    return explain(transaction, { condition: 'already_ordered', facts: { of: 'cancellation', by } })
  }
  // A payload that was rejected may be kept for a moment. Then it is dropped, and costs nothing.
  const areAllRejected = !attempts.some(isNoOp) && known.every((attempt) => isRejectedButMaybeKept(attempt, situation))
  return areAllRejected ? [] : advance(noOpContender(transaction, situation), situation)
}

/**
 * Whether the rejection holds by now. A sequencer may have kept a nonce that was too high, and ordered it once the one before it
 * came: the answer does not show that.
 */
function isRejectedForGood(attempt: Attempt, situation: Situation): boolean {
  const { broadcast } = attempt
  const keptMs = situation.policy.profile.keepsFutureNonceMs ?? 0
  return (
    isRejectedButMaybeKept(attempt, situation) && broadcast.state === 'handed' && broadcast.at + keptMs <= situation.now
  )
}

/** Whether every broadcast was rejected. A proxy may still repeat a rejected broadcast a moment later. */
function isRejectedButMaybeKept(attempt: Attempt, situation: Situation): boolean {
  const mayBeKept = situation.policy.profile.keepsFutureNonceMs && rejectionOf(attempt)?.code === 'nonceGap'
  // A gateway's "invalid" proves nothing about the sequencer.
  if (invalidReasonOf(attempt) !== undefined) return false
  return wasAlwaysRejected(attempt) && !mayBeKept && !isAhead(attempt, situation)
}

/** Whether the answer is ahead of the clock, which was set back by an unknown amount. */
function isAhead({ broadcast }: Attempt, { now }: Situation): boolean {
  return broadcast.state === 'handed' && broadcast.at > now
}
