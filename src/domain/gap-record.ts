// The record of a relayer's gap fillers, which bounds those for nonces that were never assigned, and an operator's permit for more.
import type { Nonce, TimestampMs } from './units.ts'

/** The hour of `filledInHour`. */
export const fillsWindowMs = 3_600_000

/** The record of a relayer's gap fillers. */
export interface GapRecord {
  /** The nonces that a transaction of ours held and gave back. */
  readonly released: { has(nonce: Nonce): boolean }
  /** Gap fillers of the last hour for nonces that the record never assigned. */
  readonly filledInHour: number
  /** How many more an operator permits now, beside the limit of the hour. */
  readonly permitted: number
  /** Default: as the engine does, `fillsPerStepMax`. */
  readonly perStepMax?: number
}

/** An operator's permit for gap fillers beyond the limit of an hour (decide/rules/gap-fillers.ts). */
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
