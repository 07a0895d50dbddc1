// Patience and depth: the two measures in blocks, which are never mixed.
//
// Patience is how long something gets, in blocks and in time: both have to pass. A block takes 12 s on one chain and 200 ms on another, so
// blocks alone prove little there; and time alone passes while a chain stands still. A false head skips blocks, and no time. Where blocks come
// at no steady pace, no block time is measured, so blocks become time only where a beginning has no block on record (`lastsMs`).
//
// Depth is how many blocks lie on another: what a reorganization takes back, and what a node may not show yet. A sequencer's failover takes
// back a minute, which is 300 blocks of 200 ms, so a depth may have a least span of time.
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

/**
 * How long it lasts, where only the time of the beginning is on record: by the measured block time, else by the configured one. Never less
 * than its milliseconds.
 */
export function lastsMs(
  { blocks, ms }: Patience,
  { blocktimeMs }: { readonly blocktimeMs?: number },
  { averageBlocktimeMs }: { readonly averageBlocktimeMs: number },
): number {
  return Math.max(ms, blocks * (blocktimeMs ?? averageBlocktimeMs))
}

/** No bare number stands for it, and no patience. */
export interface Depth {
  readonly depth: number
}

export interface SpannedDepth extends Depth {
  /** The least time that the blocks span, where their time is measured. */
  readonly spanMs: number
}

/** The depth in blocks of this time, which is undefined where none is measured. */
export function blocksOf({ depth, spanMs }: SpannedDepth, blocktimeMs: number | undefined): number {
  return blocktimeMs === undefined ? depth : Math.max(depth, Math.ceil(spanMs / blocktimeMs))
}

/** Whether a remembered reading still counts. A head below it is of another branch. */
export function isKept(patience: Patience, readAt: Moment, now: Moment): boolean {
  return now.block >= readAt.block && !isOver(patience, readAt, now)
}
