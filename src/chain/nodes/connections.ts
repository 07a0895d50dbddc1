// The connections to one node, with its secret headers. Shared by the calls of the service and the reads of clients.
import { Pool } from 'undici'
import type { SecretHeaders } from '../../ops/request-headers.ts'
import { redactor, resultRedactor } from './redact.ts'

interface ConnectionOptions {
  readonly url: string
  /** Headers of each request. An `authorization` counts before the user that the URL names. */
  readonly headers?: SecretHeaders | undefined
  readonly connectionsMax: number
  readonly timeoutMs: number
}

interface Connections {
  readonly pool: Pool
  /** The members that every request has. */
  readonly request: {
    readonly path: string
    readonly method: 'POST'
    readonly headers: Readonly<Record<string, string>>
  }
  /** Takes URL and keys out of a node's words. */
  readonly redact: (text: string) => string
  /** Takes keys out of a node's result. */
  readonly redactResult: (result: Buffer) => Buffer
}

const connectTimeoutMaxMs = 5_000

/** Throws TypeError, without the URL, when it is none. */
export function openConnections({ url: address, headers, connectionsMax, timeoutMs }: ConnectionOptions): Connections {
  const url = parsed(address)
  const secretHeaders = { ...credentialsOf(url), ...revealed(headers) }
  const pool = new Pool(url.origin, {
    connections: connectionsMax,
    // Never more than one: undici sends pipelined requests again when a connection breaks.
    pipelining: 1,
    connect: { timeout: Math.min(connectTimeoutMaxMs, timeoutMs / 2) },
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const request = {
    path: `${url.pathname}${url.search}`,
    method: 'POST' as const,
    headers: { ...secretHeaders, 'content-type': 'application/json' },
  }
  const values = Object.values(secretHeaders)
  return { pool, request, redact: redactor(url, values), redactResult: resultRedactor(url, values) }
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

function credentialsOf({ username, password }: URL): Record<string, string> {
  if (!username && !password) return {}
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}
