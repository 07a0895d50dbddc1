// Sends a client's read to one node, and returns the bytes of its result: large answers are neither parsed nor printed.
import { errors } from 'undici'
import type { Clock } from '../../ops/clock.ts'
import { memberOf } from '../../ops/member.ts'
import type { SecretHeaders } from '../../ops/request-headers.ts'
import { late, within } from '../../ops/within.ts'
import type { ForwardedAnswer, ForwardedRead } from '../chain.ts'
import { openConnections } from './connections.ts'
import { redactAll } from './redact.ts'
import { toAnswer } from './response-body.ts'
import { scanAnswer } from './scan-answer.ts'

/** An answer, or why there is none. */
type Forwarded = { readonly value: ForwardedAnswer } | { readonly failed: string }

export interface Forwarder {
  /** Never rejects. An error of the node, and an answer beyond the limit, are results. */
  forward(read: ForwardedRead): Promise<Forwarded>
  close(): Promise<void>
}

interface ForwarderOptions {
  readonly url: string
  readonly headers?: SecretHeaders
  readonly clock: Clock
  readonly timeoutMs: number
}

/**
 * The most connections: more than one key may have under way, so that a node that hangs for one of them does not hold up the
 * others.
 */
const connectionsMax = 16
/** The most bytes of an error, which is parsed, so that the endpoint's secrets are taken out of it. */
const errorBytesMax = 64 * 1024

export function openForwarder({ url, headers, clock, timeoutMs }: ForwarderOptions): Forwarder {
  const { post, redact, redactResult, close } = openConnections({ url, headers, connectionsMax, timeoutMs })

  async function exchange({ method, params, bytesMax }: ForwardedRead, signal: AbortSignal) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const answer = await post(body, signal)
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of answer.body) {
      bytes += chunk.length
      // Leaving the loop closes the connection.
      if (bytes > bytesMax) return { value: { beyond: bytesMax } }
      chunks.push(chunk)
    }
    return answer.moved ? { failed: answer.moved } : resultOf(answer.status, Buffer.concat(chunks))
  }

  function resultOf(status: number, body: Buffer): Forwarded {
    if (status === 429) return { failed: 'rate limited (HTTP 429)' }
    const scanned = scanAnswer(body)
    const error = scanned?.error && errorOf(scanned.error)
    if (error) return error
    if (scanned?.result) return { value: { result: redactResult(scanned.result) } }
    return { failed: status === 200 ? 'an answer that is not JSON-RPC' : `HTTP ${status}` }
  }

  /** Undefined where the member is no error. */
  function errorOf(bytes: Buffer): Forwarded | undefined {
    if (bytes.length > errorBytesMax) return { failed: `an error of more than ${errorBytesMax} bytes` }
    const answer = toAnswer({ error: parsed(bytes) }, redact)
    if (answer.kind === 'rpcError') {
      const { code, message, data } = answer
      const shown = data === undefined ? {} : { data: redactAll(data, redact) }
      return { value: { error: { code, message, ...shown } } }
    }
    return memberOf(parsed(bytes), 'code') === undefined ? undefined : { failed: describe(answer) }
  }

  return {
    async forward(read) {
      try {
        const exchanged = await within(clock, timeoutMs, (over) => exchange(read, over))
        return exchanged === late ? { failed: `no answer within ${timeoutMs} ms` } : exchanged
      } catch (error) {
        return { failed: whyNot(error) }
      }
    },
    close,
  }
}

function describe(answer: ReturnType<typeof toAnswer>): string {
  return 'message' in answer ? answer.message : 'an answer that is not JSON-RPC'
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

/** A code never holds a URL; a message may. */
function whyNot(error: unknown): string {
  const isUnconnected =
    error instanceof errors.ConnectTimeoutError || /^(connect|getaddrinfo)$/.test(String(memberOf(error, 'syscall')))
  const code = memberOf(error, 'code') ?? memberOf(error, 'name') ?? 'error'
  return `${isUnconnected ? 'no connection' : 'the connection failed'} (${String(code)})`
}
