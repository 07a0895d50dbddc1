// Decides which bytes of a nonce are broadcast again, and when: nodes may have missed them, and pools may have lost
// them.
import { type Attempt, isNoOp, mayBeKnown, newest, rejectionOf, wasAlwaysRejected, wasTaken } from '../attempt.ts'
import { feeCap } from '../fees.ts'
import type { NonEmpty } from '../ids.ts'
import type { Observation } from '../observation.ts'
import type { InPhase } from '../transaction.ts'
import type { Decision } from './decision.ts'
import { costOf } from './funds.ts'
import { isRefusedDue, repeatAfter } from './repeat-after.ts'
import type { Situation } from './situation.ts'

/** `own`: the attempts of one purpose, oldest first: the payload's, or the no-ops. */
export function rebroadcastIfDue(
  transaction: InPhase<'inFlight'>,
  own: NonEmpty<Attempt>,
  situation: Situation,
): Decision[] {
  return repeatIfDue(transaction, attemptToRepeat(transaction, own, situation.observation), situation)
}

/**
 * Repeats an attempt before the newest whose price was too high then and is right now. A pool would refuse a lower one.
 */
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

/** The newest attempt, or an earlier one that the balance covers. Never one of a replaced payload. */
function attemptToRepeat(
  transaction: InPhase<'inFlight'>,
  own: NonEmpty<Attempt>,
  { balance, market }: Pick<Observation, 'balance' | 'market'>,
): Attempt {
  const latest = newest(own)
  if (rejectionOf(latest)?.code !== 'insufficientFunds') return latest
  if (balance !== undefined && costOf(transaction, latest, market ?? {}) <= balance) return latest
  const ofSamePayload = own.filter(({ revision }) => revision === latest.revision)
  return ofSamePayload.findLast((attempt) => mayBeKnown(attempt) && !wasAlwaysRejected(attempt)) ?? latest
}

/** Soon if the bytes may not have arrived, seldom if a node accepted them. */
function isDue(attempt: Attempt, situation: Situation): boolean {
  const { observation, policy, now } = situation
  const { broadcast } = attempt
  switch (broadcast.state) {
    case 'held':
    case 'sending':
      return true
    case 'handed': {
      const waitedMs = now - broadcast.at
      // A time ahead of the clock: the clock was set back, by an unknown amount.
      const { takenMs, doubtfulMs } = repeatAfter(observation, policy)
      const pauseMs = Math.max(wasTaken(attempt) ? takenMs : doubtfulMs, pauseBehindOthersMs(attempt, situation))
      return waitedMs < 0 || waitedMs >= pauseMs
    }
    case 'refused':
      // An invalid payload ends. A race goes on, since the node may accept the no-op later.
      return isNoOp(attempt) && isRefusedDue(attempt, repeatAfter(observation, policy), now)
    case 'withdrawn':
      return false
  }
}

/** On average, a relayer repeats no more than this of the broadcasts that wait for others, however fast the blocks come. */
const repeatsPerSecondMax = 3

/**
 * Only the next nonce can be mined, so its bytes follow the network's pace. Those behind it wait, if a node accepted them or
 * only their price is too low now: on a chain of five blocks a second, 50 of them would cost 60 calls a second.
 */
function pauseBehindOthersMs(attempt: Attempt, { work, observation }: Situation): number {
  const waits = wasTaken(attempt) || rejectionOf(attempt)?.code === 'feeTooLow'
  return waits && attempt.nonce > observation.nonce ? (1_000 * work.open.length) / repeatsPerSecondMax : 0
}
