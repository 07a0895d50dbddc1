// How long the service waits before it broadcasts bytes again. Only this waits for time instead of blocks.
import { type Attempt, newest, type RefusalCode, refusalCodeOf, refusedSinceOf, wasTaken } from '../../attempt.ts'
import type { Observation } from '../../observation.ts'
import { lastsMs, type Patience } from '../../patience.ts'
import type { NetworkPolicy } from '../../relayer.ts'
import { isInPhase } from '../../transaction.ts'
import type { TimestampMs } from '../../units.ts'
import { inFlightOf, type Work } from '../plan/work.ts'

/** A failed broadcast is repeated within about a block, on fast chains and slow ones. */
const doubtful: Patience = { blocks: 1, ms: 500 }
const doubtfulMsMax = 5_000

interface RepeatAfter {
  /** The pause after a broadcast that failed, or whose outcome is unknown. */
  readonly doubtfulMs: number
  /** The pause after a node accepted the bytes: pools may have lost them since. */
  readonly takenMs: number
}

export function repeatAfter(observation: Pick<Observation, 'blocktimeMs'>, policy: NetworkPolicy): RepeatAfter {
  return {
    doubtfulMs: Math.min(doubtfulMsMax, lastsMs(doubtful, observation, policy)),
    takenMs: lastsMs(policy.rebroadcastAfter, observation, policy),
  }
}

/** The longest delay until the service notices a node that accepts the bytes again. Each try is a call. */
export const invalidPauseMaxMs = 300_000
/** The longest such delay after refusals that may be over soon. */
export const refusedPauseMaxMs = 60_000

/**
 * Refusals that no price, balance or nonce of ours explains. Nothing but a try shows their end, so the tries become
 * rare. The other refusals end with what the service observes anyway.
 */
const slowing: readonly RefusalCode[] = ['unrecognized', 'invalid', 'poolFull', 'typeConflict', 'nodeLimit']

/** Whether the repeats of an attempt slow down. */
export function isSlowing(attempt: Attempt): boolean {
  const code = refusalCodeOf(attempt)
  return code !== undefined && slowing.includes(code)
}

/** Whether a repeat that slows down is due. A time ahead of the clock counts as due: the clock was set back. */
export function isRefusedDue(attempt: Attempt, repeats: RepeatAfter, now: TimestampMs): boolean {
  const at = lastTryAt(attempt)
  return now < at || now >= refusedRetryAt(attempt, repeats)
}

/** The time of the next try. The pause doubles with each: it is as long as the run of refusals, which the row alone shows. */
function refusedRetryAt(attempt: Attempt, { doubtfulMs }: RepeatAfter): TimestampMs {
  const at = lastTryAt(attempt)
  const refusedMs = at - (refusedSinceOf(attempt) ?? at)
  const mostMs = refusalCodeOf(attempt) === 'invalid' ? invalidPauseMaxMs : refusedPauseMaxMs
  return at + Math.min(Math.max(refusedMs, doubtfulMs), Math.max(mostMs, doubtfulMs))
}

function lastTryAt({ broadcast, recordedAt }: Attempt): TimestampMs {
  return broadcast.state === 'handed' ? broadcast.at : recordedAt
}

/** The first retry after `now` of a refusal whose end only a retry shows. */
export function nextRefusedRetry({ open }: Work, repeats: RepeatAfter, now: TimestampMs): TimestampMs | undefined {
  const times = open.flatMap((each) => {
    if (!isInPhase(each, 'inFlight')) return []
    const latest = newest(each.lifecycle.attempts)
    return isSlowing(latest) ? [refusedRetryAt(latest, repeats)] : []
  })
  const later = times.filter((at) => at > now)
  return later.length === 0 ? undefined : Math.min(...later)
}

/** Whether a broadcast has to be repeated soon: a chain that mines on demand makes no block before it. */
export function isInDoubt(work: Work): boolean {
  return inFlightOf(work).some(({ lifecycle }) => {
    const latest = newest(lifecycle.attempts)
    // Repeats that slow down have their own times.
    return !wasTaken(latest) && !isSlowing(latest)
  })
}
