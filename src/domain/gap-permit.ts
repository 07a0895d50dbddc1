// An operator's permit for gap fillers beyond the limit of an hour (decide/queue/limit-gap-fillers.ts).
import type { TimestampMs } from './units.ts'

export interface GapPermit {
  /** The permitted gap fillers, counted from `grantedAt` on, whether within the limit of an hour or beyond it. */
  readonly fills: number
  readonly grantedAt: TimestampMs
  readonly expiresAt: TimestampMs
}

/** A permit at most: a day of the limit of an hour is fewer. */
export const permittedFillsMax = 5_000
export const permitMsMax = 86_400_000
export const permitMsDefault = 3_600_000
