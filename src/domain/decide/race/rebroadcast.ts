// Decides which bytes of a nonce are broadcast again, and when: nodes may have missed them, and pools may have lost
// them.
import { type Attempt, mayBeKnown, newest, rejectionOf, wasAlwaysRejected, wasTaken } from '../../attempt.ts'
import { feeCap, tipOf } from '../../fees.ts'
import type { NonEmpty } from '../../ids.ts'
import type { Observation } from '../../observation.ts'
import type { InPhase } from '../../transaction.ts'
import type { Decision } from '../plan/decision.ts'
import type { Situation } from '../plan/work.ts'
import { isLeftOut } from '../rules/arrival-order.ts'
import { isBelowBaseFee } from '../terms/attempts.ts'
import { isAboveBalance } from '../terms/funds.ts'
import { isRefusedDue, isSlowing, repeatAfter } from './repeat-after.ts'

/** Repeats the broadcast of one purpose's attempts. `own`: those attempts, oldest first: the payload's, or the no-ops. */
export function rebroadcastIfDue(
  transaction: InPhase<'inFlight'>,
  own: NonEmpty<Attempt>,
  situation: Situation,
): Decision[] {
  return repeatIfDue(transaction, attemptToRepeat(transaction, own, situation), situation)
}

/** Rebroadcasts an older, dearer attempt whose price is right now. A pool would refuse a lower one. */
export function repeatDearerIfDue(
  transaction: InPhase<'inFlight'>,
  attempt: Attempt,
  latest: Attempt | undefined,
  situation: Situation,
): Decision[] {
  if (latest && feeCap(attempt.fees) <= feeCap(latest.fees)) return []
  return repeatIfDue(transaction, attempt, situation)
}

function repeatIfDue(transaction: InPhase<'inFlight'>, attempt: Attempt, situation: Situation): Decision[] {
  return isDue(attempt, situation) ? [{ do: 'rebroadcast', transaction, attempt }] : []
}

/**
 * The attempt to repeat: the newest; an earlier one if the balance does not cover the newest. If pools call its price too low, it takes
 * turns with a dearer one, as a limit may keep the service from signing another. Never one of a replaced payload.
 */
function attemptToRepeat(transaction: InPhase<'inFlight'>, own: NonEmpty<Attempt>, situation: Situation): Attempt {
  const { observation } = situation
  const latest = newest(own)
  const isCovered = (attempt: Attempt) => !isAboveBalance(transaction, attempt, observation)
  const accepted = own.filter(
    (attempt) => attempt.revision === latest.revision && mayBeKnown(attempt) && !wasAlwaysRejected(attempt),
  )
  switch (rejectionOf(latest)?.code) {
    case 'insufficientFunds': {
      return observation.balance !== undefined && isCovered(latest) ? latest : (accepted.at(-1) ?? latest)
    }
    case 'feeTooLow': {
      const dearer = accepted.findLast(({ fees }) => tipOf(fees) > tipOf(latest.fees))
      return dearer && !isSentAfter(dearer, latest) ? dearer : latest
    }
    default:
      return isLeftOut(transaction, latest, situation) ? (accepted.findLast(isCovered) ?? latest) : latest
  }
}

function isSentAfter({ broadcast: one }: Attempt, { broadcast: other }: Attempt): boolean {
  return one.state === 'handed' && other.state === 'handed' && one.at > other.at
}

/** Whether a repeat is due: soon if the bytes may not have arrived, seldom if a node accepted them, ever more seldom after refusals. */
function isDue(attempt: Attempt, situation: Situation): boolean {
  const { observation, policy, now } = situation
  const { broadcast } = attempt
  switch (broadcast.state) {
    case 'held':
    case 'sending':
      return true
    case 'handed': {
      const repeats = repeatAfter(observation, policy)
      if (isSlowing(attempt)) return isRefusedDue(attempt, repeats, now)
      const { takenMs, doubtfulMs } = repeats
      const ownMs = wasTaken(attempt) ? takenMs : doubtfulMs
      const waitedMs = now - broadcast.at
      const belowBaseFeeMs = isTooLowForNextBlock(attempt, observation) ? takenMs : 0
      const pauseMs = Math.max(ownMs, belowBaseFeeMs, pauseBehindOthersMs(attempt, situation))
      // A time ahead of the clock: the clock was set back, by an unknown amount.
      return waitedMs < 0 || waitedMs >= pauseMs
    }
    case 'withdrawn':
      return false
  }
}

/**
 * Whether a node refused its price as too low, and the base fee is above its cap in this block and in the next one: no pool that refuses it
 * for that takes it sooner, and the head shows when the base fee falls.
 */
function isTooLowForNextBlock(attempt: Attempt, { head, market }: Observation): boolean {
  const next = market?.baseFee ?? head.baseFee
  const isRefused = rejectionOf(attempt)?.code === 'feeTooLow'
  return isRefused && isBelowBaseFee(attempt, { head }) && next !== undefined && feeCap(attempt.fees) < next
}

/** Limit of a relayer's repeats of broadcasts that wait for others, on average, however fast the blocks come. */
const repeatsPerSecondMax = 3

/**
 * The pause of bytes behind the next nonce, if a node accepted them or only their price is too low now. Only the next nonce can be
 * mined, so its bytes follow the network's pace: with 50 behind it, five blocks a second would cost 60 calls a second.
 */
function pauseBehindOthersMs(attempt: Attempt, { work, observation }: Situation): number {
  const waits = wasTaken(attempt) || rejectionOf(attempt)?.code === 'feeTooLow'
  return waits && attempt.nonce > observation.nonce ? (1_000 * work.open.length) / repeatsPerSecondMax : 0
}
