// A client's read of the chain: how much of a node's answer it passes on, how many at once, and how much of it may stay unread.
import { connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { rpcPerKeyMax, unreadBytesMax } from '../../../src/http/limits.ts'
import { type RpcServer, startRpcServer } from '../../../tooling/rpc-server.ts'
import { type NetworkUnderTest, networkOver } from '../../chain/network-under-test.ts'
import { apiKey, type Serving, serve } from '../support/serve.ts'
import { until } from '../support/until.ts'

const opened: AsyncDisposable[] = []
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]()
})

const path = '/api/v1/relayers/one/rpc'
const headers = { 'content-type': 'application/json' }
const logs = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'eth_getLogs', params: [{}] })

interface Place {
  readonly server: Serving
  readonly nodes: readonly RpcServer[]
  readonly network: NetworkUnderTest
}

/** `answers`: what each node says to eth_getLogs. */
async function place(answers: readonly string[], limits = {}, secretPath = ''): Promise<Place> {
  const nodes = await Promise.all(
    answers.map(async (body) => {
      const node = await startRpcServer({ forwardTo: 'http://127.0.0.1:9' })
      node.react(({ calls }) => {
        const { method } = calls[0] ?? {}
        if (method === 'eth_getLogs') return { do: 'say', body }
        const said = calls.map((call) => ({
          jsonrpc: '2.0',
          id: call.id,
          result: call.method === 'eth_chainId' ? '0x7a69' : 'node',
        }))
        return { do: 'say', body: JSON.stringify(said.length > 1 ? said : said[0]) }
      })
      return node
    }),
  )
  const network = networkOver(nodes.map(({ url }) => `${url}${secretPath}`))
  const server = await serve({
    chain: network.chain,
    limits: { requestsPerSecond: 100_000, burst: 100_000, ...limits },
  })
  opened.push(...nodes, network, server)
  return { server, nodes, network }
}

const ask = ({ server }: Place, token = apiKey) => server.ask('POST', path, { headers, body: logs, token })

test('the result is passed on byte by byte, with the id of the request', async () => {
  const result = '[ 1.50, 1e400,\n {"b":1,"b":2}, "\\u00e9", 123456789012345678901234567890 ]'
  const at = await place([`{"result": ${result} ,"id":1,"jsonrpc":"2.0"}`])
  const answer = await ask(at)
  expect(answer.text).toBe(`{"jsonrpc":"2.0","id":7,"result":${result}}`)
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
})

test('a node that repeats the key of its URL shows it to no client, in whatever case', async () => {
  const key = 'aB3dE5fG7hJ9kL1m'
  const result = `["${key}", {"${key.toUpperCase()}": "0x${key.toLowerCase()}"}, "kept"]`
  const at = await place([`{"result":${result}}`], {}, `/v3/${key}`)
  const answer = await ask(at)
  expect(answer.body.result).toEqual(['***', { '***': '0x***' }, 'kept'])
  const failing = await place([`{"error":{"code":3,"message":"no ${key.toUpperCase()} here"}}`], {}, `/v3/${key}`)
  expect((await ask(failing)).body.error.message).toBe('no … here')
})

test('an answer beyond 1 MiB is not passed on, and no other node is called', async () => {
  const around = '{"jsonrpc":"2.0","id":1,"result":""}'.length
  const of = (bytes: number) => JSON.stringify({ jsonrpc: '2.0', id: 1, result: 'x'.repeat(bytes - around) })
  const fits = await place([of(1_048_576)])
  expect((await ask(fits)).body.result).toHaveLength(1_048_576 - around)
  const beyond = await place([of(1_048_577), of(1_048_577)])
  const { status, body } = await ask(beyond)
  expect([status, body]).toEqual([
    200,
    {
      jsonrpc: '2.0',
      id: 7,
      error: {
        code: -32005,
        message: 'eth_getLogs: the answer is larger than 1048576 bytes; request less',
        description: 'A node answered, and this service passes on no more bytes.',
      },
    },
  ])
  expect(beyond.nodes.flatMap((node) => node.calls('eth_getLogs'))).toHaveLength(1)
  const other = await place([of(3_000)], { rpcAnswerBytesMax: 2_000 })
  expect((await ask(other)).body.error.code).toBe(-32005)
})

test.each([
  ['<html>', 'an answer that is not JSON-RPC'],
  ['{"jsonrpc":"2.0","id":1}', 'an answer that is not JSON-RPC'],
  ['{"error":{"code":-32005,"message":"slow down"}}', 'rate limited'],
  [`{"error":{"code":3,"message":"${'x'.repeat(70_000)}"}}`, 'an error of more than 65536 bytes'],
])('after an invalid answer the next node is called: %s', async (bad, reason) => {
  const alone = await place([bad])
  const { status, body } = await ask(alone)
  expect([status, body.message]).toEqual([503, expect.stringContaining(`endpoint 0: ${reason}`)])
  const both = await place([bad, '{"result":[]}'])
  for (let count = 0; count < 4; count += 1) expect((await ask(both)).body.result).toEqual([])
})

test('a key has four under way, a fifth is refused and says when to retry, and another key has its own', async () => {
  const at = await place(['{"result":[]}'])
  const created = await at.server.ask('POST', '/api/v1/api-keys', {
    headers,
    body: JSON.stringify({ name: 'reader', scopes: ['read'] }),
  })
  expect((await ask(at)).status).toBe(200)
  const [node] = at.nodes
  if (!node) throw new Error('no node')
  node.forget()
  node.react({ do: 'ignore' })
  const waiting = Array.from({ length: rpcPerKeyMax }, () => ask(at))
  await until(async () => node.calls('eth_getLogs').length === rpcPerKeyMax)
  const refused = await ask(at)
  expect([refused.status, refused.headers['relayer-error-code'], refused.headers['retry-after']]).toEqual([
    429,
    'TOO_MANY_READS',
    '1',
  ])
  const other = ask(at, created.body.data.key)
  await until(async () => node.calls('eth_getLogs').length === rpcPerKeyMax + 1)
  await node.stop()
  for (const answer of await Promise.all([...waiting, other])) expect(answer.status).toBe(503)
  expect((await ask(at)).status).toBe(503)
})

/** Resolves with the status, and reads no further. */
function unread({ port }: Serving): Promise<{ socket: Socket; status: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ socket: Socket; status: number }>()
  const request = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\nContent-Length: ${logs.length}\r\n\r\n${logs}`
  const socket = connect(port, '127.0.0.1', () => socket.write(request))
  socket.once('error', reject)
  socket.once('readable', () => resolve({ socket, status: Number(String(socket.read(16)).slice(9, 12)) }))
  return promise
}

test('unread answers count as those of every read', async () => {
  // More than the system's buffers hold.
  const at = await place([`{"result":"${'x'.repeat(12_000_000)}"}`], { rpcAnswerBytesMax: 13_000_000 })
  const sockets: Socket[] = []
  let status = 200
  // One after the other, as a key may have only four under way.
  while (status === 200 && sockets.length < 20) {
    const answer = await unread(at.server)
    sockets.push(answer.socket)
    status = answer.status
  }
  expect(status).toBe(429)
  expect(sockets).toHaveLength(Math.floor(unreadBytesMax / 12_000_040) + 1)
  const refused = await ask(at)
  expect([refused.status, refused.headers['relayer-error-code']]).toEqual([429, 'TOO_MUCH_UNREAD'])
  for (const socket of sockets) socket.destroy()
  await until(async () => (await ask(at)).status === 200)
})
