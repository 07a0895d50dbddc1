// The stream of events: in order, resumable, within the key's rights, and no burden when its reader is slow.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { cancel } from '../../../src/domain/cancel.ts'
import type { ApiKeyId, RelayerId, TransactionId } from '../../../src/domain/ids.ts'
import type { Transaction } from '../../../src/domain/transaction.ts'
import { withWait } from '../../../src/domain/wait.ts'
import { connectionTimeoutMs, heartbeatMs } from '../../../src/http/limits.ts'
import { type Clock, systemClock } from '../../../src/ops/clock.ts'
import type { Store } from '../../../src/store/store.ts'
import { type EventStream, openEventStream } from '../../support/event-stream.ts'
import { at, attempt, inclusion, put, transaction } from '../support/rows.ts'
import { apiKey, type Serving, serve } from '../support/serve.ts'
import { until } from '../support/until.ts'

const stream = ({ url }: Serving, options: Parameters<typeof openEventStream>[2] = {}) =>
  openEventStream(url, apiKey, options)

const streamAs = ({ url }: Serving, token: string) => openEventStream(url, token)

async function readKey(server: Serving): Promise<string> {
  const created = await server.ask('POST', '/api/v1/api-keys', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'reader', scopes: ['read'] }),
  })
  return created.body.data.key
}

const reported = ({ events }: EventStream) => events.map(({ payload }) => `${payload.id} ${payload.status}`)

/** Stores it, then takes it back: one event, its last. */
async function end(store: Store, id: string, changes: Partial<Transaction> = {}): Promise<void> {
  const stored = await put(store, transaction(id, { phase: 'queued' }, changes))
  await store.commit((session) => session.saveTransaction(stored, cancel(stored, at), at))
}

const clockFaster = (times: number): Clock => ({
  ...systemClock,
  elapsed: () => systemClock.elapsed() * times,
  sleep: (ms, signal) => systemClock.sleep(ms / times, signal),
})

/** As many, each with 100 kB in the stream. */
async function endLarge(store: Store, count: number): Promise<void> {
  const data = `0x${'ab'.repeat(50_000)}` as const
  const payload = { ...transaction('x', { phase: 'queued' }).payload, data }
  for (let each = 0; each < count; each++) await end(store, `big-${each}`, { payload })
}

/** Requests all events, and reads nothing. */
function paused(port: number): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET /api/v1/events?after=0 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`)
  return socket.pause()
}

/** The ends that servers of this process have of connections from now on. */
function serverSockets(): Disposable & { readonly opened: readonly Socket[] } {
  const opened: Socket[] = []
  const add = (message: unknown) => void opened.push((message as { readonly socket: Socket }).socket)
  subscribe('net.server.socket', add)
  return { opened, [Symbol.dispose]: () => void unsubscribe('net.server.socket', add) }
}

test('events come in order, each with the transaction as it stood then', async () => {
  await using server = await serve()
  await using live = stream(server)
  await until(() => live.status === 200 && live.place !== undefined)
  expect(live.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
  })

  const own = attempt('life' as TransactionId, 0x10)
  const dearer = attempt('life' as TransactionId, 0x20)
  let now = await put(server.store, transaction('life', { phase: 'queued' }))
  const save = async (after: Transaction) => {
    now = await server.store.commit((session) => session.saveTransaction(now, after, at + now.version))
  }
  const bound = { phase: 'inFlight', nonce: 7 } as const
  await save({
    ...now,
    sentAt: at + 1,
    lifecycle: { ...bound, attempts: [{ ...own, broadcast: { state: 'sending' } }] },
  })
  await save({ ...now, lifecycle: { ...bound, attempts: [own] } })
  await save({ ...now, lifecycle: { ...bound, attempts: [own, dearer] } })
  // A change of the history alone is no event.
  await save({ ...now, statusReason: 'replaced on request' })
  const capped = (cap: bigint) => {
    const facts = { of: 'attempt', cap, nonce: 7, since: 1 } as const
    return withWait(now, { condition: 'gas_price_cap', facts }, at)
  }
  await save(capped(1n))
  await save(capped(2n))
  await save({
    ...now,
    lifecycle: { phase: 'mined', nonce: 7, attempts: [own, dearer], inclusion: inclusion(dearer) },
  })
  await save({
    ...now,
    lifecycle: {
      phase: 'final',
      nonce: 7,
      attempts: [own, dearer],
      inclusion: inclusion(dearer),
      finalAt: at + 99,
      witnesses: 1,
    },
  })
  await until(() => live.events.at(-1)?.terminal === true)

  // Read when all is over: the live events come again, word for word.
  await using later = stream(server, { query: 'after=0' })
  await until(() => later.events.at(-1)?.terminal === true)
  expect(later.events).toEqual(live.events)
  expect(later.events.map(({ event, payload }) => [event, payload.status, payload.hash])).toEqual([
    ['transaction_update', 'sent', own.hash],
    ['transaction_update', 'submitted', own.hash],
    ['transaction_attention', 'submitted', dearer.hash],
    ['transaction_update', 'mined', dearer.hash],
    ['transaction_update', 'confirmed', dearer.hash],
  ])
  expect(later.events[0]).toEqual({
    id: `1-${at + 1}`,
    event: 'transaction_update',
    timestamp: new Date(at + 1).toISOString(),
    terminal: false,
    payload: {
      payload_type: 'transaction',
      ...{ id: 'life', relayer_id: 'one', status: 'sent', nonce: 7, hash: own.hash, gas_limit: 50_000 },
      created_at: new Date(at).toISOString(),
      sent_at: new Date(at + 1).toISOString(),
      ...{ from: now.payload.from, to: now.payload.to, value: '1000000000000000000000', data: '0xabcd' },
      max_fee_per_gas: '30000000016',
      max_priority_fee_per_gas: '1000000016',
      signature: expect.objectContaining({ r: own.signature.r, s: own.signature.s }),
      speed: { name: 'fast' },
    },
  })
  expect(later.events[2]?.payload.status_reason).toMatch(/^waits at gas_price_cap \(0\.000000001 gwei\): /)
  const answer = await server.ask('GET', '/api/v1/relayers/one/transactions/life')
  expect(later.events[4]?.payload).toEqual({ payload_type: 'transaction', ...answer.body.data })
})

test('only the last event of a canceled transaction says how the cancellation ended', async () => {
  await using server = await serve()
  const own = attempt('late' as TransactionId, 0x10)
  const bound = { nonce: 7, attempts: [own] } as const
  const sent = await put(server.store, transaction('late', { phase: 'inFlight', ...bound }))
  const inBlock = { ...bound, inclusion: inclusion(own) }
  let now = sent
  for (const after of [
    cancel(sent, at),
    { ...cancel(sent, at), lifecycle: { phase: 'mined', ...inBlock } as const },
    { ...cancel(sent, at), lifecycle: { phase: 'final', ...inBlock, finalAt: at + 9, witnesses: 1 } as const },
  ]) {
    now = await server.store.commit((session) => session.saveTransaction(now, { ...after, version: now.version }, at))
  }
  await end(server.store, 'free')
  await using read = stream(server, { query: 'after=0' })
  await until(() => read.events.length === 4)
  expect(read.events.map(({ payload, cancellation }) => [payload.id, payload.status, cancellation])).toEqual([
    ['late', 'canceled', undefined],
    ['late', 'mined', undefined],
    [
      ...['late', 'confirmed'],
      {
        ...{ state: 'lost', final: true, safe_to_retry: false, origin: 'request' },
        winner: { hash: own.hash, block_number: 100, block_hash: inBlock.inclusion.block.hash },
      },
    ],
    ['free', 'canceled', { state: 'dropped', final: true, safe_to_retry: true, origin: 'request' }],
  ])
  const listed = async (verdict: string) =>
    (await server.ask('GET', `/api/v1/relayers/one/traces?verdict=${verdict}`)).body.data.map(
      ({ transaction, cancellation }: { transaction: { id: string }; cancellation: { state: string } }) => [
        transaction.id,
        cancellation.state,
      ],
    )
  expect(await listed('LOST')).toEqual([['late', 'lost']])
  expect(await listed('dropped')).toEqual([['free', 'dropped']])
  expect(await listed('won')).toEqual([])
})

test('an event of a payload that was replaced since shows the payload of then', async () => {
  await using server = await serve()
  const own = attempt('replaced' as TransactionId, 0x10)
  const first = await put(server.store, transaction('replaced', { phase: 'queued' }))
  const bound = { phase: 'inFlight', nonce: 7 } as const
  const sent = await server.store.commit((session) =>
    session.saveTransaction(first, { ...first, lifecycle: { ...bound, attempts: [own] } }, at),
  )
  const replaced = { ...sent, payload: { ...sent.payload, value: 5n }, earlier: [sent.payload] as const }
  const after = await server.store.commit((session) => session.saveTransaction(sent, replaced, at))
  // Taken back before the new payload is signed: none of its attempts is there to be shown.
  await server.store.commit((session) => session.saveTransaction(after, cancel(after, at), at))
  await using reader = stream(server, { query: 'after=0' })
  await until(() => reader.events.length === 2)
  expect(reader.events.map(({ payload }) => [payload.status, payload.value, payload.hash, payload.nonce])).toEqual([
    ['submitted', '1000000000000000000000', own.hash, 7],
    ['canceled', '5', undefined, 7],
  ])
})

test('a reader that returns with Last-Event-ID misses nothing; it goes before the after of the URL', async () => {
  await using server = await serve()
  for (const id of ['a', 'b', 'c']) await end(server.store, id)
  await using first = stream(server, { query: 'after=0' })
  await until(() => first.events.length === 3)
  await using back = stream(server, { query: 'after=0', lastEventId: first.events[0]?.id })
  await until(() => back.events.length === 2)
  await end(server.store, 'd')
  await until(() => back.events.length === 3)
  expect(reported(back)).toEqual(['b canceled', 'c canceled', 'd canceled'])
  expect(back.place).toBe(back.events.at(-1)?.id)
})

test('of a relayer, of a transaction, and with a key of some relayers, only their own', async () => {
  const principals: Record<string, readonly RelayerId[]> = {
    [apiKey]: ['one', 'two'] as RelayerId[],
    two: ['two' as RelayerId],
  }
  await using server = await serve({
    authenticate: (header) => {
      const token = header?.slice('Bearer '.length) ?? ''
      const relayers = principals[token]
      return relayers && { id: token as ApiKeyId, scopes: new Set(['read'] as const), relayers }
    },
  })
  await end(server.store, 'a')
  await end(server.store, 'b', { relayerId: 'two' as RelayerId })
  await end(server.store, 'c')
  const seen = async (query: string, key = apiKey) => {
    await using reader = openEventStream(server.url, key, { query: `after=0${query}` })
    await until(() => reader.refusal !== undefined || reader.events.length > 0)
    return reader.status === 200 ? reported(reader) : reader.refusal
  }
  expect(await seen('&relayer_id=two')).toEqual(['b canceled'])
  expect(await seen('&transaction_id=c')).toEqual(['c canceled'])
  expect(await seen('', 'two')).toEqual(['b canceled'])
  expect(await seen('&relayer_id=one', 'two')).toEqual({ data: null, message: 'Unauthorized', success: false })
  expect(await seen('&relayer_id=three', 'two')).toMatchObject({ message: 'Unauthorized' })
})

test('an impossible position is refused, with one to go on from', async () => {
  await using server = await serve()
  for (const id of ['a', 'b']) await end(server.store, id)
  // An older transaction of another test's database, on the same server, may hold them up.
  await until(async () => (await server.store.reads.newestEvent()) === 2)
  const refusal = async (requested: string) => {
    const { status, headers, body } = await server.ask('GET', `/api/v1/events?after=${requested}`)
    return [status, headers['relayer-error-code'], body.message]
  }
  expect(await refusal('7')).toEqual([410, 'EVENTS_GONE', expect.stringMatching(/no event 7 yet.*after=2$/)])
  expect(await refusal(`2-${at + 5}`)).toEqual([410, 'EVENTS_GONE', expect.stringMatching(/another one.*after=2$/)])
  const unknown = await server.ask('GET', '/api/v1/events?relayer_id=three')
  expect([unknown.status, unknown.body.message]).toEqual([404, 'Relayer with ID three not found'])
  expect(await refusal('two')).toEqual([400, 'INVALID_REQUEST', expect.stringContaining('after: "two" is not')])
  const odd = await server.ask('GET', '/api/v1/events', { headers: { 'last-event-id': 'x' } })
  expect([odd.status, odd.body.message]).toEqual([400, expect.stringContaining('Last-Event-ID: "x" is not')])
})

test('where nothing happens, lines keep the stream alive and the place of the reader up to date', async () => {
  await using server = await serve({ clock: clockFaster(100) })
  await using reader = stream(server, { query: 'transaction_id=b' })
  await until(() => reader.status === 200)
  await end(server.store, 'a')
  await until(() => reader.comments >= 2 && reader.place === '1')
  expect(reader.events).toEqual([])
})

test('what a reader does not take is not read for it, and it misses nothing', { timeout: 120_000 }, async () => {
  /** Of each stream, in the order in which they began: through which event it was read. */
  const through = new Map<unknown, number>()
  await using server = await serve({
    wrap: (store) => ({
      commit: (unit) => store.commit(unit),
      check: () => store.check(),
      [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
      reads: {
        ...store.reads,
        events: async (after, limit, wanted) => {
          const window = await store.reads.events(after, limit, wanted)
          through.set(wanted, window.through)
          return window
        },
      },
    }),
  })
  const count = 600
  await endLarge(server.store, count)
  const socket = paused(server.port)
  await until(() => through.size > 0)
  // What the sockets of the two ends hold is read for it, and no more, though another reads all in the same time.
  await using quick = stream(server, { query: 'after=0' })
  await until(() => quick.events.length === count)
  expect([...through.values()]).toEqual([expect.any(Number), count])
  expect([...through.values()][0]).toBeLessThan(count / 2)

  let heard = ''
  socket.on('data', (chunk) => {
    heard += chunk.toString('latin1').replaceAll(/(ab){8,}/g, '')
  })
  socket.resume()
  await until(() => heard.includes(`big-${count - 1}"`))
  expect(heard.match(/"id":"big-\d+"/g)).toEqual(Array.from({ length: count }, (_, each) => `"id":"big-${each}"`))
  socket.destroy()
})

test('a reader that takes nothing for 90 seconds is disconnected, and one with nothing to take is not', async () => {
  expect([connectionTimeoutMs, heartbeatMs]).toEqual([90_000, 15_000])
  const faster = 30
  const limits = { requestsPerSecond: 100_000, burst: 100_000, connectionTimeoutMs: connectionTimeoutMs / faster }
  await using server = await serve({ clock: clockFaster(faster), limits })
  await endLarge(server.store, 600)
  await using idle = stream(server, { query: 'transaction_id=none' })
  await until(() => idle.status === 200)
  let hasEnded = false
  idle.ended.then(() => {
    hasEnded = true
  })
  using sockets = serverSockets()
  const reader = paused(server.port)
  await until(() => sockets.opened.length === 1)
  await until(() => sockets.opened[0]?.destroyed === true)
  expect(hasEnded).toBe(false)
  reader.destroy()
})

test('a drain ends the streams, and with them the server', async () => {
  const stopping = new AbortController()
  await using server = await serve({ readiness: { stopping: stopping.signal, check: async () => undefined } })
  await using reader = stream(server)
  await until(() => reader.status === 200)
  stopping.abort()
  await reader.ended
  await server.stop()
})

test('a reader that is gone is let go, and more than are served are turned away', async () => {
  await using server = await serve()
  const tokens = await Promise.all(Array.from({ length: 8 }, () => readKey(server)))
  const openFor = async (token: string) => {
    const open = Array.from({ length: 32 }, () => streamAs(server, token))
    await until(() => open.every(({ status }) => status === 200))
    return open
  }
  const [first = '', ...others] = tokens
  const open = await openFor(first)
  const refusedFor = async (token?: string) => {
    const { status, headers, body } = await server.ask('GET', '/api/v1/events', token === undefined ? {} : { token })
    expect([status, headers['relayer-error-code']]).toEqual([429, 'TOO_MANY_STREAMS'])
    return body.message
  }
  expect(await refusedFor(first)).toBe('this key has 32 streams open; close some')
  for (const token of others) open.push(...(await openFor(token)))
  expect(await refusedFor()).toBe('256 streams are open; close some')
  await Promise.all(open.map((each) => each[Symbol.asyncDispose]()))
  await until(async () => {
    await using reader = stream(server)
    await until(() => reader.status !== undefined)
    return reader.status === 200
  })
})

test('HEAD does not hang on a body that has no end', async () => {
  await using server = await serve()
  for (let each = 0; each < 300; each++) {
    const { status, headers } = await server.ask('HEAD', '/api/v1/events')
    expect([status, headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8'])
  }
  // None of them holds a stream, or the connection.
  await using reader = stream(server)
  await until(() => reader.status === 200)
})
