// The record of a relayer's gap fillers. It bounds those for nonces that were never assigned.
import type { Nonce } from './units.ts'

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
  /** A bulk cancellation with a filter keeps the queue from nonces for a moment: what it leaves will take the gap, and costs no no-op. */
  readonly isQueueStopped?: true
  /** Default: as the engine does, `fillsPerStepMax`. */
  readonly perStepMax?: number
}
