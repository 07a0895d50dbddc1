// A session of the dashboard: an API key that was posted once, and the time of its last use.
import type { ApiKeyId } from './ids.ts'
import type { TimestampMs } from './units.ts'

export interface DashboardSession {
  readonly keyId: ApiKeyId
  readonly createdAt: TimestampMs
  /** The last use, to the minute. */
  readonly usedAt: TimestampMs
}

/** A session that nobody uses for this long has ended. */
export const sessionIdleMs = 30 * 60_000
/** The most sessions of one key: a new one ends the one that was used longest ago. */
export const sessionsPerKeyMax = 50

export function isLive({ usedAt }: DashboardSession, now: TimestampMs): boolean {
  return now - usedAt < sessionIdleMs
}
