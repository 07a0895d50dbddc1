// What every operation does with the protocol itself: errors of the service's side, Expect, Host, and null in bodies.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RescindError } from '../../../src/domain/errors.ts'
import { expectFailure, expectSuccess } from '../support/expectations.ts'
import { exchange } from '../support/raw.ts'
import { receiver } from '../support/rows.ts'
import { apiKey, type Serving, serve } from '../support/serve.ts'

const transactions = '/api/v1/relayers/one/transactions'

describe('an error of the service itself', () => {
  let failing: Serving
  beforeAll(async () => {
    const commit = () => Promise.reject(new RescindError('DATABASE_UNAVAILABLE', 'the database is away'))
    failing = await serve({ wrap: (store) => ({ ...store, commit }) })
  })
  afterAll(() => failing[Symbol.asyncDispose]())

  test.each(['0198b2a0-0000-7000-8000-000000000000', 'pending'])(
    'DELETE %s answers 500, and names it in a header',
    async (id) => {
      const answer = await failing.ask('DELETE', `${transactions}/${id}`)
      expectFailure(answer, 500, 'Internal Server Error', 'DATABASE_UNAVAILABLE')
      expect(answer.headers['retry-after']).toBe('1')
    },
  )
  test('any other operation answers 503 with the reason', async () => {
    const answer = await failing.send('one', { to: receiver, value: '1' })
    expectFailure(answer, 503, 'the database is away', 'DATABASE_UNAVAILABLE')
    expect(answer.headers['retry-after']).toBe('1')
  })
})

describe('a request', () => {
  let server: Serving
  beforeAll(async () => {
    server = await serve()
  })
  afterAll(() => server[Symbol.asyncDispose]())
  const head = (...lines: readonly string[]) =>
    `${['GET /api/v1/relayers HTTP/1.1', `Authorization: Bearer ${apiKey}`, 'Connection: close', ...lines].join('\r\n')}\r\n\r\n`

  test('with an Expect that HTTP does not define is refused in the form of every other error', async () => {
    const answer = await exchange(server.port, head('Host: x', 'Expect: a-miracle'))
    expect(answer).toMatch(/^HTTP\/1\.1 417 /)
    expect(answer).toMatch(/\r\nrelayer-error-code: EXPECTATION_FAILED\r\n/)
    expect(answer).toMatch(/\r\n\r\n\{"data":null,"message":"Expect: [^"]+","success":false\}$/)
  })
  test('is told how long its connection stays open', async () => {
    await using patient = await serve({ limits: { requestsPerSecond: 100, burst: 100, idleConnectionMs: 650_000 } })
    expect((await patient.ask('GET', '/api/v1/health')).headers['keep-alive']).toBe('timeout=650')
  })
  test('with two Hosts is refused, also where they are equal', async () => {
    for (const other of ['x', 'y']) {
      const answer = await exchange(server.port, head('Host: x', `host: ${other}`))
      expect(answer).toMatch(/^HTTP\/1\.1 400 /)
      expect(answer).toMatch(/\r\nrelayer-error-code: MALFORMED_HTTP\r\n/)
    }
    expect(await exchange(server.port, head('Host: x'))).toMatch(/^HTTP\/1\.1 200 /)
  })
  test('may send null for a member that it leaves out, in POST and PUT', async () => {
    const sent = await server.send('one', { to: receiver, value: '1', data: null, speed: null, access_list: null })
    expectSuccess(sent)
    const replaced = await server.ask('PUT', `${transactions}/${sent.body.data.id}`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ to: receiver, value: '2', data: null, valid_until: null }),
    })
    expectSuccess(replaced)
    expect(replaced.body.data.value).toBe('2')
  })
  test('that sends null for a member that it must send misses it', async () => {
    const answer = await server.send('one', { to: receiver, value: null })
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringMatching(/^value: is missing/)])
  })
})
