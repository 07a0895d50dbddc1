// Responses that nobody reads: each key holds only so many bytes, and no connection holds them for ever.
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import Fastify from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TransactionId } from '../../../src/domain/ids.ts'
import { unreadBytesMax } from '../../../src/http/limits.ts'
import { withLongList } from '../../../src/http/response/sliced-list.ts'
import { limitUnread } from '../../../src/http/server/limit-unread.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { put, transaction } from '../support/rows.ts'
import { apiKey, type Serving, serve } from '../support/serve.ts'
import { until } from '../support/until.ts'

const clock = manualClock()
const list = '/api/v1/relayers/one/transactions?per_page=100'
let server: Serving
/** Of the administrator's key, and of another. */
let other: string

beforeAll(async () => {
  server = await serve({ clock })
  for (let count = 0; count < 100; count += 1) {
    const { payload, ...row } = transaction(
      `0198b2a0-0000-7000-8000-${String(count).padStart(12, '0')}` as TransactionId,
      {
        phase: 'queued',
      },
    )
    await put(server.store, { ...row, payload: { ...payload, data: `0x${'ab'.repeat(50_000)}` } })
  }
  const created = await server.ask('POST', '/api/v1/api-keys', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'reader', scopes: ['read'] }),
  })
  other = created.body.data.key
})
afterAll(() => server[Symbol.asyncDispose]())

/** Resolves with the connection, and the first line of its response. */
function unread(token: string): Promise<{ socket: Socket; status: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ socket: Socket; status: number }>()
  const socket = connect(server.port, '127.0.0.1', () =>
    socket.write(`GET ${list} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`),
  )
  socket.once('error', reject)
  socket.once('readable', () => resolve({ socket, status: Number(String(socket.read(16)).slice(9, 12)) }))
  return promise
}

test('a key that does not read is refused more, another is not, and the first goes on once it has read', async () => {
  const readers = await Promise.all(Array.from({ length: 48 }, () => unread(apiKey)))
  const answered = readers.filter(({ status }) => status === 200).length
  // A list has about ten million bytes, and holds three slices with three transactions each.
  expect(answered).toBe(Math.floor(unreadBytesMax / (3 * 3 * 100_002)))
  const refused = await server.ask('GET', list)
  expect([refused.status, refused.headers['relayer-error-code']]).toEqual([429, 'TOO_MUCH_UNREAD'])
  expect((await server.ask('GET', list, { token: other })).status).toBe(200)
  // Small answers, and answers to changes, are still sent.
  expect((await server.ask('GET', '/api/v1/relayers')).status).toBe(200)
  for (const { socket } of readers) socket.destroy()
  await until(async () => (await server.ask('GET', list)).status === 200)
})

test('a connection that is not read is closed', async () => {
  const { socket, status } = await unread(other)
  expect(status).toBe(200)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  clock.advance(1_000)
  expect(socket.destroyed).toBe(false)
  clock.advance(400_000)
  // What the system had taken still arrives.
  socket.resume()
  await closed
  expect((await server.ask('GET', list, { token: other })).status).toBe(200)
})

test('a long list goes out in slices, and its connection is closed as well', async () => {
  await using opened = new AsyncDisposableStack()
  const app = Fastify({ forceCloseConnections: true })
  opened.defer(() => app.close())
  const ownClock = manualClock()
  limitUnread(app, ownClock)
  const ids = Array.from(
    { length: 400_000 },
    (_, index) => `0198b2a0-0000-7000-8000-${String(index).padStart(12, '0')}`,
  )
  app.delete('/', async (_, reply) => {
    const long = await withLongList({ ids: [], last: 'x' }, 'ids', ids)
    return reply.header('content-length', long?.bytes).send(long?.content)
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const read = await fetch(`http://127.0.0.1:${port}/`, { method: 'DELETE' })
  expect(await read.json()).toEqual({ ids, last: 'x' })

  const socket = connect(port, '127.0.0.1', () => socket.write('DELETE / HTTP/1.1\r\nHost: x\r\n\r\n'))
  await once(socket, 'readable')
  const closed = once(socket, 'close')
  ownClock.advance(400_000)
  let bytes = 0
  socket.on('data', (chunk) => {
    bytes += chunk.length
  })
  socket.on('error', () => undefined)
  socket.resume()
  await closed
  expect(bytes).toBeLessThan(ids.length * 39)
})
