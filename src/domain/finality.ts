// Finality: when the service counts on a block for good, by its depth or by a block tag of the nodes. The status
// `confirmed` follows the required confirmations. Verdicts, and nonces that foreign transactions took, follow finality.
import type { Depth } from './patience.ts'
import type { BlockNumber, TimestampMs } from './units.ts'

/**
 * A block tag that nodes answer. On a rollup, `safe` means that the L1 holds the block's data, and `finalized` that this
 * data is in a final L1 block (https://specs.optimism.io/glossary.html).
 */
export type FinalityTag = 'safe' | 'finalized'

/** A number of confirmations, the block's own included, or a tag. */
export type Finality = number | FinalityTag

export interface FinalityRule {
  /** Blocks, its own included, after which a transaction is confirmed. */
  readonly requiredConfirmations: number
  /** When it is final. A number below `requiredConfirmations` counts as that. */
  readonly finality: Finality
}

/** The least depth of a final block. With a tag, the tag must have passed the block, too. */
export function finalDepth({ finality, requiredConfirmations }: FinalityRule): Depth {
  return { depth: typeof finality === 'number' ? Math.max(finality, requiredConfirmations) : requiredConfirmations }
}

interface Seen {
  readonly head: { readonly number: BlockNumber }
  /** The tag's block, canonical at the head; absent where no node reports it. */
  readonly tagged?: BlockNumber
}

/** The last block that is final, if it is canonical at the head. */
export function finalThrough({ head, tagged }: Seen, rule: FinalityRule): BlockNumber | undefined {
  const deep = head.number - finalDepth(rule).depth + 1
  if (typeof rule.finality === 'number') return deep
  return tagged !== undefined && tagged <= head.number ? Math.min(deep, tagged) : undefined
}

/** Whether a block that is canonical at the head is final. */
export function isFinal(block: BlockNumber, seen: Seen, rule: FinalityRule): boolean {
  const through = finalThrough(seen, rule)
  return through !== undefined && block <= through
}

/**
 * The time between readings while a transaction waits for a tag: a chain that makes blocks on demand makes none as its last ones
 * become final.
 */
export const tagRereadMs = 60_000

const minuteMs = 60_000
/** The OP Stack takes about 2 minutes to `safe` and 20 to `finalized`. */
const stalledAfterMs = { safe: 15 * minuteMs, finalized: 30 * minuteMs } as const satisfies Record<FinalityTag, number>

/** Transactions confirmed by then are held up by their tag. Undefined without a tag. */
export function stalledBy(finality: Finality, now: TimestampMs, limitMs?: number): TimestampMs | undefined {
  return typeof finality === 'number' ? undefined : now - (limitMs ?? stalledAfterMs[finality])
}

/**
 * The minutes after which a confirmed transaction is held up by its tag. Undefined until then, and without a tag.
 * `limitMs`: on a chain that usually takes longer.
 */
export function stalledAfterMinutes(
  finality: Finality,
  confirmedAt: TimestampMs,
  now: TimestampMs,
  limitMs?: number,
): number | undefined {
  const confirmedBy = stalledBy(finality, now, limitMs)
  return confirmedBy === undefined || confirmedAt > confirmedBy ? undefined : Math.round((now - confirmedBy) / minuteMs)
}
