// The anchor of a network: a block so deep that no reorganization reaches it. An endpoint that shows another block at its
// height serves another chain.
import type { SpannedDepth } from './patience.ts'
import type { BlockRef } from './transaction.ts'
import type { TimestampMs } from './units.ts'

export interface Anchor extends BlockRef {
  /** When it was made, by its own word. */
  readonly minedAt: TimestampMs
  readonly recordedAt: TimestampMs
}

/** A later block replaces an anchor of this age. */
export const anchorKeptMs = 3_600_000

/** How many blocks and how much time on top of it, by the blocks' own times, make a block final to the anchor without a tag. */
export const anchorDepth: SpannedDepth = { depth: 256, spanMs: 3_600_000 }

/** A tagged block too: one endpoint's false tag would be its head. */
export const taggedAnchorDepth: SpannedDepth = { depth: 64, spanMs: 120_000 }
