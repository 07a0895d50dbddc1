// How long bytes rest before they are handed over again: the one thing that waits for time, and not for blocks.
import type { Observation } from './observation.ts'
import type { NetworkPolicy } from './relayer.ts'

/** What failed is repeated within about a block, wherever blocks are fast or slow. */
const doubtfulMsMin = 500
const doubtfulMsMax = 5_000

export interface RepeatAfter {
  /** Where the last hand-over failed, or nobody knows what came of it. */
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
