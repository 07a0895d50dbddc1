// The client against a real server: answers, errors, and the stream that resumes after a lost connection.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as undici from 'undici'
import { Agent } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ApiError, type Client, type EventView, NoAnswer, openClient } from '../../src/client/client.ts'
import { apiKey, type Serving, serve } from '../http/support/serve.ts'

let server: Serving
let client: Client
/** Its connections end with the tests, so that the server need not wait for those that stay open. */
const dispatcher = new Agent()
const ownFetch = ((url: URL, init: undici.RequestInit) =>
  undici.fetch(url, { ...init, dispatcher })) as unknown as typeof fetch
beforeAll(async () => {
  server = await serve()
  client = openClient({ url: `${server.url}/`, apiKey, fetch: ownFetch })
})
afterAll(async () => {
  await dispatcher.destroy()
  await server[Symbol.asyncDispose]()
})

const input = { to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', value: '1' }

test('one key stores one transaction, which is listed, read, canceled and judged', async () => {
  const sent = await client.send('one', input, { idempotencyKey: 'a-key' })
  expect(await client.send('one', input, { idempotencyKey: 'a-key' })).toMatchObject({ id: sent.id })
  expect(await client.transactions('one', { status: 'pending', perPage: 1 })).toMatchObject({
    items: [{ id: sent.id }],
    total: 1,
  })
  expect(await client.transaction('one', sent.id)).toMatchObject({ status: 'pending', value: '1' })
  expect(await client.attempts('one', sent.id)).toEqual([])
  expect(await client.cancel('one', sent.id, { waitSeconds: 1 })).toMatchObject({ status: 'canceled' })
  expect(await client.cancellation('one', sent.id)).toMatchObject({ state: 'dropped', final: true })
})

test('everything pending is canceled at once', async () => {
  const { id } = await client.send('two', input)
  expect(await client.cancelPending('two')).toMatchObject({ queued_for_cancellation_transaction_ids: [id] })
})

test('a preview bounds the bulk cancellation that follows', async () => {
  await client.send('two', input)
  const { instant, counts } = await client.previewBulkCancellation({ filter: {}, relayers: ['two'] })
  expect(counts).toMatchObject({ matches: 1 })
  const request = { filter: { created_to: instant }, relayers: ['two'], at_most: counts.matches } as const
  await expect(
    client.createBulkCancellation({ ...request, at_most: 0 }, { idempotencyKey: 'bulk-2' }),
  ).rejects.toMatchObject({ code: 'TOO_MANY_MATCHES', status: 409 })
  expect(await client.createBulkCancellation(request, { idempotencyKey: 'bulk-2' })).toMatchObject({
    counts: { dropped: 1 },
  })
})

test('a bulk cancellation is created once under its key, listed, read, and lists its transactions', async () => {
  const { id } = await client.send('two', input)
  const body = { name: 'stuck', filter: { ids: [id] }, relayers: ['two'] } as const
  const made = await client.createBulkCancellation(body, { idempotencyKey: 'bulk-1' })
  expect(made).toMatchObject({
    name: 'stuck',
    counts: { dropped: 1, safe_to_retry: 'all' },
    parts: [{ relayer_id: 'two' }],
  })
  const { id: later } = await client.send('two', input)
  expect(await client.createBulkCancellation(body, { idempotencyKey: 'bulk-1' })).toMatchObject({ id: made.id })
  expect(await client.transaction('two', later)).toMatchObject({ status: 'pending' })
  expect(await client.bulkCancellations({ perPage: 1 })).toMatchObject({ items: [{ id: made.id }] })
  expect(await client.bulkCancellation(made.id)).toMatchObject({ id: made.id, final: true })
  expect(await client.bulkCancellationTransactions(made.id)).toMatchObject({
    items: [{ transaction: { id, status: 'canceled' }, cancellation: { state: 'dropped' } }],
    total: 1,
  })
  await expect(client.bulkCancellation('none')).rejects.toMatchObject({ code: 'BULK_CANCELLATION_NOT_FOUND' })
})

test('keys are created, listed and revoked', async () => {
  const { id, key } = await client.createApiKey({ name: 'billing', scopes: ['read'], relayers: ['one'] })
  const scoped = openClient({ url: server.url, apiKey: key, fetch: ownFetch })
  expect(await scoped.relayers()).toMatchObject({ items: [{ id: 'one' }], total: 1 })
  expect(await client.apiKeys({ perPage: 1 })).toMatchObject({ items: [{ id, name: 'billing' }] })
  expect(await client.revokeApiKey(id)).toMatchObject({ revoked_by: 'administrator' })
  await expect(scoped.relayers()).rejects.toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
})

test('a number beyond 2^53 keeps its digits, as a text, and nothing else changes', async () => {
  const data = '{"balance":123456789012345678901,"small":9007199254740991,"text":"a: 12345678901234567890","price":0.1}'
  const answer = async () => new Response(`{"data":${data},"pagination":{"total_items":1},"success":true}`)
  expect(await openClient({ url: server.url, apiKey, fetch: answer }).relayer('one')).toEqual({
    balance: '123456789012345678901',
    small: Number.MAX_SAFE_INTEGER,
    text: 'a: 12345678901234567890',
    price: 0.1,
  })
})

test('a refusal carries its code, and ids are encoded', async () => {
  const refused = await client.transaction('one', 'a/../b').catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(ApiError)
  expect(refused).toMatchObject({ status: 404, code: 'TRANSACTION_NOT_FOUND', requestId: expect.any(String) })
})

test('without a connection the request is unsent; without an answer nobody can say', async () => {
  const closed = createServer()
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
  const { port } = closed.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  closed.on('request', (request) => request.socket.destroy())
  const broken = await openClient({ url, apiKey })
    .readiness()
    .catch((error: unknown) => error)
  expect(broken).toBeInstanceOf(NoAnswer)
  expect(broken).toMatchObject({ isUnsent: false })
  await new Promise((resolve) => closed.close(resolve))
  await expect(openClient({ url, apiKey }).readiness()).rejects.toMatchObject({ isUnsent: true })
})

test('an aborted signal ends a request with its reason', async () => {
  const aborted = AbortSignal.abort(new Error('enough'))
  await expect(openClient({ url: server.url, apiKey, signal: aborted }).readiness()).rejects.toThrow('enough')
})

test('the stream yields what happens after it is open', async () => {
  const stop = new AbortController()
  const { id } = await client.send('one', input)
  const seen: EventView[] = []
  const onOpen = () => void client.cancel('one', id)
  for await (const event of client.events({ relayerId: 'one', transactionId: id, signal: stop.signal, onOpen })) {
    seen.push(event)
    if (event.terminal) stop.abort()
  }
  expect(seen).toMatchObject([{ event: 'transaction_update', terminal: true, payload: { id, status: 'canceled' } }])
})

test('a stream that breaks off is resumed after its last id, and a refusal ends it', async () => {
  const requested: (string | null)[] = []
  const write = (response: ServerResponse, number: number) =>
    response.write(`id: ${number}-1\nevent: transaction_update\ndata: {"id":"${number}-1"}\n\n`)
  const breaking = createServer((request, response) => {
    requested.push(new URL(request.url ?? '', 'http://localhost').searchParams.get('after'))
    if (requested.length === 3) return response.writeHead(410, { 'relayer-error-code': 'EVENTS_GONE' }).end('{}')
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    write(response, requested.length)
    setImmediate(() => request.socket.destroy())
    return response
  })
  await new Promise<void>((resolve) => breaking.listen(0, '127.0.0.1', resolve))
  const { port } = breaking.address() as AddressInfo
  const seen: string[] = []
  const follow = async () => {
    for await (const { id } of openClient({ url: `http://127.0.0.1:${port}`, apiKey }).events()) seen.push(id)
  }
  await expect(follow()).rejects.toMatchObject({ code: 'EVENTS_GONE' })
  expect(seen).toEqual(['1-1', '2-1'])
  expect(requested).toEqual([null, '1-1', '2-1'])
  breaking.close()
})
