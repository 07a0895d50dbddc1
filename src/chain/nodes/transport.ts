// One HTTP request with a JSON body to one node. Tells apart what certainly never left from what may have arrived.

import { errors, Pool } from 'undici'
import type { Clock } from '../../ops/clock.ts'
import { memberOf } from '../../ops/member.ts'
import type { SecretHeaders } from '../../ops/request-headers.ts'
import { late, within } from '../../ops/within.ts'
import { redactor } from './redact.ts'

/** `status` is the HTTP status, where there was an answer with one. */
export type HttpAnswer =
  | { readonly kind: 'body'; readonly status: number; readonly json: unknown }
  | { readonly kind: 'unknown'; readonly status?: number; readonly message: string }
  | { readonly kind: 'unsent'; readonly message: string }

export interface Transport {
  /** Never rejects. */
  post(body: string): Promise<HttpAnswer>
  /** Takes URL and keys out of a node's words. */
  redact(text: string): string
  close(): Promise<void>
}

export interface TransportOptions {
  readonly url: string
  /** Sent with each request. An `authorization` counts before the user that the URL names. */
  readonly headers?: SecretHeaders
  readonly clock: Clock
  readonly timeoutMs: number
  /** Defaults: 16, and 32 MiB. */
  readonly connectionsMax?: number
  readonly answerBytesMax?: number
}

export type OpenTransport = (options: TransportOptions) => Transport

const answerBytesMaxDefault = 32 * 1024 * 1024
const connectionsMaxDefault = 16
const connectTimeoutMaxMs = 5_000

/** Throws TypeError, without the URL, when it is none. */
export function openTransport(options: TransportOptions): Transport {
  const { clock, timeoutMs, connectionsMax = connectionsMaxDefault, answerBytesMax = answerBytesMaxDefault } = options
  const url = parsed(options.url)
  const secretHeaders = { ...credentials(url), ...revealed(options.headers) }
  const redact = redactor(url, Object.values(secretHeaders))
  const pool = new Pool(url.origin, {
    connections: connectionsMax,
    // Never more than one: undici sends pipelined requests again when a connection breaks.
    pipelining: 1,
    connect: { timeout: Math.min(connectTimeoutMaxMs, timeoutMs / 2) },
    maxResponseSize: answerBytesMax,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const request = {
    path: `${url.pathname}${url.search}`,
    method: 'POST' as const,
    headers: { ...secretHeaders, 'content-type': 'application/json' },
  }

  async function exchange(body: string, signal: AbortSignal): Promise<HttpAnswer> {
    const answer = await pool.request({ ...request, body, signal })
    const text = await answer.body.text()
    const { statusCode: status } = answer
    if (status === 429) return { kind: 'unknown', status, message: 'rate limited (HTTP 429)' }
    try {
      // Some nodes send JSON-RPC errors with an HTTP status of 400 or 500: the body counts where there is one.
      return { kind: 'body', status, json: JSON.parse(text) }
    } catch {
      return { kind: 'unknown', status, message: status === 200 ? 'an answer that is not JSON' : `HTTP ${status}` }
    }
  }

  return {
    redact,
    close: () => pool.destroy(),
    async post(body) {
      try {
        const posted = await within(clock, timeoutMs, (over) => exchange(body, over))
        return posted === late ? { kind: 'unknown', message: `no answer within ${timeoutMs} ms` } : posted
      } catch (error) {
        if (error instanceof errors.ResponseExceededMaxSizeError) {
          return { kind: 'unknown', message: `an answer of more than ${answerBytesMax} bytes` }
        }
        return neverConnected(error)
          ? { kind: 'unsent', message: `no connection (${codeOf(error)})` }
          : { kind: 'unknown', message: `the connection failed (${codeOf(error)})` }
      }
    },
  }
}

/**
 * Whether the error proves that there was no connection to send a byte over. Name lookup and `connect` come before the
 * first byte; the same codes from a read or a write prove nothing.
 */
function neverConnected(error: unknown): boolean {
  if (error instanceof errors.ConnectTimeoutError) return true
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(neverConnected)
  const syscall = memberOf(error, 'syscall')
  return syscall === 'connect' || syscall === 'getaddrinfo'
}

/** A code never holds a URL; an undici message may. */
function codeOf(error: unknown): string {
  const code = memberOf(error, 'code')
  return typeof code === 'string' ? code : String(memberOf(error, 'name') ?? 'error')
}

function parsed(url: string): URL {
  try {
    return new URL(url)
  } catch {
    throw new TypeError('an RPC URL is not a URL')
  }
}

function revealed(headers: SecretHeaders = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.reveal()]))
}

function credentials(url: URL): Record<string, string> {
  if (!url.username && !url.password) return {}
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}
