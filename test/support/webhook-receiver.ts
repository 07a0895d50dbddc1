// A receiver of webhooks as people write one: it checks the signature, takes what it can, and keeps what it took.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { EventView } from './event-stream.ts'

interface Received {
  readonly event: EventView
  readonly headers: IncomingHttpHeaders
}

export interface WebhookReceiver extends AsyncDisposable {
  readonly url: string
  /** Answered with 200, in that order. */
  readonly taken: readonly Received[]
  /** All that came, taken or not. */
  readonly seen: number
  /** Requests open at once, at most so far. */
  readonly openMax: number
  /** What is wrong with signatures, in words. */
  readonly forged: readonly string[]
}

/** Nobody listens there, and nobody comes to: the system gives out no port that low. */
export const nobodyUrl = 'http://127.0.0.1:1/hook'

/**
 * `answer` may end the response itself, or leave it open; with nothing done, 200 is answered.
 * It is asked for each request, once its signature is checked.
 */
export async function startReceiver(
  signingKey: string | undefined,
  answer: (event: EventView, response: ServerResponse) => void | Promise<void> = () => {},
): Promise<WebhookReceiver> {
  const taken: Received[] = []
  const forged: string[] = []
  let seen = 0
  let open = 0
  let openMax = 0
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    open += 1
    openMax = Math.max(openMax, open)
    response.once('close', () => {
      open -= 1
    })
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', async () => {
      seen += 1
      const body = Buffer.concat(chunks).toString()
      const event = JSON.parse(body) as EventView
      forged.push(...faultsOf(signingKey, request.headers, body, event))
      await answer(event, response)
      if (response.destroyed || response.headersSent) return
      taken.push({ event, headers: request.headers })
      response.end('{"status":"success"}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    taken,
    forged,
    get seen() {
      return seen
    },
    get openMax() {
      return openMax
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** By the Standard Webhooks specification, and as receivers of OpenZeppelin Relayer verify. */
function faultsOf(key: string | undefined, headers: IncomingHttpHeaders, body: string, event: EventView): string[] {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers
  const faults: string[] = []
  if (id !== event.id) faults.push(`webhook-id is ${id}, the event's is ${event.id}`)
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) faults.push(`webhook-timestamp is ${timestamp}`)
  if (key === undefined) return [...faults, ...(signature === undefined ? [] : ['signed without a key'])]
  const is = (given: unknown, text: string) => {
    const expected = createHmac('sha256', Buffer.from(key)).update(text).digest()
    const bytes = Buffer.from(String(given), 'base64')
    return bytes.length === expected.length && timingSafeEqual(bytes, expected)
  }
  if (!is(String(signature).replace(/^v1,/, ''), `${id}.${timestamp}.${body}`)) faults.push('webhook-signature')
  if (!is(headers['x-signature'], body)) faults.push('x-signature')
  return faults
}
