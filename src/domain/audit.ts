// The audit log: which requests were allowed, and which were refused.
import type { ApiKeyId } from './ids.ts'
import type { Labels } from './labels.ts'
import type { TimestampMs } from './units.ts'

/** The caller of an API operation. */
export interface Requester {
  readonly keyId: ApiKeyId
  readonly operation: string
  readonly requestId: string
  readonly address: string
}

/** The subject of the operation. */
export interface Touched {
  readonly relayerId?: string
  readonly transactionId?: string
  /** The id of anything else, such as an API key. */
  readonly subjectId?: string
  /** The labels of the transaction that the request sent. */
  readonly labels?: Labels
}

export interface AuditRecord extends Partial<Requester>, Touched {
  readonly at: TimestampMs
  /** `failed`: an error of ours, so the result is unknown. */
  readonly outcome: 'allowed' | 'refused' | 'failed'
  /** The error code of the refusal or the failure. */
  readonly code?: string
  /** How many equal refusals, or requests that changed nothing, within a minute this record stands for. */
  readonly count?: number
}

/** A stored audit record. Its `position` rises with time. */
export interface AuditEntry extends AuditRecord {
  readonly position: AuditPosition
}

/** The commit that recorded it, and its index in that commit. Records are ordered by both. */
export interface AuditPosition {
  readonly commit: number
  readonly index: number
}

/** Operations that a key without the scope `admin` repeats as fast as its rate limit permits. */
const frequent: ReadonlySet<string> = new Set([
  ...['sendTransaction', 'sendTransactions', 'replaceTransaction', 'cancelTransaction', 'cancelPendingTransactions'],
  'createBulkCancellation',
])

/** In place of a key: `lasting` records go by their age alone, `none` had no key. */
export type AuditShare = ApiKeyId | 'lasting' | 'none'

/** Whose share of the log's limit the record counts in. */
export function shareOf({ outcome, operation, count, keyId }: AuditRecord): AuditShare {
  const isChange = outcome === 'allowed' && count === undefined
  if (isChange && operation !== undefined && !frequent.has(operation)) return 'lasting'
  return keyId ?? 'none'
}

export function allowed(requester: Requester, at: TimestampMs, touched: Touched): AuditRecord {
  return { at, outcome: 'allowed', ...requester, ...touched }
}
