// When the next step begins without a wake-up or a block.
import type { Plan } from '../domain/decide/decision.ts'
import { awaitsFinality } from '../domain/decide/inquire.ts'
import { patienceEndsAt } from '../domain/decide/reason-to-bid.ts'
import { nextRefusedRetry } from '../domain/decide/refused-gap-filler.ts'
import { repeatAfter } from '../domain/decide/repeat-after.ts'
import { inFlightOf, isInDoubt, nextExpiry, type Work } from '../domain/decide/work.ts'
import { tagRereadMs } from '../domain/finality.ts'
import type { Observation } from '../domain/observation.ts'
import type { NetworkPolicy } from '../domain/relayer.ts'
import type { TimestampMs } from '../domain/units.ts'

export interface Again {
  readonly againAfterMs?: number
}

export function sooner(rest: Again, ms: number | undefined): Again {
  return ms === undefined ? rest : { againAfterMs: Math.min(rest.againAfterMs ?? ms, ms) }
}

/** Blocks trigger all other steps. */
export function againAfter(
  work: Work,
  plan: Plan,
  failed: boolean,
  observation: Observation,
  policy: NetworkPolicy,
  now: TimestampMs,
): Again {
  if (plan.again) return { againAfterMs: 0 }
  const repeats = repeatAfter(observation, policy)
  const retry = failed || isInDoubt(work) ? repeats.doubtfulMs : Number.POSITIVE_INFINITY
  const expiry = (nextExpiry(work, now) ?? Number.POSITIVE_INFINITY) - now
  const { number } = observation.head
  const patience = (patienceEndsAt(inFlightOf(work), number, policy, now) ?? Number.POSITIVE_INFINITY) - now
  const refusedRetry = (nextRefusedRetry(work, repeats, now) ?? Number.POSITIVE_INFINITY) - now
  const tag = awaitsFinality(work) && typeof policy.finality !== 'number' ? tagRereadMs : Number.POSITIVE_INFINITY
  const soonest = Math.min(retry, Math.max(1, expiry), patience, refusedRetry, tag)
  return Number.isFinite(soonest) ? { againAfterMs: Math.min(soonest, sleepMaxMs) } : {}
}

/** A timer can't exceed 2^31-1 ms. One observation a day is frequent enough. */
const sleepMaxMs = 86_400_000
