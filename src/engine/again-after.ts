// When the next step begins without a wake-up or a block.
import type { Condition } from '../domain/condition.ts'
import { awaitsFinality } from '../domain/decide/facts/inquire.ts'
import type { Plan } from '../domain/decide/plan/decision.ts'
import { inFlightOf, nextExpiry, type Work } from '../domain/decide/plan/work.ts'
import { patienceEndsAt } from '../domain/decide/race/reason-to-bid.ts'
import { isInDoubt, nextRefusedRetry, repeatAfter } from '../domain/decide/race/repeat-after.ts'
import { nextRelease } from '../domain/decide/rules/holds.ts'
import { lacksWitness } from '../domain/decide/rules/second-witness.ts'
import { tagRereadMs } from '../domain/finality.ts'
import type { Observation } from '../domain/observation.ts'
import type { NetworkPolicy } from '../domain/relayer.ts'
import type { TimestampMs } from '../domain/units.ts'

export interface Again {
  readonly againAfterMs?: number
}

/** The decision of a step, and its basis. */
export interface Decided {
  readonly work: Work
  readonly plan: Plan
  readonly observation: Observation
  readonly decidedAt: TimestampMs
}

export function sooner(rest: Again, ms: number | undefined): Again {
  return ms === undefined ? rest : { againAfterMs: Math.min(rest.againAfterMs ?? ms, ms) }
}

/** The time until the next step that no block triggers. Deadlines that passed since the decision count as due now. */
export function againAfter(
  { work, plan, observation, decidedAt }: Decided,
  policy: NetworkPolicy,
  now: TimestampMs,
): Again {
  if (plan.observeAgainAtOnce) return { againAfterMs: 0 }
  const repeats = repeatAfter(observation, policy)
  const retry = isInDoubt(work) ? repeats.doubtfulMs : Number.POSITIVE_INFINITY
  const expiry = nextExpiry(work, decidedAt) ?? Number.POSITIVE_INFINITY
  const { number } = observation.head
  const patience = patienceEndsAt(inFlightOf(work), number, policy, decidedAt) ?? Number.POSITIVE_INFINITY
  const refusedRetry = nextRefusedRetry(work, repeats, decidedAt) ?? Number.POSITIVE_INFINITY
  const release = nextRelease(work, decidedAt) ?? Number.POSITIVE_INFINITY
  const dueAfter = Math.max(1, Math.min(expiry, patience, refusedRetry, release) - now)
  const tag = awaitsFinality(work) && typeof policy.finality !== 'number' ? tagRereadMs : Number.POSITIVE_INFINITY
  const witness = lacksWitness(observation, policy) ? witnessAgainMs : Number.POSITIVE_INFINITY
  const soonest = Math.min(retry, dueAfter, tag, witness, ...plan.conditions.flatMap((each) => rereadsMs[each] ?? []))
  return Number.isFinite(soonest) ? { againAfterMs: Math.min(soonest, sleepMaxMs) } : {}
}

/** Pause until another look for a witness: a chain that makes blocks on demand makes none while a second endpoint catches up. */
const witnessAgainMs = 2_000

/** Pauses until a condition is observed anew: a chain that makes blocks on demand makes none while the queue waits. */
const rereadsMs: Partial<Record<Condition, number>> = {
  gap_unconfirmed: 5_000,
  gap_fillers_limited: 60_000,
  gas_unknown: 5_000,
  nonce_blocked: 24_000,
  pool_unseen: 24_000,
  history_unknown: 24_000,
}

/** Wake-ups this close together share a step, or a decision during a look, if the last one changed nothing. */
export const idleRestMs = 20

/** The longest sleep: a timer can't exceed 2^31-1 ms, and one observation a day is frequent enough. */
export const sleepMaxMs = 86_400_000
