// Every error is answered in the form of the interface, and never with a stack.
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Store } from '../../../src/store/store.ts'
import { expectFailure } from '../support/expectations.ts'
import { exchange, openConnection } from '../support/raw.ts'
import { apiKey, type Serving, serve } from '../support/serve.ts'

let server: Serving
beforeAll(async () => {
  server = await serve()
})
afterAll(() => server[Symbol.asyncDispose]())

const sendPath = '/api/v1/relayers/one/transactions'
const json = { 'content-type': 'application/json' }

describe('paths and methods', () => {
  test.each([
    ['GET', '/api/v1/nothing-here'],
    ['GET', '/api/v1'],
    ['GET', '/api/v2/relayers'],
    ['GET', '/dashboard'],
    ['DELETE', '/api/v1/relayers/one/transactions/pending//'],
    ['POST', '/nothing'],
  ])('an unknown path: %s %s', async (method, path) => {
    const answer = await server.ask(method, path)
    expectFailure(answer, 404, 'no such path; /docs shows those that are', 'ROUTE_NOT_FOUND')
  })

  test('an unknown path with a body that is not JSON', async () => {
    const answer = await server.ask('POST', '/api/v1/nothing', { headers: json, body: '{' })
    expectFailure(answer, 404, 'no such path; /docs shows those that are', 'ROUTE_NOT_FOUND')
  })

  test.each([
    ['PATCH', '/api/v1/relayers/one/transactions/some', 'DELETE, GET, HEAD, PUT'],
    ['PATCH', sendPath, 'GET, HEAD, POST'],
    ['POST', '/api/v1/relayers/one/transactions/pending', 'DELETE'],
    ['PATCH', '/api/v1/relayers/one/transactions/batch', 'POST'],
    ['DELETE', '/api/v1/relayers', 'GET, HEAD, POST'],
    ['OPTIONS', '/api/v1/relayers/one', 'DELETE, GET, HEAD, PATCH'],
    ['POST', '/api/v1/relayers/a%2Fb/status?x=1', 'GET, HEAD'],
    ['PROPFIND', '/api/v1/relayers', 'GET, HEAD, POST'],
    ['POST', '/api/v1/health', 'GET, HEAD'],
  ])('a wrong method: %s %s', async (method, path, allowed) => {
    const answer = await server.ask(method, path, { headers: json, ...(method === 'POST' && { body: '{' }) })
    expectFailure(answer, 405, `${method} is not for this path; it allows ${allowed}`, 'METHOD_NOT_ALLOWED')
    expect(answer.headers).toMatchObject({ allow: allowed })
  })

  test.each(['//api/v1/relayers/one', '/api/v1/relayers/one/', '///api/v1/relayers/one/?x=1'])(
    'a slash more is no other path: %s',
    async (path) => {
      const answer = await server.ask('GET', path)
      expect(answer.status).toBe(200)
      expect(JSON.parse(answer.text)).toMatchObject({ data: { id: 'one' } })
      const unknown = await fetch(`${server.url}${path}`)
      expect(unknown.status).toBe(401)
    },
  )

  test('HEAD answers as GET does, without a body', async () => {
    const answer = await server.ask('HEAD', '/api/v1/relayers')
    expect(answer.status).toBe(200)
    expect(answer.text).toBe('')
  })
})

describe('bodies', () => {
  test.each(['{', '', 'nonsense', '{"to":1,}', '{"__proto__":{"x":1}}'])('not JSON: %s', async (body) => {
    const answer = await server.ask('POST', sendPath, { headers: json, body })
    const message = body === '' ? 'body: is empty; send a JSON object' : 'body: is not JSON; send a JSON object'
    expectFailure(answer, 400, message, 'MALFORMED_JSON')
  })

  test.each(['null', '[]', '"text"', '1'])('not an object: %s', async (body) => {
    const answer = await server.ask('POST', sendPath, { headers: json, body })
    expectFailure(answer, 400, `body: ${body} is not a JSON object; send one`, 'INVALID_REQUEST')
  })

  test('no body at all', async () => {
    const answer = await server.ask('POST', sendPath)
    expectFailure(answer, 400, 'body: null is not a JSON object; send one', 'INVALID_REQUEST')
  })

  test.each(['text/plain', 'application/xml', 'application/x-www-form-urlencoded', ';;;'])(
    'of a type that is not JSON: %s',
    async (type) => {
      const answer = await server.ask('POST', sendPath, { headers: { 'content-type': type }, body: '{}' })
      const message = 'body: is not JSON by its Content-Type; send Content-Type: application/json'
      expectFailure(answer, 415, message, 'UNSUPPORTED_MEDIA_TYPE')
    },
  )

  test('compressed', async () => {
    const headers = { ...json, 'content-encoding': 'gzip' }
    const answer = await server.ask('POST', sendPath, { headers, body: gzipSync('{}').toString('latin1') })
    const message = 'body: is compressed; send it without Content-Encoding'
    expectFailure(answer, 415, message, 'UNSUPPORTED_MEDIA_TYPE')
  })

  test('too large, by its declared length and by its bytes', async () => {
    const message = 'body: is larger than this service takes'
    const large = JSON.stringify({ data: `0x${'00'.repeat(150_000)}` })
    const declared = await server.ask('POST', sendPath, { headers: json, body: large })
    expectFailure(declared, 413, message, 'BODY_TOO_LARGE')
    const head = `POST ${sendPath} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
    const streamed = await exchange(server.port, `${head}${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`)
    expect(streamed).toMatch(/^HTTP\/1\.1 413 /)
    expect(streamed).toContain(`{"data":null,"message":"${message}","success":false}`)
  })

  test.each([
    { by: 'its length', framing: 'Content-Length: 300000', begun: '', rest: 300_000, end: '' },
    { by: 'its bytes', framing: 'Transfer-Encoding: chunked', begun: '493E0\r\n', rest: 0, end: '\r\n0\r\n\r\n' },
  ])('too large by $by: a client that is still sending reads the refusal, and keeps its connection', async (body) => {
    const head = (path: string) => `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\n`
    await using client = await openConnection(server.port)
    const sent = 300_000 - body.rest
    client.write(
      `${head(sendPath)}Content-Type: application/json\r\n${body.framing}\r\n\r\n${body.begun}${' '.repeat(sent)}`,
    )
    expect(await client.read(/"success":false\}$/)).toMatch(/^HTTP\/1\.1 413 /)
    client.write(`${' '.repeat(body.rest)}${body.end}${head('/api/v1/nothing')}Content-Length: 0\r\n\r\n`)
    expect(await client.read(/"success":false\}$/)).toMatch(/^HTTP\/1\.1 404 /)
  })
})

describe('bytes that are not HTTP', () => {
  const body = (answer: string) => answer.slice(answer.indexOf('\r\n\r\n') + 4)

  test('headers that are too large', async () => {
    const answer = await exchange(server.port, `GET / HTTP/1.1\r\nHost: x\r\nX-Big: ${'x'.repeat(20_000)}\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 431 /)
    expect(answer).toMatch(/\r\nrelayer-error-code: HEADERS_TOO_LARGE\r\n/)
    expect(answer).toMatch(/\r\nx-request-id: \S+\r\n/)
    expect(body(answer)).toBe('{"data":null,"message":"Request Header Fields Too Large","success":false}')
  })

  test.each(['nonsense\r\n\r\n', 'GET /a b HTTP/1.1\r\nHost: x\r\n\r\n', 'GET / HTTP/1.1\r\nno colon\r\n\r\n'])(
    'bytes that are no request: %j',
    async (bytes) => {
      const answer = await exchange(server.port, bytes)
      expect(answer).toMatch(/^HTTP\/1\.1 400 /)
      expect(answer).toMatch(/\r\nrelayer-error-code: MALFORMED_HTTP\r\n/)
      expect(body(answer)).toBe('{"data":null,"message":"Bad Request","success":false}')
    },
  )

  test('a request without Host', async () => {
    const answer = await exchange(server.port, 'GET /api/v1/health HTTP/1.1\r\nConnection: close\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(body(answer)).toBe('{"data":null,"message":"Bad Request","success":false}')
  })
})

describe('when the store fails', () => {
  const cause = 'disk I/O error at /secret/place: SELECT * FROM transactions'
  const broken = (store: Store): Store => {
    const fail = () => Promise.reject(new Error(cause))
    return {
      commit: fail,
      check: fail,
      reads: Object.fromEntries(Object.keys(store.reads).map((name) => [name, fail])) as unknown as Store['reads'],
      [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    }
  }

  test.each([
    ['DELETE', '/api/v1/relayers/one/transactions/some'],
    ['DELETE', '/api/v1/relayers/one/transactions/pending'],
    ['GET', '/api/v1/relayers/one/transactions/some'],
    ['GET', '/api/v1/relayers/one/transactions'],
    ['GET', '/api/v1/relayers'],
    ['POST', sendPath],
  ])('%s %s: the exact text, and the cause only in the log', async (method, path) => {
    await using failing = await serve({ wrap: broken })
    const answer = await failing.ask(method, path, {
      headers: { ...json, 'x-request-id': 'find-me' },
      ...(method === 'POST' && { body: JSON.stringify({ value: '1', data: '0x00' }) }),
    })
    expectFailure(answer, 500, 'Internal Server Error', 'INTERNAL')
    expect(JSON.stringify(answer.headers)).not.toContain('secret')
    const line = failing.log.find(({ level }) => level === 'error')
    expect(line?.facts).toMatchObject({ request_id: 'find-me', method, url: path, err: { message: cause } })
  })

  test('it lives, and is not ready', async () => {
    await using failing = await serve({ wrap: broken })
    expect((await failing.ask('GET', '/api/v1/health', { token: null })).status).toBe(200)
    const answer = await failing.ask('GET', '/api/v1/ready', { token: null })
    expectFailure(answer, 503, 'the store does not answer', 'NOT_READY')
  })
})
