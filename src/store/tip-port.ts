// The part of the store port for believed tips: what counts as the price of a chain outlives the process.
import type { TipMark } from '../domain/tip-marks.ts'
import type { TimestampMs } from '../domain/units.ts'

/** A network may keep its name and get another chain. */
export interface NetworkOfTips {
  readonly name: string
  readonly chainId: number
}

export interface TipReads {
  /** The network's marks after this time, oldest first. */
  tipMarks(network: NetworkOfTips, after: TimestampMs): Promise<readonly TipMark[]>
}

export interface TipChanges extends TipReads {
  /** Removes the network's marks up to `before`. Of two marks at the same time, the first stays. */
  recordTipMark(network: NetworkOfTips, mark: TipMark, before: TimestampMs): Promise<void>
}
