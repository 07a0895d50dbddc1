// Finds a block before a given time by the timestamps of blocks alone, whatever block time is configured.
import type { BlockNumber, TimestampMs } from '../../domain/units.ts'

export interface Timed {
  readonly number: BlockNumber
  readonly timestampMs: TimestampMs
}

/** Undefined where the header could not be read. */
type ReadHeader = (number: BlockNumber) => Promise<Timed | undefined>

/** A block this much older than the time is near enough: a closer one would cost more headers than it saves. */
const nearEnoughMs = 60_000

/**
 * Returns a block whose timestamp lies before `time`: the last such block, or one at most `nearEnoughMs` before it.
 * Every block made since then lies above it. Returns -1 where there is none, and undefined where a header could not be
 * read.
 *
 * Timestamps never fall from one block to the next, and are equal where a chain makes several blocks in a second.
 * `blocktimeMs` only says where to begin.
 */
export async function blockBefore(
  head: Timed,
  time: TimestampMs,
  blocktimeMs: number,
  readHeader: ReadHeader,
): Promise<BlockNumber | undefined> {
  if (head.timestampMs < time) return head.number
  const aim = time - nearEnoughMs / 2
  let after = head
  let before: Timed | undefined
  let stride = Math.ceil((head.timestampMs - aim) / blocktimeMs)
  // Each stride goes further down, at the pace of the last one.
  while (!before) {
    if (after.number <= 0) return -1
    const read = await readHeader(Math.max(0, head.number - Math.max(1, stride)))
    if (!read) return undefined
    if (read.timestampMs < time) before = read
    else {
      after = read
      const paceMs = (head.timestampMs - read.timestampMs) / (head.number - read.number)
      stride = Math.max(2 * stride, Math.ceil((head.timestampMs - aim) / paceMs))
    }
  }
  for (let isGuess = true; time - before.timestampMs > nearEnoughMs; isGuess = !isGuess) {
    const gap: number = after.number - before.number
    if (gap <= 1) break
    // A guess comes close where the pace is even. Where it is not, every other step halves the range.
    const fraction = isGuess ? (aim - before.timestampMs) / (after.timestampMs - before.timestampMs) : 0.5
    const step = Math.min(gap - 1, Math.max(1, Math.round(fraction * gap)))
    const read = await readHeader(before.number + step)
    if (!read) return undefined
    if (read.timestampMs < time) before = read
    else after = read
  }
  return before.number
}
