// The audit log: who was let do what, and who was not.
import type { ApiKeyId } from './ids.ts'
import type { TimestampMs } from './units.ts'

/** Who requests a change, by which request. */
export interface Requester {
  readonly keyId: ApiKeyId
  readonly operation: string
  readonly requestId: string
  readonly address: string
}

/** What it was done to. */
export interface Touched {
  readonly relayerId?: string
  readonly transactionId?: string
  /** Anything else with an id, such as an API key. */
  readonly subjectId?: string
}

export interface AuditRecord extends Partial<Requester>, Touched {
  readonly at: TimestampMs
  /** `failed`: an error of ours, so that nobody knows what came of it. */
  readonly outcome: 'allowed' | 'refused' | 'failed'
  /** Of the refusal or the failure. */
  readonly code?: string
  /** How many like it came within a minute, where they are told as one. */
  readonly count?: number
}

/** An audit record as it is stored: its `position` among all, rising with time. */
export interface AuditEntry extends AuditRecord {
  readonly position: AuditPosition
}

/** The commit that recorded it, and where in that commit: ordered by both. */
export interface AuditPosition {
  readonly commit: number
  readonly index: number
}

export function allowed(requester: Requester, at: TimestampMs, touched: Touched): AuditRecord {
  return { at, outcome: 'allowed', ...requester, ...touched }
}
