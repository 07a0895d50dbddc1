// The errors of the client: an answer that is no success, and a request without an answer.

/** The service answered, and refused or failed. Programs branch on `code`, people read the message. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  /** The header Relayer-Error-Code, as in docs/errors.md; absent where something in between answered. */
  readonly code: string | undefined
  /** Names the request in the log of the service. */
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined
  /** Of EXTERNAL_ID_TAKEN: the transaction that has the id. */
  readonly transactionId: string | undefined
  /** Of PREVIEW_DIFFERS: the header Relayer-Preview-Difference. */
  readonly previewDifference: string | undefined

  constructor(message: string, { status, headers }: Pick<Response, 'status' | 'headers'>) {
    super(message)
    this.status = status
    this.code = headers.get('relayer-error-code') ?? undefined
    this.requestId = headers.get('x-request-id') ?? undefined
    this.transactionId = headers.get('relayer-transaction-id') ?? undefined
    this.previewDifference = headers.get('relayer-preview-difference') ?? undefined
    this.retryAfterSeconds = secondsIn(headers.get('retry-after'), headers.get('date'))
  }
}

/** RFC 9110 §10.2.3: seconds, or a date, as a proxy may send it: it counts from the date of the answer. */
function secondsIn(header: string | null, sentAt: string | null): number | undefined {
  if (header === null) return undefined
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.parse(sentAt ?? '')) / 1000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}

/** There was no answer. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
  /** True if there was no connection, so that the service can't have read the request. */
  readonly isUnsent: boolean

  constructor(message: string, isUnsent: boolean, options: { cause: unknown }) {
    super(message, options)
    this.isUnsent = isUnsent
  }
}
