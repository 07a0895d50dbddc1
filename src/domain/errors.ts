// The catalog of errors. Programs branch on `code`, people read the message, the log keeps the cause. Each code has its
// heading in docs/errors.md, and a test proves it.
import type { RelayerId } from './ids.ts'

interface CatalogueEntry {
  /** HTTP status of the answer. */
  readonly status: 400 | 401 | 403 | 404 | 405 | 408 | 409 | 410 | 413 | 415 | 417 | 429 | 431 | 500 | 503
  /** Whether the same request may succeed later, unchanged. */
  readonly retryable: boolean
}

export const catalogue = {
  INVALID_REQUEST: { status: 400, retryable: false },
  MALFORMED_HTTP: { status: 400, retryable: false },
  MALFORMED_JSON: { status: 400, retryable: false },
  MALFORMED_PATH: { status: 400, retryable: false },
  NOT_SUPPORTED: { status: 400, retryable: false },
  GAS_LIMIT_TOO_LOW: { status: 400, retryable: false },
  POLICY_VIOLATION: { status: 400, retryable: false },
  RELAYER_PAUSED: { status: 400, retryable: true },
  TRANSACTION_ALREADY_MINED: { status: 400, retryable: false },
  TRANSACTION_ALREADY_CONFIRMED: { status: 400, retryable: false },
  TRANSACTION_ALREADY_FAILED: { status: 400, retryable: false },
  TRANSACTION_ALREADY_EXPIRED: { status: 400, retryable: false },
  TRANSACTION_ALREADY_CANCELED: { status: 400, retryable: false },
  TRANSACTION_ALREADY_ORDERED: { status: 400, retryable: false },
  TRANSACTION_IS_GAP_FILLER: { status: 400, retryable: false },
  TRANSACTION_IS_SWEEP: { status: 400, retryable: false },
  TOO_LATE_TO_HOLD: { status: 400, retryable: false },
  TOO_MANY_REPLACEMENTS: { status: 400, retryable: false },
  PAYLOAD_DIGEST_MISSING: { status: 400, retryable: false },
  STORAGE_KEY_MISSING: { status: 400, retryable: false },
  IDEMPOTENCY_KEY_REUSED: { status: 400, retryable: false },
  SYMBOLS_DIFFER: { status: 400, retryable: false },
  EXTERNAL_ID_TAKEN: { status: 409, retryable: false },
  INSECURE_CONNECTION: { status: 400, retryable: false },
  UNAUTHORIZED: { status: 401, retryable: false },
  SCOPE_MISSING: { status: 401, retryable: false },
  RELAYER_NOT_GRANTED: { status: 401, retryable: false },
  FOREIGN_ORIGIN: { status: 403, retryable: false },
  SECOND_KEY_REQUIRED: { status: 403, retryable: false },
  RELAYER_NOT_FOUND: { status: 404, retryable: false },
  TRANSACTION_NOT_FOUND: { status: 404, retryable: false },
  API_KEY_NOT_FOUND: { status: 404, retryable: false },
  CANCELLATION_NOT_FOUND: { status: 404, retryable: false },
  HOLD_NOT_FOUND: { status: 404, retryable: false },
  CONDITION_NOT_FOUND: { status: 404, retryable: false },
  SIGNER_NOT_FOUND: { status: 404, retryable: false },
  NOTIFICATION_NOT_FOUND: { status: 404, retryable: false },
  NETWORK_NOT_FOUND: { status: 404, retryable: false },
  DEAD_LETTER_NOT_FOUND: { status: 404, retryable: false },
  SWEEP_NOT_FOUND: { status: 404, retryable: false },
  BULK_CANCELLATION_NOT_FOUND: { status: 404, retryable: false },
  ROUTE_NOT_FOUND: { status: 404, retryable: false },
  METHOD_NOT_ALLOWED: { status: 405, retryable: false },
  REQUEST_TIMEOUT: { status: 408, retryable: true },
  ALREADY_EXISTS: { status: 409, retryable: false },
  ACCOUNT_IN_USE: { status: 409, retryable: false },
  CONFIGURED_BY_FILE: { status: 409, retryable: false },
  PAYLOAD_DIGEST_DIFFERS: { status: 409, retryable: false },
  TOO_MANY_MATCHES: { status: 409, retryable: false },
  SIGNER_IN_USE: { status: 409, retryable: true },
  NOTIFICATION_IN_USE: { status: 409, retryable: true },
  RELAYER_HAS_OPEN_TRANSACTIONS: { status: 409, retryable: true },
  SWEEP_UNDER_WAY: { status: 409, retryable: true },
  EVENTS_GONE: { status: 410, retryable: false },
  TRANSACTION_GONE: { status: 410, retryable: false },
  BULK_CANCELLATION_GONE: { status: 410, retryable: false },
  BODY_TOO_LARGE: { status: 413, retryable: false },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, retryable: false },
  EXPECTATION_FAILED: { status: 417, retryable: false },
  RATE_LIMITED: { status: 429, retryable: true },
  QUEUE_FULL: { status: 429, retryable: true },
  TOO_MANY_REFUSED: { status: 429, retryable: true },
  TOO_MUCH_UNREAD: { status: 429, retryable: true },
  TOO_MANY_STREAMS: { status: 429, retryable: true },
  TOO_MANY_READS: { status: 429, retryable: true },
  HEADERS_TOO_LARGE: { status: 431, retryable: false },
  // Of both the outcome is unknown: no proxy may repeat the request by its status.
  INTERNAL: { status: 500, retryable: false },
  OUTCOME_UNKNOWN: { status: 500, retryable: false },
  DATABASE_UNAVAILABLE: { status: 503, retryable: true },
  STORAGE_LOW: { status: 503, retryable: true },
  NODE_UNAVAILABLE: { status: 503, retryable: true },
  PRICE_UNOBSERVED: { status: 503, retryable: true },
  NOT_READY: { status: 503, retryable: true },
  SIGNER_UNAVAILABLE: { status: 503, retryable: true },
  SHUTTING_DOWN: { status: 503, retryable: true },
} as const satisfies Record<string, CatalogueEntry>

export type ErrorCode = keyof typeof catalogue

/** An error answer to a client. Its message is safe to show: no secret, no path, no SQL. */
export class RescindError extends Error {
  override readonly name = 'RescindError'
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }

  get status(): number {
    return catalogue[this.code].status
  }
}

export function relayerNotFound(id: RelayerId): RescindError {
  return new RescindError('RELAYER_NOT_FOUND', `Relayer with ID ${id} not found`)
}

export function networkNotFound(name: string): RescindError {
  return new RescindError('NETWORK_NOT_FOUND', `Network with ID evm:${name} not found`)
}

export function tooManyMatches(count: number, atMost: number): RescindError {
  return new RescindError(
    'TOO_MANY_MATCHES',
    `at_most: ${count} transactions would be canceled, and that is more than ${atMost}; nothing was changed: request a preview, then narrow the filter, or send its number`,
  )
}

export function bulkGone(id: string): RescindError {
  return new RescindError(
    'BULK_CANCELLATION_GONE',
    `Idempotency-Key: it made bulk cancellation ${id}, which is no longer kept; nothing is canceled again`,
  )
}

/** A writer decided on facts that have since changed. It reads again and decides anew. */
export class StaleWrite extends Error {
  override readonly name = 'StaleWrite'
}

/** A writer is no longer its relayer's owner. It stops, because another owner is at work. */
export class OwnershipLost extends Error {
  override readonly name = 'OwnershipLost'
}

/** The locks by which a replica owns relayers are not on the server that it writes to. */
export class LocksElsewhere extends Error {
  override readonly name = 'LocksElsewhere'
}
