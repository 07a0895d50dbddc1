// Some sequencers drop a nonce above a gap after about a second. There, sends go out one at a time: the next once a node accepted
// the one before it, or said that its nonce is spent. A refused send goes out again after that.
import { type Attempt, isNonceTaken, isNoOp, takenAtOf } from '../../attempt.ts'
import type { Observation } from '../../observation.ts'
import type { DecisionProfile, NetworkPolicy } from '../../relayer.ts'
import type { InPhase } from '../../transaction.ts'
import type { Decision } from '../plan/decision.ts'
import { inFlightOf, type Work } from '../plan/work.ts'
import { lowestGap } from '../terms/free-nonces.ts'

function isOrderStrict({ keepsFutureNonceMs = 0 }: DecisionProfile): boolean {
  return keepsFutureNonceMs > 0
}

/** The work with the part of the queue that may get a nonce in this step. A gap is filled at once: all others wait for it. */
export function queueAllowedNow(work: Work, observation: Observation, { profile }: NetworkPolicy): Work {
  if (!isOrderStrict(profile)) return work
  const isAwaited = !inFlightOf(work).every(hasTakenNonce) && lowestGap(work, observation) === undefined
  return { ...work, queued: isAwaited ? [] : work.queued, bindsMax: 1 }
}

/** Whether the next step may bind another nonce at once. */
export function mayBindMore(work: Work, decisions: readonly Decision[], { profile }: NetworkPolicy): boolean {
  return isOrderStrict(profile) && work.queued.length > 1 && decisions.some((each) => each.do === 'assignNonce')
}

/** Whether a decision's bytes may be broadcast now. A no-op does not wait: a race is lost by waiting. */
export function mayBroadcastNow(decision: Decision, work: Work, { profile }: NetworkPolicy): boolean {
  if (!isOrderStrict(profile)) return true
  if (decision.do !== 'rebroadcast' && decision.do !== 'bump' && decision.do !== 'replace') return true
  if (decision.do === 'rebroadcast' && isNoOp(decision.attempt)) return true
  const { nonce } = decision.transaction.lifecycle
  return inFlightOf(work).every((each) => each.lifecycle.nonce >= nonce || hasTakenNonce(each))
}

/** Whether an answer shows that the nonce is taken. The head may not show it yet: its node may be behind the sequencer. */
function hasTakenNonce({ lifecycle }: InPhase<'inFlight'>): boolean {
  return lifecycle.attempts.some((attempt) => isNonceTaken(attempt) || wasTakenBefore(attempt))
}

/** Whether a node accepted an earlier broadcast of the bytes. A repeat without an answer takes back no acceptance. */
function wasTakenBefore(attempt: Attempt): boolean {
  const { broadcast } = attempt
  return broadcast.state === 'handed' && broadcast.outcome.kind === 'unknown' && takenAtOf(attempt) !== undefined
}
