// Which part of a reported tip counts as the price of the chain: at most twice the tip that was believed before.
import {
  type FirstReading,
  firstMark,
  firstTip,
  isMarkDue,
  type TipMark,
  tipAllowance,
  withFirstReading,
} from '../../domain/tip-marks.ts'
import { type BlockNumber, minWei, type TimestampMs, type Wei } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'
import type { RememberedTips } from './remember-tips.ts'

interface TipReading {
  readonly tip: Wei
  /** The lower of two endpoints' readings, where two were read. */
  readonly agreed: Wei | undefined
  readonly block: BlockNumber
}

export interface BelievedTips {
  /** Whether nothing is believed yet. A second endpoint's reading ends that. */
  isEmpty(): boolean
  /** Returns the highest tip that is believed now. Zero while nothing is. */
  believe(reading: TipReading): Wei
}

interface BelievingTips {
  readonly clock: Pick<Clock, 'now' | 'elapsed'>
  readonly remembered: RememberedTips
  /** A tip that is too small to matter. */
  readonly small: Wei
  /** Gas has no price on a development chain, so its first reading counts whole. */
  readonly isDevelopment: boolean
}

export function believingTips({ clock, remembered, small, isDevelopment }: BelievingTips): BelievedTips {
  let first: readonly FirstReading[] = []

  /** The stored marks count before any reading of this process. */
  function standing({ tip, agreed, block }: TipReading, now: TimestampMs): readonly TipMark[] {
    const marks = remembered.marks()
    if (marks && marks.length > 0) return marks
    first = withFirstReading(first, { tip, block, atMs: clock.elapsed() })
    if (marks === undefined) return []
    const believed = agreed ?? (isDevelopment ? tip : firstTip(first))
    if (believed === undefined) return []
    remembered.begin(firstMark(believed, now))
    first = []
    return remembered.marks() ?? []
  }

  return {
    isEmpty: () => !remembered.marks()?.length,
    believe(reading) {
      const now = clock.now()
      const marks = standing(reading, now)
      if (marks.length === 0) return 0n
      const allowance = tipAllowance(marks, small, now)
      const believed = minWei(reading.tip, allowance)
      if (isMarkDue(marks, believed, now)) remembered.add({ at: now, tip: believed })
      return allowance
    },
  }
}
