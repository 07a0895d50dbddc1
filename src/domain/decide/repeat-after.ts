// How long the service waits before it broadcasts bytes again. Only this waits for time instead of blocks.
import type { Attempt } from '../attempt.ts'
import type { Observation } from '../observation.ts'
import type { NetworkPolicy } from '../relayer.ts'
import type { TimestampMs } from '../units.ts'

/** A failed broadcast is repeated within about a block, on fast chains and slow ones. */
const doubtfulMsMin = 500
const doubtfulMsMax = 5_000

export interface RepeatAfter {
  /** If the last broadcast failed, or its outcome is unknown. */
  readonly doubtfulMs: number
  /** If a node accepted them: pools may have lost them since. */
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

/** The longest delay until the service notices a node that accepts the bytes again. Each try is a call. */
export const refusedPauseMaxMs = 300_000

/** Whether a no-op that nodes call invalid is tried once more. Other bytes would be refused as well. */
export function isRefusedDue(attempt: Attempt, repeats: RepeatAfter, now: TimestampMs): boolean {
  return now < lastTryAt(attempt) || now >= refusedRetryAt(attempt, repeats)
}

/**
 * The pause doubles with each try: it is as long as the time since the signature. The row alone shows it, also after a
 * restart.
 */
export function refusedRetryAt(attempt: Attempt, { doubtfulMs }: RepeatAfter): TimestampMs {
  const at = lastTryAt(attempt)
  const tried = at - attempt.recordedAt
  return at + Math.min(Math.max(tried, doubtfulMs), Math.max(refusedPauseMaxMs, doubtfulMs))
}

function lastTryAt({ broadcast, recordedAt }: Attempt): TimestampMs {
  return broadcast.state === 'refused' || broadcast.state === 'handed' ? broadcast.at : recordedAt
}
