// The part of the store port for an operator's view of a relayer: its last observation, its last change, and acknowledgments.

import type { HeldCondition } from '../domain/condition.ts'
import type { RelayerId } from '../domain/ids.ts'
import type { Acknowledgment, OwnerReport, RelayerChange } from '../domain/owner-report.ts'
import type { TimestampMs } from '../domain/units.ts'

export interface OwnerReportReads {
  /** Undefined until an owner has observed the relayer. Its conditions have their acknowledgments. */
  ownerReport(relayerId: RelayerId): Promise<OwnerReport | undefined>
  /** Undefined if no client has changed the relayer. */
  relayerChange(relayerId: RelayerId): Promise<RelayerChange | undefined>
}

export interface OwnerReportChanges {
  ownerReport(relayerId: RelayerId): Promise<OwnerReport | undefined>
  /** Never replaces a newer one: an earlier owner may be late. */
  recordReport(relayerId: RelayerId, report: OwnerReport): Promise<void>
  recordRelayerChange(relayerId: RelayerId, change: RelayerChange): Promise<void>
  /** Of the condition that began then. Replaces an earlier one. */
  acknowledge(
    relayerId: RelayerId,
    held: { readonly condition: HeldCondition; readonly since: TimestampMs },
    acknowledgment: Acknowledgment,
  ): Promise<void>
  withdrawAcknowledgment(relayerId: RelayerId, condition: HeldCondition): Promise<void>
}
