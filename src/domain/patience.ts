// Patience and depth: the two measures in blocks, which are never mixed.
//
// Patience is how long something gets, in blocks and in time: both have to pass. A block takes 12 s on one chain and 200 ms on another, so
// blocks alone prove little there; and time alone passes while a chain stands still. A false head skips blocks, and no time. Nothing converts
// one into the other: where blocks come at no steady pace, no block time is measured.
//
// Example: a foreign transaction gets 12 blocks and 24 s. On Ethereum the blocks end it, after 144 s; on Base, with blocks of 200 ms, the time.
import type { BlockNumber } from './units.ts'

export interface Patience {
  readonly blocks: number
  readonly ms: number
}

/** A head, and when it counted as the head, by one clock: that of the machine for what is stored, that of the process for what is not. */
export interface Moment {
  readonly block: BlockNumber
  readonly ms: number
}

/** Whether both have passed. If the clock was set back since, by an unknown amount, the blocks alone count. */
export function isOver(patience: Patience, since: Moment, now: Moment): boolean {
  const waitedMs = now.ms - since.ms
  return now.block - since.block >= patience.blocks && (waitedMs < 0 || waitedMs >= patience.ms)
}
