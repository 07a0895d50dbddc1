// How long bytes rest before they are broadcast again: the one thing that waits for time, and not for blocks.
import type { Attempt } from '../attempt.ts'
import type { Observation } from '../observation.ts'
import type { NetworkPolicy } from '../relayer.ts'
import type { TimestampMs } from '../units.ts'

/** What failed is repeated within about a block, wherever blocks are fast or slow. */
const doubtfulMsMin = 500
const doubtfulMsMax = 5_000

export interface RepeatAfter {
  /** Where the last broadcast failed, or nobody knows what came of it. */
  readonly doubtfulMs: number
  /** Where a node took them: the pools may have lost them since. */
  readonly takenMs: number
}

export function repeatAfter(
  { blocktimeMs }: Pick<Observation, 'blocktimeMs'>,
  { averageBlocktimeMs, rebroadcastAfterBlocks }: NetworkPolicy,
): RepeatAfter {
  const ms = blocktimeMs ?? averageBlocktimeMs
  return {
    doubtfulMs: Math.min(doubtfulMsMax, Math.max(doubtfulMsMin, ms)),
    takenMs: rebroadcastAfterBlocks * ms,
  }
}

/** A chain that comes to its senses is noticed so late; until then each try is a call. */
export const refusedPauseMaxMs = 300_000

/** Whether a no-op that nodes call invalid is tried once more: other bytes would fare no better. */
export function isRefusedDue(attempt: Attempt, repeats: RepeatAfter, now: TimestampMs): boolean {
  return now < lastTryAt(attempt) || now >= refusedRetryAt(attempt, repeats)
}

/** Doubles with each try: as long again as since it was signed. Nothing but the row is needed to tell, also after a restart. */
export function refusedRetryAt(attempt: Attempt, { doubtfulMs }: RepeatAfter): TimestampMs {
  const at = lastTryAt(attempt)
  const tried = at - attempt.recordedAt
  return at + Math.min(Math.max(tried, doubtfulMs), Math.max(refusedPauseMaxMs, doubtfulMs))
}

function lastTryAt({ broadcast, recordedAt }: Attempt): TimestampMs {
  return broadcast.state === 'refused' || broadcast.state === 'handed' ? broadcast.at : recordedAt
}
