// Where a sequencer orders transactions as they come: whether it has ordered a payload, so that nothing can replace it.
import { type Attempt, attemptWith, isNonceSpent } from '../../attempt.ts'
import { type InPhase, payloadAttempts } from '../../transaction.ts'
import type { TimestampMs } from '../../units.ts'
import type { Situation } from '../plan/work.ts'
import { blocksWaited } from '../terms/attempts.ts'

/**
 * Whether nothing can take the nonce any more: the sequencer answered with the receipt of the payload, or says that the nonce is
 * spent. It also says so to a repeat of bytes that it ordered, before any block shows them. An accepted hash proves nothing: Arbitrum
 * announced answers that come before the order, and a transaction that was accepted may then be lost.
 */
export function isOrderedBySequencer({ lifecycle }: InPhase<'inFlight'>, situation: Situation): boolean {
  const { observation, policy, now } = situation
  return payloadAttempts(lifecycle.attempts).some((attempt) => {
    const { broadcast } = attempt
    if (!isNonceSpent(attempt) || broadcast.state !== 'handed') return false
    // Another nonce comes first, so blocks prove nothing.
    if (lifecycle.nonce > observation.nonce) return true
    const waitedMs = now - broadcast.at
    const { number, timestampMs } = observation.head
    const isForgotten =
      blocksWaited(attempt, number) >= policy.bumpAfterBlocks &&
      (waitedMs < 0 || waitedMs >= forgottenAfterMs(situation)) &&
      (timestampMs > broadcast.at || waitedMs >= staleHeadMs)
    return !isForgotten
  })
}

/** Whether the sequencer ordered the payload between two reads of the attempts. Then a decision on the earlier read no longer holds. */
export function wasOrderedSince(earlier: readonly Attempt[], now: readonly Attempt[]): boolean {
  return payloadAttempts(now).some((attempt) => {
    if (!isNonceSpent(attempt)) return false
    const before = attemptWith(earlier, attempt.hash)
    return !before || !isNonceSpent(before) || answeredAt(before) !== answeredAt(attempt)
  })
}

function answeredAt({ broadcast }: Attempt): TimestampMs | undefined {
  return broadcast.state === 'handed' ? broadcast.at : undefined
}

/** Age of an answer beyond which the head counts as newer: the clocks of the machine and of the chain differ. */
const staleHeadMs = 60_000

/** Time after which a block would show an ordered payload. The head at its signature may have been old, so blocks alone don't count. */
function forgottenAfterMs({ observation, policy }: Situation): number {
  const blocktimeMs = observation.blocktimeMs ?? policy.averageBlocktimeMs
  const { bumpAfterMs, bumpAfterBlocks, profile } = policy
  return Math.max(bumpAfterMs, profile.keepsFutureNonceMs ?? 0, (bumpAfterBlocks + 1) * blocktimeMs)
}
