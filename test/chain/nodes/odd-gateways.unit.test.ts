// Gateways that compress what nobody asked to compress, that have moved, and one that answers about another height.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { toHex } from '../../../src/chain/nodes/decode.ts'
import { type Endpoint, openEndpoint } from '../../../src/chain/nodes/endpoint.ts'
import { openForwarder } from '../../../src/chain/nodes/forward.ts'
import { openLargeAnswers } from '../../../src/chain/nodes/large-answers.ts'
import { readHeader } from '../../../src/chain/nodes/read-block.ts'
import { type OpenTransport, openTransport } from '../../../src/chain/nodes/transport.ts'
import { systemClock } from '../../../src/ops/clock.ts'
import { noChainMetrics } from '../../../src/ops/metrics.ts'
import { secret } from '../../../src/ops/secret.ts'
import { loggerInto } from '../../support/recorded-log.ts'

interface Received {
  readonly path: string
  readonly body: string
  readonly key: unknown
}

async function serving(handle: (request: Received, response: ServerResponse) => void) {
  const received: Received[] = []
  const server = createServer((incoming: IncomingMessage, response) => {
    void text(incoming).then((body) => {
      const request = { path: incoming.url ?? '', body, key: incoming.headers['x-api-key'] }
      received.push(request)
      handle(request, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, received, close: () => server.close() }
}

const mib = 1024 * 1024
const forNoAnswer = { bytesMax: 2 * mib, calls: [{ id: 1, method: 'eth_call' }] }
const answerWith = (result: unknown) => JSON.stringify({ jsonrpc: '2.0', id: 1, result })

function transportTo(url: string) {
  const key = { 'x-api-key': secret('topsecretkey1') }
  const transport = openTransport({ url, headers: key, clock: systemClock, timeoutMs: 10_000 })
  onTestFinished(() => transport.close())
  return transport
}

function forwarderTo(url: string) {
  const forwarder = openForwarder({ url, clock: systemClock, timeoutMs: 10_000 })
  onTestFinished(() => forwarder.close())
  return (bytesMax = mib) => forwarder.forward({ method: 'eth_call', params: [], bytesMax })
}

/** A body in gzip. */
const zipped =
  (body: Buffer, encoding = 'gzip') =>
  (_: Received, response: ServerResponse) =>
    void response.setHeader('content-encoding', encoding).setHeader('content-length', body.length).end(body)

test.each(['gzip', 'x-gzip', 'GZIP'])('an answer in %s is decoded, though no request asks for it', async (encoding) => {
  const { url } = await serving(zipped(gzipSync(answerWith('0x1')), encoding))
  expect(await transportTo(url).post('{}')).toMatchObject({ kind: 'body', json: { result: '0x1' } })
  expect(await forwarderTo(url)()).toEqual({ value: { result: Buffer.from('"0x1"') } })
})

test('the limit is on the decoded bytes, and a larger answer is not decoded further', async () => {
  const bomb = gzipSync(answerWith('x'.repeat(8 * mib)))
  expect(bomb.length).toBeLessThan(mib)
  const { url } = await serving(zipped(bomb))
  const transport = transportTo(url)
  expect(await transport.post('{}', forNoAnswer)).toMatchObject({ kind: 'unknown', isTooLarge: true })
  expect(await forwarderTo(url)()).toEqual({ value: { beyond: mib } })
})

test.each([
  ['is cut', gzipSync(answerWith('x'.repeat(1_000))).subarray(0, 20)],
  ['is no gzip', Buffer.from(answerWith('0x1'))],
])('one that %s is unknown', async (_, body) => {
  const { url } = await serving(zipped(body))
  expect(await transportTo(url).post('{}')).toMatchObject({ kind: 'unknown' })
  expect(await forwarderTo(url)()).toHaveProperty('failed')
})

const redirecting = (status: number, location: string) => (request: Received, response: ServerResponse) => {
  if (request.path === '/new?a=1') response.end(answerWith('0x1'))
  else response.writeHead(status, { location }).end('<html>')
}

test.each([307, 308])('HTTP %i within the origin is followed, with the same body and headers', async (status) => {
  const { url, received } = await serving(redirecting(status, '/new?a=1'))
  expect(await transportTo(`${url}/old`).post('{"a":1}')).toMatchObject({ kind: 'body', json: { result: '0x1' } })
  const request = { body: '{"a":1}', key: 'topsecretkey1' }
  expect(received).toEqual([
    { path: '/old', ...request },
    { path: '/new?a=1', ...request },
  ])
  expect(await forwarderTo(`${url}/old`)()).toEqual({ value: { result: Buffer.from('"0x1"') } })
})

test('it is followed once', async () => {
  const { url, received } = await serving(redirecting(308, '/again'))
  const message = `HTTP 308: the node has moved to ${url}; name its new address in rpc_urls`
  expect(await transportTo(url).post('{}')).toEqual({ kind: 'unknown', status: 308, message })
  expect(received).toHaveLength(2)
  expect(await forwarderTo(url)()).toEqual({ failed: message })
})

test.each([301, 302, 307, 308])(
  'HTTP %i to another origin is not followed, and its origin is named',
  async (status) => {
    const other = await serving((_, response) => void response.end(answerWith('0x2')))
    const { url } = await serving(redirecting(status, `${other.url}/v3/topsecretkey1?a=1`))
    const message = `HTTP ${status}: the node has moved to ${other.url}; name its new address in rpc_urls`
    expect(await transportTo(url).post('{}')).toEqual({ kind: 'unknown', status, message })
    expect(await forwarderTo(url)()).toEqual({ failed: message })
    expect(other.received).toEqual([])
  },
)

test.each([undefined, '', 'mailto:a@b', 'http://['])('a redirect to %j is an answer without JSON', async (location) => {
  const { url } = await serving((_, response) => void response.writeHead(302, location ? { location } : {}).end())
  expect(await transportTo(url).post('{}')).toEqual({
    kind: 'unknown',
    status: 302,
    message: 'HTTP 302',
    isTooLarge: false,
  })
})

test('a redirect where nobody listens any more leaves the call in doubt: the first request reached a server', async () => {
  const { url, received, close } = await serving((_, response) => {
    response.writeHead(307, { location: '/new', connection: 'close' }).end()
    close()
  })
  expect(await transportTo(url).post('{}')).toMatchObject({ kind: 'unknown' })
  expect(received).toHaveLength(1)
})

/** An endpoint that answers about the block below each odd height. */
function endpointOf(isSole: boolean): Endpoint {
  const openFake: OpenTransport = () => ({
    async post(body) {
      const { id, params } = JSON.parse(body) as { id: number; params: [string] }
      const number = toHex(Number(params[0]) - (Number(params[0]) % 2))
      const hash = `0x${'1'.repeat(64)}`
      return { kind: 'body', status: 200, json: { id, result: { number, hash, parentHash: hash, timestamp: '0x1' } } }
    },
    redact: (words) => words,
    close: async () => undefined,
  })
  const logger = loggerInto([])
  const anchor = { known: async () => undefined, reload: async () => undefined, denied() {}, remedy: '' }
  const endpoint = openEndpoint({
    ...{ config: { url: 'http://one.example', weight: 1 }, index: 0, chainId: 1, isSole, anchor, logger },
    ...{
      timeoutMs: 1_000,
      metrics: noChainMetrics,
      openTransport: openFake,
      large: openLargeAnswers(systemClock, undefined),
      clock: systemClock,
    },
    ...{ note: () => undefined, believed: () => undefined },
  })
  onTestFinished(() => endpoint.close())
  return endpoint
}

async function isFitAfter(endpoint: Endpoint, height: number): Promise<boolean> {
  expect(await readHeader(endpoint, height)).toMatchObject(height % 2 === 1 ? { why: 'another' } : { value: {} })
  return endpoint.fit()
}

test('the only endpoint does not rest for the block of another height, one of several does', async () => {
  expect(await isFitAfter(endpointOf(true), 7)).toBe(true)
  expect(await isFitAfter(endpointOf(false), 7)).toBe(false)
  expect(await isFitAfter(endpointOf(false), 8)).toBe(true)
})
