// The one error handler: every error becomes a response of the catalogue, and its cause goes to the log only.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CommandContext } from '../../commands/context.ts'
import { catalogue, type ErrorCode, RescindError } from '../../domain/errors.ts'
import { ExternalIdTaken } from '../../domain/labels.ts'
import type { Logger } from '../../ops/logger.ts'
import { memberOf } from '../../ops/member.ts'
import { queueFullRetryAfterSeconds, refusedRetryAfterSeconds, unavailableRetryAfterSeconds } from '../limits.ts'
import { type Auditor, isChangeRequest } from '../request/audit.ts'
import { RateLimited } from '../request/limit-rate.ts'
import { idempotencyKey, pathParametersOf } from '../request/parameters.ts'
import { shownPath } from '../request/path-of.ts'
import { failure } from '../response/envelope.ts'

const internalText = 'Internal Server Error'
const badRequestText = 'Bad Request'

/** Texts that the API fixes; other codes use the error's own message. */
const fixedTexts: Partial<Record<ErrorCode, string>> = {
  MALFORMED_PATH: badRequestText,
  UNAUTHORIZED: 'Unauthorized',
  SCOPE_MISSING: 'Unauthorized',
  RELAYER_NOT_GRANTED: 'Unauthorized',
  TRANSACTION_NOT_FOUND: 'Not found',
  RATE_LIMITED: 'Too Many Requests',
  INTERNAL: internalText,
}

const malformedJson = new RescindError('MALFORMED_JSON', 'body: is not JSON; send a JSON object')

/** The two operations whose responses the interface fixes: it has no 503, and one text for every 400. */
const cancelOperations: readonly unknown[] = ['cancelTransaction', 'cancelPendingTransactions']

/** The status and the text of an answer. `text` is absent where the error's own message is shown. */
export function fixedAnswer(code: ErrorCode, operationId: unknown): { status: number; text?: string } {
  const { status } = catalogue[code]
  if (cancelOperations.includes(operationId)) {
    if (status >= 500) return { status: 500, text: internalText }
    if (status === 400) return { status, text: badRequestText }
  }
  const text = fixedTexts[code]
  return { status, ...(text !== undefined && { text }) }
}

/** Errors that Fastify itself throws before an operation runs. */
const frameworkRefusals: Readonly<Record<string, RescindError>> = {
  FST_ERR_BAD_URL: new RescindError('MALFORMED_PATH', 'the path does not decode'),
  FST_ERR_CTP_INVALID_JSON_BODY: malformedJson,
  FST_ERR_CTP_EMPTY_JSON_BODY: new RescindError('MALFORMED_JSON', 'body: is empty; send a JSON object'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: new RescindError('MALFORMED_JSON', 'body: is not as long as Content-Length says'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: new RescindError(
    'UNSUPPORTED_MEDIA_TYPE',
    'body: is not JSON by its Content-Type; send Content-Type: application/json',
  ),
  FST_ERR_CTP_BODY_TOO_LARGE: new RescindError('BODY_TOO_LARGE', 'body: is larger than this service takes'),
}

/** `whyAwaited`: a relayer of the file whose account is unknown exists, although no row has it. */
export function errorHandler(logger: Logger, auditor: Auditor, whyAwaited: CommandContext['whyAwaited']) {
  function shown(thrown: unknown, request: FastifyRequest): RescindError {
    if (leftEarly(thrown, request)) return clientLeft
    const error = toRescindError(thrown)
    const { relayer_id: id } = error.code === 'RELAYER_NOT_FOUND' ? pathParametersOf(request) : {}
    const why = id === undefined ? undefined : whyAwaited?.(id)
    return why === undefined ? error : new RescindError('SIGNER_UNAVAILABLE', why)
  }

  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const error = shown(thrown, request)
    if (error.code === 'INTERNAL') {
      logger.error(
        { request_id: request.id, method: request.method, url: shownPath(request.url), err: thrown },
        'request failed',
      )
    } else if (error.code === 'DATABASE_UNAVAILABLE' || error.code === 'OUTCOME_UNKNOWN') {
      // The store logs the outage, once for all requests.
      const { code, message: reason, cause } = error
      logger.debug({ request_id: request.id, code, reason, err: cause }, 'request failed: a database error')
    } else {
      logger.debug({ request_id: request.id, code: error.code, reason: error.message }, 'request refused')
    }
    auditor.refused(request, error)
    refuse(reply, error)
  }
}

const clientLeft = new RescindError('MALFORMED_HTTP', 'the client left before its request was complete')

/** A connection that breaks in the middle of a body is the client's fault; one to a database or a node is not. */
function leftEarly(thrown: unknown, { raw }: FastifyRequest): boolean {
  return !raw.complete && thrown instanceof Error && 'code' in thrown && thrown.code === 'ECONNRESET'
}

/** Retry-After of codes below 500, beside RATE_LIMITED. */
const retryAfterSeconds: Partial<Record<ErrorCode, number>> = {
  QUEUE_FULL: queueFullRetryAfterSeconds,
  TOO_MANY_REFUSED: refusedRetryAfterSeconds,
  TOO_MANY_READS: unavailableRetryAfterSeconds,
}

/** Whether a request may be sent again although its first try may have been carried out. */
export function isRepeatable(isChange: boolean, isKeyed: boolean, operationId: unknown): boolean {
  return !isChange || isKeyed || cancelOperations.includes(operationId)
}

/** Whether `refuse` sends Retry-After with the code. A status of 500 leaves open what was carried out. */
export function saysWhenToRetry(code: ErrorCode, isRepeatable: boolean): boolean {
  const { status } = catalogue[code]
  return code === 'RATE_LIMITED' || code in retryAfterSeconds || (status === 500 ? isRepeatable : status > 500)
}

function isRepeatableRequest(request: FastifyRequest): boolean {
  const { config, schema } = request.routeOptions
  const isKeyed = takesKey(schema) && request.headers[idempotencyKey] !== undefined
  return isRepeatable(isChangeRequest(request), isKeyed, config.operationId)
}

function takesKey(schema: unknown): boolean {
  return memberOf(memberOf(memberOf(schema, 'headers'), 'properties'), idempotencyKey) !== undefined
}

function refuse(reply: FastifyReply, error: RescindError): void {
  const { status, text = error.message } = fixedAnswer(error.code, reply.request.routeOptions.config.operationId)
  reply.code(status)
  reply.header('relayer-error-code', error.code)
  reply.header('content-type', 'application/json; charset=utf-8')
  if (error.status === 401) reply.header('www-authenticate', 'Bearer')
  if (status >= 500 && saysWhenToRetry(error.code, isRepeatableRequest(reply.request)))
    reply.header('retry-after', unavailableRetryAfterSeconds)
  const seconds = retryAfterSeconds[error.code]
  if (seconds !== undefined) reply.header('retry-after', seconds)
  if (error.code === 'SHUTTING_DOWN') reply.header('connection', 'close')
  // Fastify closes it. The system resets a connection that is closed with bytes unread, and a proxy that is still sending reports
  // 502. Node itself reads the rest and drops it, until requestTimeoutMs have passed.
  if (error.code === 'BODY_TOO_LARGE') reply.removeHeader('connection')
  if (error instanceof ExternalIdTaken) reply.header('relayer-transaction-id', error.transactionId)
  if (error instanceof RateLimited) {
    const { policy, remaining, resetSeconds } = error.allowance
    reply.header('retry-after', resetSeconds)
    reply.header('ratelimit-policy', policy)
    reply.header('ratelimit', `${policy.slice(0, policy.indexOf(';'))};r=${remaining};t=${resetSeconds}`)
  }
  reply.send(failure(text))
}

function toRescindError(thrown: unknown): RescindError {
  if (thrown instanceof RescindError) return thrown
  if (thrown instanceof SyntaxError && 'statusCode' in thrown) return malformedJson
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
  return frameworkRefusals[code] ?? new RescindError('INTERNAL', internalText, { cause: thrown })
}
