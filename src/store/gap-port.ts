// The part of the store port for gap fillers: it bounds those for nonces that the record never assigned.
import type { GapPermit } from '../domain/gap-permit.ts'
import type { GapRecord } from '../domain/gap-record.ts'
import type { RelayerId } from '../domain/ids.ts'
import type { Nonce, TimestampMs } from '../domain/units.ts'

export interface GapReads {
  /** Of the nonces from `from` on, as of `now`. */
  gapRecord(relayerId: RelayerId, from: Nonce, now: TimestampMs): Promise<GapRecord>
}

export interface GapChanges {
  /** A gap filler for a nonce that the record never assigned. */
  recordGapFill(relayerId: RelayerId, nonce: Nonce, now: TimestampMs): Promise<void>
  /** Replaces an earlier permit. */
  permitGapFillers(relayerId: RelayerId, permit: GapPermit): Promise<void>
}
