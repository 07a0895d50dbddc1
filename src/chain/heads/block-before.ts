// Which block lies before a time: found by the timestamps of the blocks alone, whatever pace the chain is said to have.
import type { BlockNumber, TimestampMs } from '../../domain/units.ts'

export interface Timed {
  readonly number: BlockNumber
  readonly timestampMs: TimestampMs
}

/** Undefined where the header could not be read. */
export type ReadHeader = (number: BlockNumber) => Promise<Timed | undefined>

/** A block that is so much older than the time costs less than the headers that would lead closer to it. */
const nearEnoughMs = 60_000

/**
 * A block whose timestamp lies before `time`: the last of them, or one at most `nearEnoughMs` before it. All that came
 * since lies above. -1 where there is none. Undefined where a header could not be read: it is not known yet.
 *
 * Timestamps never fall from a block to the next, and may be equal where several blocks are made in a second.
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
  // Further down each time, at the pace that was just seen.
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
    // A guess is near where blocks come evenly; where they do not, every other step halves what is left.
    const share = isGuess ? (aim - before.timestampMs) / (after.timestampMs - before.timestampMs) : 0.5
    const step = Math.min(gap - 1, Math.max(1, Math.round(share * gap)))
    const read = await readHeader(before.number + step)
    if (!read) return undefined
    if (read.timestampMs < time) before = read
    else after = read
  }
  return before.number
}
