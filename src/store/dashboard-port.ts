// The part of the store port that the dashboard needs: its sessions, the standing of relayers, and daily totals.
import type { DailySpend } from '../domain/daily-spend.ts'
import type { DashboardSession } from '../domain/dashboard-session.ts'
import type { ApiKeyId, Hash, RelayerId, TransactionId } from '../domain/ids.ts'
import type { RelayerOverview } from '../domain/relayer-overview.ts'
import type { Nonce, TimestampMs } from '../domain/units.ts'
import type { TransactionItem } from './list-port.ts'

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
  /** The spending of every relayer from this day on: a row per relayer and day with a final transaction. */
  dailySpend(since: number): Promise<readonly DailySpend[]>
  /** The same of one relayer. */
  spendOf(relayerId: RelayerId, since: number): Promise<readonly DailySpend[]>
}

export interface DashboardChanges {
  insertDashboardSession(session: DashboardSession, digest: string): Promise<void>
  /** Never replaces the last use by an earlier one. */
  useDashboardSession(digest: string, at: TimestampMs): Promise<void>
  removeDashboardSession(digest: string): Promise<void>
  /** Deletes sessions that were last used before `since`, and all but the `keep` last used sessions of the key. */
  pruneDashboardSessions(keyId: ApiKeyId, since: TimestampMs, keep: number): Promise<void>
}
