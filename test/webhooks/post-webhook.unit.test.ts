// One POST to a real receiver: what is sent, what counts as delivered, and where nothing may be sent to.
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/ops/clock.ts'
import { guardAddresses } from '../../src/ops/guard-addresses.ts'
import { secret } from '../../src/ops/secret.ts'
import { openWebhookPoster, signWebhook } from '../../src/webhooks/post-webhook.ts'
import type { EventView } from '../support/event-stream.ts'
import { nobodyUrl, startReceiver } from '../support/webhook-receiver.ts'

const key = 'a-signing-key-of-32-characters-or-more'
const event = { id: '7-1', body: JSON.stringify({ id: '7-1', payload: { id: 't', text: 'größer ✓' } }) }
const never = new AbortController().signal

function poster(allowed: string[] = ['127.0.0.1'], hurry = 1, now = systemClock.now) {
  const clock = {
    ...systemClock,
    now,
    sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms / hurry, signal),
  }
  const opened = openWebhookPoster({ clock, guard: guardAddresses(allowed), userAgent: 'rescind/test' })
  return { post: opened.post, [Symbol.asyncDispose]: opened.close }
}

test('the signatures are those of the Standard Webhooks specification, and of OpenZeppelin Relayer', () => {
  const signed = signWebhook(key, { id: '7-1', body: '{"a":1}', at: 1_767_323_045_678 })
  const hmac = (text: string) => createHmac('sha256', key).update(text).digest('base64')
  expect(signed).toEqual({
    'webhook-id': '7-1',
    'webhook-timestamp': '1767323045',
    'webhook-signature': `v1,${hmac('7-1.1767323045.{"a":1}')}`,
    'x-signature': hmac('{"a":1}'),
  })
  expect(Object.keys(signWebhook(undefined, { id: '7-1', body: '', at: 0 }))).toEqual([
    'webhook-id',
    'webhook-timestamp',
  ])
})

test('a receiver gets the very bytes, signed, with its credentials, and says yes by any 2xx', async () => {
  await using receiver = await startReceiver(key, (_, response) => void response.writeHead(204).end())
  await using post = poster()
  const url = receiver.url.replace('//', '//user:p%40ss@')
  expect(await post.post({ url: secret(url), signingKey: secret(key) }, event, never)).toEqual({ result: 'delivered' })
  expect([receiver.seen, receiver.forged]).toEqual([1, []])
})

test('headers and body, with and without a key', async () => {
  await using receiver = await startReceiver(undefined)
  await using post = poster()
  await post.post({ url: secret(`${receiver.url}?a=b`) }, event, never)
  expect(receiver.forged).toEqual([])
  expect(receiver.taken[0]?.event).toEqual(JSON.parse(event.body) as EventView)
  expect(receiver.taken[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'rescind/test' })
})

/** The time of the posters: seven o'clock. */
const at = Date.parse('Wed, 21 Oct 2026 07:00:00 GMT')

test.each([
  [500, {}, { error: 'HTTP 500', retryAfterMs: 0 }],
  [404, {}, { error: 'HTTP 404', retryAfterMs: 0 }],
  [503, { 'retry-after': '120' }, { error: 'HTTP 503', retryAfterMs: 120_000 }],
  [429, { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }, { error: 'HTTP 429', retryAfterMs: 1_680_000 }],
  [429, { 'retry-after': 'Wed, 21 Oct 2026 06:59:59 GMT' }, { error: 'HTTP 429', retryAfterMs: 0 }],
  [429, { 'retry-after': 'soon' }, { error: 'HTTP 429', retryAfterMs: 60_000 }],
] as const)('%d is a failure', async (status, headers, failure) => {
  await using receiver = await startReceiver(undefined, (_, response) => void response.writeHead(status, headers).end())
  await using post = poster(undefined, undefined, () => at)
  expect(await post.post({ url: secret(receiver.url) }, event, never)).toEqual({ result: 'failed', ...failure })
})

test('a redirect is not followed', async () => {
  await using inside = await startReceiver(undefined)
  await using receiver = await startReceiver(undefined, (_, response) => {
    response.writeHead(307, { location: inside.url }).end()
  })
  await using post = poster()
  const answer = await post.post({ url: secret(receiver.url) }, event, never)
  expect(answer).toMatchObject({ result: 'failed', error: 'HTTP 307: redirects are not followed' })
  expect(inside.seen).toBe(0)
})

test('a receiver that is gone, silent, or never ends its answer is a failure, and none of them is waited for', async () => {
  await using silent = await startReceiver(undefined, () => new Promise(() => {}))
  await using endless = await startReceiver(undefined, (_, response) => {
    response.writeHead(200)
    const pour = () => {
      if (response.destroyed) return
      response.write('x'.repeat(65_536))
      setImmediate(pour)
    }
    pour()
  })
  await using post = poster(['127.0.0.1'], 100)
  const failed = (error: unknown) => ({ result: 'failed', error, retryAfterMs: 0 })
  expect(await post.post({ url: secret(silent.url) }, event, never)).toEqual(failed('no answer within 10000 ms'))
  // More than an answer may hold: whatever it says after that, it had said yes.
  expect(await post.post({ url: secret(endless.url) }, event, never)).toMatchObject({ result: expect.any(String) })
  // In no hurry: its time-out is not what is to end this one.
  await using patient = poster()
  expect(await patient.post({ url: secret(nobodyUrl) }, event, never)).toEqual(failed('no exchange (ECONNREFUSED)'))
})

test('nothing is sent inside, whatever the URL calls it, and no byte of the URL is told', async () => {
  let connections = 0
  const server = createServer((_, response) => response.end())
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await using post = poster([])
  for (const host of ['127.0.0.1', 'localhost', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', '127.1', 'LOCALHOST']) {
    const answer = await post.post({ url: secret(`http://${host}:${port}/secret-path`) }, event, never)
    expect(answer, host).toMatchObject({
      result: 'failed',
      error: expect.stringMatching(/^refused: its host .*internal address/),
    })
    expect(JSON.stringify(answer)).not.toMatch(/secret-path|127/)
  }
  const file = await post.post({ url: secret('file:///etc/passwd') }, event, never)
  expect(file).toMatchObject({ result: 'failed', error: 'its URL is no http or https URL' })
  expect(connections).toBe(0)
  await new Promise((resolve) => server.close(resolve))
})
