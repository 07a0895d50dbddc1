// The connections to one node, with its secret headers. Shared by the calls of the service and the reads of clients.
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { type Dispatcher, Pool } from 'undici'
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
  /** Posts a body. A redirect within the origin is followed once: another host would get the endpoint's secrets. */
  readonly post: (body: string, signal: AbortSignal) => Promise<Posted>
  /** Takes URL and keys out of a node's words. */
  readonly redact: (text: string) => string
  /** Takes keys out of a node's result. */
  readonly redactResult: (result: Buffer) => Buffer
  readonly close: () => Promise<void>
}

interface Posted {
  readonly status: number
  /** Without its compression, which no request asks for. */
  readonly body: Readable
  /** The length in the header, of a body that is not compressed. */
  readonly announcedBytes: number | undefined
  /** The words for an operator where the node only names another address. */
  readonly moved: string | undefined
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
  const postTo = ({ pathname, search }: URL, body: string, signal: AbortSignal) => {
    const allHeaders = { ...secretHeaders, 'content-type': 'application/json' }
    return pool.request({ path: `${pathname}${search}`, method: 'POST', headers: allHeaders, body, signal })
  }
  const values = Object.values(secretHeaders)
  return {
    async post(body, signal) {
      const first = await postTo(url, body, signal)
      const target = targetOf(first, url)
      // These keep method and body (RFC 9110).
      if (target?.origin !== url.origin || ![307, 308].includes(first.statusCode)) return postedOf(first, url)
      first.body.on('error', () => undefined).destroy()
      const second = postTo(target, body, signal).catch((cause: unknown) => {
        throw new Error('the first request reached a server', { cause })
      })
      return postedOf(await second, url)
    },
    redact: redactor(url, values),
    redactResult: resultRedactor(url, values),
    close: () => pool.destroy(),
  }
}

/** The address that a redirect names. */
function targetOf({ statusCode, headers: { location } }: Dispatcher.ResponseData, url: URL): URL | undefined {
  const target = statusCode >= 300 && statusCode < 400 && URL.parse(String(location), url.href)
  return location !== undefined && target && /^https?:$/.test(target.protocol) ? target : undefined
}

function postedOf(answer: Dispatcher.ResponseData, url: URL): Posted {
  const { statusCode: status, headers, body } = answer
  // Its path may hold a key.
  const origin = targetOf(answer, url)?.origin
  const isZipped = /^(?:x-)?gzip$/i.test(String(headers['content-encoding']))
  const length = headers['content-length']
  return {
    status,
    body: isZipped ? pipeline(body, createGunzip(), () => undefined) : body,
    announcedBytes: isZipped || length === undefined ? undefined : Number(length),
    moved: origin && `HTTP ${status}: the node has moved to ${origin}; name its new address in rpc_urls`,
  }
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
