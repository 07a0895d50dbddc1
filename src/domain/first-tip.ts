// The first tip that is believed where nothing is stored and one endpoint alone answers: it may be wrong for a moment.
import { type BlockNumber, minWei, type Wei } from './units.ts'

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
