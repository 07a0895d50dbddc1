// The service itself: health, readiness, request ids, headers, draining.
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { expectFailure } from '../support/expectations.ts'
import { put, transaction } from '../support/rows.ts'
import { apiKey, serve, someStates, version } from '../support/serve.ts'
import { until } from '../support/until.ts'

test('health is two letters', async () => {
  await using server = await serve()
  const answer = await server.ask('GET', '/api/v1/health', { token: null })
  expect(answer).toMatchObject({ status: 200, text: 'OK', headers: { 'content-type': 'text/plain; charset=utf-8' } })
})

test('ready, and not while stopping', async () => {
  const stopping = new AbortController()
  await using server = await serve({ readiness: { stopping: stopping.signal, check: async () => undefined } })
  const answer = await server.ask('GET', '/api/v1/ready', { token: null })
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({
    data: { status: 'ready', version, relayers: someStates, conditions: [] },
    error: '',
    metadata: { logs: [], traces: [] },
    pagination: { current_page: 1, per_page: 1, total_items: 1 },
    success: true,
    ready: true,
    status: 'healthy',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    components: { store: { status: 'healthy' } },
  })
  stopping.abort()
  expectFailure(await server.ask('GET', '/api/v1/ready', { token: null }), 503, 'shutting down', 'SHUTTING_DOWN')
})

test('many requests for readiness cost one check', async () => {
  let checks = 0
  const check = async () => {
    checks += 1
  }
  const clock = {
    now: () => 1_000_000,
    elapsed: () => 1_000_000,
    sleep: async () => undefined,
    afterThis: setImmediate,
  }
  await using server = await serve({ clock, readiness: { stopping: new AbortController().signal, check } })
  await Promise.all(Array.from({ length: 20 }, () => server.ask('GET', '/api/v1/ready', { token: null })))
  expect(checks).toBe(1)
})

test.each(['mine-1', 'a.b:c/d=e+f@g_h', 'x'.repeat(128)])('the request id of the client is kept: %s', async (id) => {
  await using server = await serve()
  const answer = await server.ask('GET', '/api/v1/relayers', { headers: { 'x-request-id': id } })
  expect(answer.headers['x-request-id']).toBe(id)
  await until(() => server.log.some(({ message }) => message === 'answered'))
  expect(server.log.find(({ message }) => message === 'answered')?.facts).toMatchObject({ request_id: id, status: 200 })
})

test.each(['', 'two words', 'x'.repeat(129), '<script>', '"'])('an id that is not sane is replaced: %j', async (id) => {
  await using server = await serve()
  const answer = await server.ask('GET', '/api/v1/relayers', { headers: { 'x-request-id': id } })
  expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f]{16}-[0-9a-z]+$/)
})

test('ids of our own differ, and refusals are logged with theirs', async () => {
  await using server = await serve()
  const answers = [await server.ask('GET', '/api/v1/relayers'), await server.ask('GET', '/nothing')]
  const ids = answers.map(({ headers }) => headers['x-request-id'])
  expect(new Set(ids).size).toBe(2)
  const refused = server.log.find(({ message }) => message === 'request refused')
  expect(refused).toMatchObject({ level: 'debug', facts: { request_id: ids[1], code: 'ROUTE_NOT_FOUND' } })
  expect(server.log.filter(({ level, message }) => level !== 'debug' && message === 'answered')).toEqual([])
})

test('headers that keep browsers and caches out, on successes and refusals', async () => {
  await using server = await serve()
  for (const path of ['/api/v1/relayers', '/nothing', '/api/v1/relayers/%zz']) {
    const { headers } = await server.ask('GET', path)
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
    })
    expect(headers).not.toHaveProperty('server')
    expect(headers).not.toHaveProperty('x-powered-by')
  }
})

test('draining: a request that has begun is answered and its connection ends, and a later one is refused', async () => {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let begun = () => {}
  const beginning = new Promise<void>((resolve) => {
    begun = resolve
  })
  await using server = await serve({
    wrap: (store) => ({
      reads: store.reads,
      check: () => store.check(),
      [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
      commit: async (unit) => {
        begun()
        await held
        return store.commit(unit)
      },
    }),
  })
  await put(server.store, transaction('held', { phase: 'queued' }))

  const listen = () => {
    const socket = connect(server.port, '127.0.0.1')
    let heard = ''
    socket.on('data', (chunk) => {
      heard += chunk
    })
    const answers = () => heard.split(/(?=HTTP\/1\.1 )/)
    return { socket, answers, closed: new Promise((resolve) => socket.on('close', resolve)) }
  }
  const request = (method: string, path: string) =>
    `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`
  const [busy, slow] = [listen(), listen()]
  slow.socket.write(request('GET', '/api/v1/health'))
  await until(() => slow.answers()[0]?.endsWith('OK') === true)
  slow.socket.write('GET /api/v1/health HTTP/1.1\r\n')
  busy.socket.write(request('DELETE', '/api/v1/relayers/one/transactions/held'))
  await beginning
  const stopped = server.stop()
  await until(() =>
    server.ask('GET', '/api/v1/health').then(
      () => false,
      () => true,
    ),
  )
  busy.socket.write(request('GET', '/api/v1/relayers'))
  slow.socket.write('Host: x\r\n\r\n')
  await slow.closed
  release()
  await Promise.all([stopped, busy.closed])

  const [begunBefore, ...more] = busy.answers()
  expect(begunBefore).toMatch(/^HTTP\/1\.1 200 /)
  expect(begunBefore).toMatch(/\r\nconnection: close\r\n/i)
  expect(begunBefore).toContain('"status":"canceled"')
  expect(more).toEqual([])
  const [, late] = slow.answers()
  expect(late).toMatch(/^HTTP\/1\.1 503 /)
  expect(late).toMatch(/\r\nrelayer-error-code: SHUTTING_DOWN\r\n/)
  expect(late).toMatch(/\r\nconnection: close\r\n/i)
})

test('once stopped, nobody listens', async () => {
  await using server = await serve()
  await server.stop()
  await expect(server.ask('GET', '/api/v1/health')).rejects.toThrow()
})
