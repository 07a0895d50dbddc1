// Refuses requests that are not HTTP, too large or too slow: on the bare socket, in the form of every other refusal.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { catalogue, type ErrorCode } from '../../domain/errors.ts'
import type { Logger } from '../../ops/logger.ts'
import { failure } from '../response/envelope.ts'

const refusals: Readonly<Record<string, [status: string, code: ErrorCode, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'HEADERS_TOO_LARGE', 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'REQUEST_TIMEOUT', 'Request Timeout'],
}

export function refuseConnection(logger: Logger, newRequestId: () => string) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    const [status, code, message] = refusals[error.code ?? ''] ?? ['400 Bad Request', 'MALFORMED_HTTP', 'Bad Request']
    const requestId = newRequestId()
    logger.debug({ request_id: requestId, code, reason: error.code }, 'connection refused')
    const body = failure(message)
    const headers = Object.entries(headersOf(code, requestId, body)).map(([name, value]) => `${name}: ${value}`)
    if (socket.writable) socket.write(`HTTP/1.1 ${status}\r\n${headers.join('\r\n')}\r\n\r\n${body}`)
    socket.destroySoon()
  }
}

/** Refuses a request with an `Expect` header that HTTP does not define (RFC 9110 §10.1.1). */
export function refuseExpectation(logger: Logger, newRequestId: () => string) {
  return (_request: IncomingMessage, response: ServerResponse): void => {
    const code = 'EXPECTATION_FAILED'
    const requestId = newRequestId()
    logger.debug({ request_id: requestId, code }, 'connection refused')
    const body = failure('Expect: only 100-continue is supported; leave the header out')
    response.writeHead(catalogue[code].status, headersOf(code, requestId, body)).end(body)
  }
}

function headersOf(code: ErrorCode, requestId: string, body: string): Readonly<Record<string, string>> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'relayer-error-code': code,
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    connection: 'close',
  }
}
