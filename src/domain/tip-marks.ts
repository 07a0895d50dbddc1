// How far a network's tips may rise: a node's report raises the believed tip at most twofold in ten minutes, above the highest
// of the last day. And the first tip, where nothing is stored.
import { type BlockNumber, maxWei, minWei, type TimestampMs, type Wei } from './units.ts'

/** The highest tip that was believed up to this time since the mark before. */
export interface TipMark {
  readonly at: TimestampMs
  readonly tip: Wei
}

export const tipKeptMs = 24 * 3_600_000
/** A mark counts once it has stood so long. */
const standsAfterMs = 600_000
/** How often a mark is written without a rise. */
const renewedAfterMs = 3_600_000
const riseMost = 2n

/** The marks that still count. A time ahead of the clock by a day or more is no reason to believe a tip for longer. */
export function keptMarks(marks: readonly TipMark[], now: TimestampMs): readonly TipMark[] {
  return marks.filter(({ at }) => at > now - tipKeptMs && at < now + tipKeptMs)
}

/**
 * The highest tip that is believed now. `small`: a tip that is too small to matter. A mark far ahead of the clock stands,
 * because the clock was set back. One that is little ahead is another replica's, whose clock is fast.
 */
export function tipAllowance(marks: readonly TipMark[], small: Wei, now: TimestampMs): Wei {
  const standing = keptMarks(marks, now).filter(({ at }) => Math.abs(now - at) >= standsAfterMs)
  return riseMost * maxWei(small, ...standing.map(({ tip }) => tip))
}

/** Whether a tip is to be marked: seldom, as a day is kept. */
export function isMarkDue(marks: readonly TipMark[], tip: Wei, now: TimestampMs): boolean {
  const kept = keptMarks(marks, now)
  const newest = Math.max(...kept.map(({ at }) => at).filter((at) => at <= now))
  if (now - newest >= renewedAfterMs) return true
  return now - newest >= standsAfterMs && tip > maxWei(0n, ...kept.map((mark) => mark.tip))
}

/** The first mark of a chain stands at once. */
export function firstMark(tip: Wei, now: TimestampMs): TipMark {
  return { at: now - standsAfterMs, tip }
}

/** A reading for the first tip, where nothing is stored and one endpoint alone answers: it may be wrong for a moment. */
export interface FirstReading {
  readonly tip: Wei
  readonly block: BlockNumber
  /** The time by a clock that only rises. */
  readonly atMs: number
}

/** Three readings span a minute. */
const apartMs = 30_000
const readingsNeeded = 3

/** The readings with the next one, unless it is of the same block as the last or too soon after it. */
export function withFirstReading(readings: readonly FirstReading[], next: FirstReading): readonly FirstReading[] {
  const last = readings.at(-1)
  const isApart = last === undefined || (next.block !== last.block && next.atMs - last.atMs >= apartMs)
  return isApart ? [...readings, next] : readings
}

/** The lowest, once there are enough. */
export function firstTip([first, ...others]: readonly FirstReading[]): Wei | undefined {
  if (first === undefined || others.length < readingsNeeded - 1) return undefined
  return minWei(first.tip, ...others.map(({ tip }) => tip))
}
