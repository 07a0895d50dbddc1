// One signed POST of an event to a receiver. Every result but a clear success is a failure, described without URL or key.

import { createHmac } from 'node:crypto'
import { Agent, errors } from 'undici'
import type { TimestampMs } from '../domain/units.ts'
import type { Clock } from '../ops/clock.ts'
import { type AddressGuard, AddressRefused } from '../ops/guard-addresses.ts'
import { memberOf } from '../ops/member.ts'
import type { Secret } from '../ops/secret.ts'
import { late, within } from '../ops/within.ts'

/** The address of a notification. */
export interface Webhook {
  readonly url: Secret
  /** The key that signs requests; absent: they are not signed. */
  readonly signingKey?: Secret
}

export type PostResult =
  | { readonly result: 'delivered' }
  /** `retryAfterMs`: the pause that the receiver requests; 0 if it requests none. */
  | { readonly result: 'failed'; readonly error: string; readonly retryAfterMs: number }

export interface WebhookPoster {
  /** Never rejects. Gives up when `signal` aborts. */
  post(webhook: Webhook, event: { id: string; body: string }, signal: AbortSignal): Promise<PostResult>
  close(): Promise<void>
}

/** For the whole exchange. */
const timeoutMs = 10_000
const connectTimeoutMs = 5_000
/** The limit of the answer's body, which is discarded. */
const answerBytesMax = 64 * 1024
/** As many as one receiver may have requests under way (deliver-queue.ts): a request that waits for a connection would time out. */
const connectionsMax = 256
/** For a receiver that names neither a number nor a date. */
const retryAfterUnknownMs = 60_000

export function openWebhookPoster(options: { clock: Clock; guard: AddressGuard; userAgent: string }): WebhookPoster {
  const { clock, guard, userAgent } = options
  const agent = new Agent({
    connections: connectionsMax,
    pipelining: 1,
    // Node and undici type this overloaded function differently.
    connect: { timeout: connectTimeoutMs, lookup: guard.lookup as never },
    headersTimeout: 0,
    bodyTimeout: 0,
  })

  async function exchange(
    webhook: Webhook,
    event: { id: string; body: string },
    signal: AbortSignal,
  ): Promise<PostResult> {
    const url = URL.parse(webhook.url.reveal())
    if (!url || !/^https?:$/.test(url.protocol)) return failed('its URL is no http or https URL')
    const refusal = guard.refusalOf(url)
    if (refusal !== undefined) return failed(refused(refusal))
    // undici follows no redirect by default, and this request enables none: its target was not checked.
    const answer = await agent.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': userAgent,
        ...credentials(url),
        ...signWebhook(webhook.signingKey?.reveal(), { ...event, at: clock.now() }),
      },
      body: event.body,
      signal,
    })
    await answer.body.dump({ limit: answerBytesMax, signal })
    const { statusCode, headers } = answer
    if (statusCode >= 200 && statusCode < 300) return { result: 'delivered' }
    const redirects = statusCode >= 300 && statusCode < 400
    const error = `HTTP ${statusCode}${redirects ? ': redirects are not followed' : ''}`
    return { result: 'failed', error, retryAfterMs: retryAfter(headers['retry-after'], clock) }
  }

  return {
    close: () => agent.destroy(),
    async post(webhook, event, signal) {
      try {
        const posted = await within(clock, timeoutMs, (over) => exchange(webhook, event, over), signal)
        return posted === late ? failed(`no answer within ${timeoutMs} ms`) : posted
      } catch (error) {
        return failed(error instanceof AddressRefused ? refused(error.message) : `no exchange (${codeOf(error)})`)
      }
    },
  }
}

function failed(error: string): PostResult {
  return { result: 'failed', error, retryAfterMs: 0 }
}

function refused(why: string): string {
  return `refused: ${why}; if that is meant, add the host or its range to WEBHOOK_ALLOWED_HOSTS`
}

/** A code never holds a URL; a message may. */
function codeOf(error: unknown): string {
  if (error instanceof errors.ConnectTimeoutError) return 'connect timed out'
  const code = memberOf(error, 'code')
  return typeof code === 'string' ? code : String(memberOf(error, 'name') ?? 'error')
}

/** RFC 9110 §10.2.3: seconds or a date. A date in the past means no pause. */
function retryAfter(header: string | string[] | undefined, clock: Pick<Clock, 'now'>): number {
  if (typeof header !== 'string') return 0
  if (/^\d{1,6}$/.test(header)) return Number(header) * 1000
  const at = Date.parse(header)
  return Number.isNaN(at) ? retryAfterUnknownMs : Math.max(0, at - clock.now())
}

function credentials(url: URL): Record<string, string> {
  if (!url.username && !url.password) return {}
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}

/**
 * The headers that sign a webhook, by HMAC-SHA256 under the notification's key. `webhook-signature` follows the Standard Webhooks
 * specification: over `id.timestamp.body`, so that an old request can't be sent again as a new one. `x-signature` is the one that
 * receivers of OpenZeppelin Relayer verify: over the body alone. The key is the configured text, in UTF-8.
 */
export function signWebhook(
  key: string | undefined,
  { id, body, at }: { id: string; body: string; at: TimestampMs },
): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000))
  const unsigned = { 'webhook-id': id, 'webhook-timestamp': timestamp }
  if (key === undefined) return unsigned
  return {
    ...unsigned,
    'webhook-signature': `v1,${hmac(key, `${id}.${timestamp}.${body}`)}`,
    'x-signature': hmac(key, body),
  }
}

function hmac(key: string, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64')
}
