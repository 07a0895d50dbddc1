// The part of the store port for relayers besides their transactions: reports, gap fillers, pre-signed no-ops, sweeps.
import type { HeldCondition } from '../domain/condition.ts'
import type { ForeignUse, OnRecord } from '../domain/foreign-use.ts'
import type { GapPermit, GapRecord } from '../domain/gap-record.ts'
import type { ApiKeyId, NetworkName, RelayerId, TransactionId } from '../domain/ids.ts'
import type { PresignedNoOp } from '../domain/no-op.ts'
import type { Acknowledgment, HeldNetwork, OwnerReport, RelayerChange } from '../domain/owner-report.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { Nonce, TimestampMs } from '../domain/units.ts'

export interface RelayerReads {
  /** The last report with the acknowledgments of its conditions; undefined until an owner has observed the relayer. */
  ownerReport(relayerId: RelayerId): Promise<OwnerReport | undefined>
  /** The relayers whose last reports have conditions of their nodes. */
  outages(): Promise<readonly HeldNetwork[]>
  /** Every nonce below was looked at for foreign uses of the key. Undefined before the first look. */
  lookedBelow(relayerId: RelayerId): Promise<Nonce | undefined>
  /** The newest foreign uses with nonces from `from` on, oldest first. */
  foreignUses(relayerId: RelayerId, from: Nonce): Promise<readonly ForeignUse[]>
  /** The foreign uses that nobody has acknowledged, oldest first. */
  openForeignUses(relayerId: RelayerId): Promise<readonly ForeignUse[]>
  /** What the record says of the nonces from `from` to below `below`. A nonce that never was on record is missing. */
  nonceRecord(relayerId: RelayerId, from: Nonce, below: Nonce): Promise<readonly OnRecord[]>
  /** The last change by a client; undefined if there was none. */
  relayerChange(relayerId: RelayerId): Promise<RelayerChange | undefined>
  /** The record of the nonces from `from` on, as of `now`. */
  gapRecord(relayerId: RelayerId, from: Nonce, now: TimestampMs): Promise<GapRecord>
  /** The pre-signed no-ops of every relayer, with their bytes. */
  presigned(): Promise<readonly SealedNoOp[]>
  /** The relayer's newest sweep. */
  sweep(relayerId: RelayerId): Promise<Transaction | undefined>
}

/** What the owner does next. */
export interface RecordedReport {
  /** Another report from then on may make an event. Absent: only one with other conditions. */
  readonly nextAt?: TimestampMs
  /** The network whose nodes may have an event, by all the reports of this commit. */
  readonly network?: NetworkName
}

/** The end of a look for foreign uses. `found` lengthens the entry that ends just before it, while nobody has acknowledged that. */
export interface ForeignLook {
  readonly lookedBelow: Nonce
  readonly found?: ForeignUse
}

export interface RelayerChanges extends Pick<RelayerReads, 'ownerReport' | 'openForeignUses' | 'sweep'> {
  recordForeignLook(relayerId: RelayerId, look: ForeignLook): Promise<void>
  /** Acknowledges all that nobody has acknowledged. */
  acknowledgeForeignUses(relayerId: RelayerId, acknowledgment: Acknowledgment): Promise<void>
  /** Writes the events that it makes. Never replaces a newer one: an earlier owner may be late. */
  recordReport(relayerId: RelayerId, report: OwnerReport): Promise<RecordedReport>
  /** Writes the events that the last reports make of the network's nodes. Returns when another report may make one. */
  attendNetwork(network: NetworkName, now: TimestampMs): Promise<TimestampMs | undefined>
  recordRelayerChange(relayerId: RelayerId, change: RelayerChange): Promise<void>
  /** Acknowledges the condition that began then, and replaces an earlier acknowledgment. */
  acknowledge(
    relayerId: RelayerId,
    held: { readonly condition: HeldCondition; readonly since: TimestampMs },
    acknowledgment: Acknowledgment,
  ): Promise<void>
  withdrawAcknowledgment(relayerId: RelayerId, condition: HeldCondition): Promise<void>
  /** A gap filler for a nonce that the record never assigned. */
  recordGapFill(relayerId: RelayerId, nonce: Nonce, now: TimestampMs): Promise<void>
  /** Replaces an earlier permit. */
  permitGapFillers(relayerId: RelayerId, permit: GapPermit): Promise<void>
  /** `keyId`: of the API key that sent it. */
  recordGiveUp(
    relayerId: RelayerId,
    given: { readonly keyId: ApiKeyId; readonly transactionId: TransactionId },
    now: TimestampMs,
  ): Promise<void>
  /** Within the hour before `now`. */
  giveUps(relayerId: RelayerId, keyId: ApiKeyId, now: TimestampMs): Promise<number>
  /** Changes nothing if the hash is stored. */
  recordPresigned(relayerId: RelayerId, noOp: PresignedHash): Promise<void>
  /** Makes it usable. Changes nothing if its hash is not stored. */
  sealPresigned(noOp: SealedNoOp): Promise<void>
  removePresigned(relayerId: RelayerId, noOp: Pick<PresignedNoOp, 'nonce' | 'hash'>): Promise<void>
  /** Deletes those whose nonce is spent for good. */
  prunePresigned(relayerId: RelayerId): Promise<void>
}

/** Stored before the signed bytes. */
interface PresignedHash extends Omit<PresignedNoOp, 'sealed'> {
  readonly signedAt: TimestampMs
}

export interface SealedNoOp extends Pick<PresignedNoOp, 'nonce' | 'hash' | 'sealed'> {
  readonly relayerId: RelayerId
}
