// The part of the store port for relayers besides their transactions: reports, gap fillers, no-ops signed ahead, sweeps.
// And what the dashboard needs.
import type { HeldCondition } from '../domain/condition.ts'
import type { DailyGas } from '../domain/daily-gas.ts'
import type { DashboardSession } from '../domain/dashboard-session.ts'
import type { GapPermit, GapRecord } from '../domain/gap-record.ts'
import type { ApiKeyId, Hash, RelayerId, TransactionId } from '../domain/ids.ts'
import type { PresignedNoOp } from '../domain/no-op.ts'
import type { Acknowledgment, OwnerReport, RelayerChange } from '../domain/owner-report.ts'
import type { RelayerOverview } from '../domain/relayer-overview.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { Nonce, TimestampMs } from '../domain/units.ts'
import type { TransactionItem } from './list-port.ts'

export interface RelayerReads {
  /** The last report with the acknowledgments of its conditions; undefined until an owner has observed the relayer. */
  ownerReport(relayerId: RelayerId): Promise<OwnerReport | undefined>
  /** The last change by a client; undefined if there was none. */
  relayerChange(relayerId: RelayerId): Promise<RelayerChange | undefined>
  /** The record of the nonces from `from` on, as of `now`. */
  gapRecord(relayerId: RelayerId, from: Nonce, now: TimestampMs): Promise<GapRecord>
  /** The pre-signed no-ops of every relayer, with their bytes. */
  presigned(): Promise<readonly SealedNoOp[]>
  /** The relayer's newest sweep. */
  sweep(relayerId: RelayerId): Promise<Transaction | undefined>
}

export interface RelayerChanges extends Pick<RelayerReads, 'ownerReport' | 'sweep'> {
  /** Never replaces a newer one: an earlier owner may be late. */
  recordReport(relayerId: RelayerId, report: OwnerReport): Promise<void>
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
export interface PresignedHash extends Omit<PresignedNoOp, 'sealed'> {
  readonly signedAt: TimestampMs
}

export interface SealedNoOp extends Pick<PresignedNoOp, 'nonce' | 'hash' | 'sealed'> {
  readonly relayerId: RelayerId
}

/** For the dashboard: its sessions, the standing of relayers, and daily totals. */
export interface DashboardReads {
  /** The session with this digest, even if it has ended by its idle time. */
  dashboardSession(digest: string): Promise<DashboardSession | undefined>
  standing(relayerId: RelayerId): Promise<RelayerOverview>
  /** The transactions that hold nonces from `from` on, or held them when they were settled; lowest first. */
  transactionsByNonce(relayerId: RelayerId, from: Nonce, limit: number): Promise<readonly TransactionItem[]>
  highestNonce(relayerId: RelayerId): Promise<Nonce | undefined>
  relayerOfTransaction(id: TransactionId): Promise<RelayerId | undefined>
  /** The open transaction of this relayer that has an attempt with this hash. */
  openWithHash(relayerId: RelayerId, hash: Hash): Promise<TransactionId | undefined>
  /** The fees of every relayer from this day on: a row per relayer and day with a final transaction. */
  dailyGas(since: number): Promise<readonly DailyGas[]>
}

export interface DashboardChanges {
  insertDashboardSession(session: DashboardSession, digest: string): Promise<void>
  /** Never replaces the last use by an earlier one. */
  useDashboardSession(digest: string, at: TimestampMs): Promise<void>
  removeDashboardSession(digest: string): Promise<void>
  /** Deletes sessions that were last used before `since`, and all but the `keep` last used sessions of the key. */
  pruneDashboardSessions(keyId: ApiKeyId, since: TimestampMs, keep: number): Promise<void>
}
