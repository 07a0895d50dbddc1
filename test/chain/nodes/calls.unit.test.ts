// Calls over HTTP: how they are batched, and what each way of going wrong proves.
import { createServer } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { batchCalls } from '../../../src/chain/nodes/batch-calls.ts'
import type { Answer, Call } from '../../../src/chain/nodes/call.ts'
import { openTransport, type Transport } from '../../../src/chain/nodes/transport.ts'
import { systemClock } from '../../../src/ops/clock.ts'
import { type Refusal, refusals, refusing } from '../../../tooling/refused-batches.ts'
import { type RpcServer, startRpcServer } from '../../../tooling/rpc-server.ts'

let server: RpcServer
let opened: Transport[] = []
let health: boolean[] = []
let sizes: number[] = []

beforeAll(async () => {
  server = await startRpcServer()
})
afterEach(async () => {
  server.forget()
  health = []
  sizes = []
  await Promise.all(opened.map((transport) => transport.close()))
  opened = []
})
afterAll(() => server.stop())

function callsTo(url: string, options: { timeoutMs?: number } = {}) {
  const { timeoutMs = 10_000 } = options
  const transport = openTransport({ url, clock: systemClock, timeoutMs })
  opened.push(transport)
  return batchCalls({
    transport,
    clock: systemClock,
    heard: (well) => health.push(well),
    sized: (calls) => sizes.push(calls),
  })
}

const echo = (call: Call): { result: unknown } => ({ result: call.params[0] })
const numbered = (count: number, method = 'test_echo') =>
  Array.from({ length: count }, (_, index) => ({ method, params: [index] }))
const values = (answers: readonly Answer[]) => answers.map((one) => (one.kind === 'value' ? one.value : one.kind))

describe('batching', () => {
  test('one turn of the event loop is one request of at most 256 calls, matched by id', async () => {
    server.react({ do: 'answer', each: echo })
    const call = callsTo(server.url)
    const answers = await Promise.all(numbered(300).map(call))
    expect(values(answers)).toEqual(numbered(300).map((one) => one.params[0]))
    expect(server.requests.map((request) => request.calls.length).sort()).toEqual([256, 44])
  })

  test('a lone call is no batch', async () => {
    server.react({ do: 'answer', each: echo })
    expect(await callsTo(server.url)({ method: 'test_echo', params: ['a'] })).toEqual({ kind: 'value', value: 'a' })
    expect(server.requests.map((request) => request.batch)).toEqual([false])
  })

  test('answers in another order find their calls, and a missing one is unknown', async () => {
    server.react(({ calls }) => {
      const answers = calls.slice(1).map(({ id, params }) => ({ jsonrpc: '2.0', id, result: params[0] }))
      return { do: 'say', body: JSON.stringify(answers.reverse()) }
    })
    const answers = await Promise.all(numbered(4).map(callsTo(server.url)))
    expect(values(answers)).toEqual(['unknown', 1, 2, 3])
  })

  test.each(['object', 'array'] as const)(
    'a node that refuses batches with an %s gets single calls from then on',
    async (as) => {
      server.react((request) => (request.batch ? { do: 'refuseBatches', as } : { do: 'answer', each: echo }))
      const call = callsTo(server.url)
      expect(values(await Promise.all(numbered(5).map(call)))).toEqual([0, 1, 2, 3, 4])
      expect(values(await Promise.all(numbered(5).map(call)))).toEqual([0, 1, 2, 3, 4])
      expect(server.requests.filter((request) => request.batch)).toHaveLength(1)
      expect(server.requests).toHaveLength(11)
      expect(health).not.toContain(false)
    },
  )

  test('an error for one call is no refusal of the batch: the others were left out, and may have been done', async () => {
    server.react(({ calls, batch }) =>
      batch
        ? {
            do: 'answer',
            each: ({ id }) => (id === calls[1]?.id ? { error: { code: -32000, message: 'no' } } : undefined),
          }
        : { do: 'answer', each: echo },
    )
    const answers = await Promise.all(numbered(3, 'eth_sendRawTransaction').map(callsTo(server.url)))
    expect(answers.map(({ kind }) => kind)).toEqual(['unknown', 'rpcError', 'unknown'])
    expect(server.requests).toHaveLength(1)
  })

  test('what a refused batch carried may have been done: no connection afterwards makes it certain that it was not', async () => {
    await using node = await startRpcServer()
    node.react((request) => (request.batch ? { do: 'refuseBatches', as: 'object' } : { do: 'answer', each: echo }))
    const posts: string[] = []
    const real = openTransport({ url: node.url, clock: systemClock, timeoutMs: 10_000 })
    opened.push(real)
    const transport: typeof real = {
      ...real,
      async post(body) {
        posts.push(body)
        if (posts.length === 2) await node.stop()
        return real.post(body)
      },
    }
    const call = batchCalls({ transport, clock: systemClock, heard: () => undefined, sized: () => undefined })
    const answers = await Promise.all(numbered(2, 'eth_sendRawTransaction').map(call))
    expect(answers.map(({ kind }) => kind)).toEqual(['unknown', 'unknown'])
    expect((await call({ method: 'eth_sendRawTransaction', params: [] })).kind).toBe('unsent')
  })

  test('sends keep their order, through several requests and one by one', async () => {
    const sends = numbered(230, 'eth_sendRawTransaction')
    const order = () => server.calls('eth_sendRawTransaction').map((call) => call.params[0])
    // The first request of each round is the slowest: only waiting for it keeps the order.
    server.react((request) => {
      const slow = { do: 'delay', ms: 50, next: { do: 'answer', each: echo } } as const
      return request.calls[0]?.params[0] === 0 ? slow : { do: 'answer', each: echo }
    })
    await Promise.all(sends.map(callsTo(server.url)))
    expect(order()).toEqual(sends.map((send) => send.params[0]))
    server.forget()
    server.react((request) => (request.batch ? { do: 'refuseBatches', as: 'object' } : { do: 'answer', each: echo }))
    await Promise.all(sends.slice(0, 20).map(callsTo(server.url)))
    const singles = server.requests.filter((request) => !request.batch).flatMap((request) => request.calls)
    expect(singles.map((call) => call.params[0])).toEqual(sends.slice(0, 20).map((send) => send.params[0]))
  })

  test('a send that hangs holds up no read of the same turn', async () => {
    server.react(({ calls }) =>
      calls.some(({ method }) => method === 'eth_sendRawTransaction') ? { do: 'ignore' } : { do: 'answer', each: echo },
    )
    const call = callsTo(server.url, { timeoutMs: 2_000 })
    const order: string[] = []
    const sent = call({ method: 'eth_sendRawTransaction', params: ['raw'] }).then(() => order.push('send'))
    const read = call({ method: 'test_echo', params: ['head'] }).then(() => order.push('read'))
    await Promise.all([sent, read])
    expect(order).toEqual(['read', 'send'])
  })
})

describe('gateways that refuse batches', () => {
  const answered = { do: 'answer', each: echo } as const
  const inRequests = () => server.requests.map(({ calls }) => calls.length)
  const each = refusals.map((how) => [how.name, how] as const)
  const [firstRefusal] = refusals as readonly [Refusal]

  test.each(each)('%s: each read is answered alone, and none goes out in a batch again', async (_, how) => {
    server.react(refusing(how, 1, answered))
    const call = callsTo(server.url)
    expect(values(await Promise.all(numbered(5).map(call)))).toEqual([0, 1, 2, 3, 4])
    expect(values(await Promise.all(numbered(3).map(call)))).toEqual([0, 1, 2])
    expect(inRequests()).toEqual([5, 1, 1, 1, 1, 1, 1, 1, 1])
    expect(health).not.toContain(false)
    expect(sizes).toEqual([1])
  })

  test.each(each)('%s above ten calls: ten at a time are answered', async (_, how) => {
    server.react(refusing(how, 10, answered))
    const call = callsTo(server.url)
    expect(values(await Promise.all(numbered(25).map(call)))).toEqual(numbered(25).map(({ params }) => params[0]))
    expect(values(await Promise.all(numbered(25, 'eth_sendRawTransaction').map(call)))).toEqual(
      numbered(25).map(({ params }) => params[0]),
    )
    expect(inRequests()).toEqual([25, 10, 10, 5, 10, 10, 5])
    expect(sizes).toEqual([10])
  })

  test.each(each)('%s to a batch of sends leaves each in doubt', async (_, how) => {
    server.react(refusing(how, 1, { do: 'drop' }))
    const answers = await Promise.all(numbered(3, 'eth_sendRawTransaction').map(callsTo(server.url)))
    expect(answers.map(({ kind }) => kind)).toEqual(['unknown', 'unknown', 'unknown'])
  })

  test('a batch of hundreds comes down to single calls in four sizes, and no call is lost', async () => {
    server.react(refusing(firstRefusal, 1, answered))
    expect(values(await Promise.all(numbered(250).map(callsTo(server.url))))).toEqual([...Array(250).keys()])
    expect(new Set(inRequests())).toEqual(new Set([250, 100, 50, 10, 1]))
  })

  test.each([
    ['HTTP 429', { do: 'say', status: 429, body: '' }],
    ['HTTP 429 around a refusal', { do: 'say', status: 429, body: '{"error":{"code":-32600,"message":"batch"}}' }],
    ['HTTP 500 and text', { do: 'say', status: 500, body: 'Internal Server Error' }],
    ['HTTP 502 and a page', { do: 'say', status: 502, body: '<html>bad gateway</html>' }],
    ['HTTP 503 and JSON', { do: 'say', status: 503, body: '{"error":{"code":-32000,"message":"no upstream"}}' }],
    ['HTTP 401 and JSON', { do: 'say', status: 401, body: '{"error":{"code":-32600,"message":"no key"}}' }],
    ['half of a body', { do: 'say', body: '[{"jsonrpc":"2.0","id":1,"resu' }],
    ['a dropped connection', { do: 'drop' }],
    ['silence', { do: 'ignore' }],
  ] as const)('%s is an outage: a batch is not split, and the endpoint rests', async (_, reaction) => {
    server.react(reaction)
    const answers = await Promise.all(numbered(4).map(callsTo(server.url, { timeoutMs: 500 })))
    expect(answers.map(({ kind }) => kind)).toEqual(['unknown', 'unknown', 'unknown', 'unknown'])
    expect(inRequests()).toEqual([4])
    expect(health).toEqual([false])
    expect(sizes).toEqual([])
  })

  test('a limit exceeded may be one of batches: nothing is repeated at once, and the next batches are smaller', async () => {
    const limit = { name: 'a limit exceeded', status: 200, body: () => '{"id":null,"error":{"code":-32005}}' }
    server.react(refusing(limit, 10, answered))
    const call = callsTo(server.url)
    const answers = await Promise.all(numbered(20).map(call))
    expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(['unknown']))
    expect(health).toEqual([false])
    expect(values(await Promise.all(numbered(20).map(call)))).toEqual(numbered(20).map(({ params }) => params[0]))
    expect(inRequests()).toEqual([20, 10, 10])
  })

  test('sends behind one that is not answered are not tried, and in doubt if a refused batch held them', async () => {
    server.react((request) => {
      const hangs = !request.batch && request.calls[0]?.params[0] === 1
      return hangs ? { do: 'ignore' } : refusing(firstRefusal, 1, answered)(request)
    })
    const call = callsTo(server.url, { timeoutMs: 500 })
    const sends = numbered(4, 'eth_sendRawTransaction')
    expect(values(await Promise.all(sends.map(call)))).toEqual([0, 'unknown', 'unknown', 'unknown'])
    expect(values(await Promise.all(sends.map(call)))).toEqual([0, 'unknown', 'unsent', 'unsent'])
    expect(inRequests()).toEqual([4, 1, 1, 1, 1])
  })

  test('a send that is refused alone holds up none behind it', async () => {
    const forbidden = { do: 'say', status: 403, body: 'Forbidden' } as const
    server.react((request) =>
      !request.batch && request.calls[0]?.params[0] === 1 ? forbidden : refusing(firstRefusal, 1, answered)(request),
    )
    const answers = await Promise.all(numbered(3, 'eth_sendRawTransaction').map(callsTo(server.url)))
    expect(values(answers)).toEqual([0, 'unknown', 2])
    expect(health).toEqual([true, false, true])
  })
})

describe('what an answer proves', () => {
  const one: Call = { method: 'test_echo', params: [] }

  test('a JSON-RPC error is the node’s own answer, also with an HTTP status of 400', async () => {
    server.react(({ calls }) => ({
      do: 'say',
      status: 400,
      body: JSON.stringify({ jsonrpc: '2.0', id: calls[0]?.id, error: { code: -32000, message: 'no', data: '0x' } }),
    }))
    expect(await callsTo(server.url)(one)).toEqual({ kind: 'rpcError', code: -32000, message: 'no', data: '0x' })
  })

  test.each([
    ['HTTP 429', { do: 'say', status: 429, body: '' }],
    ['an HTTP 200 whose code is 429', { do: 'answer', each: () => ({ error: { code: 429, message: 'slow down' } }) }],
    ['a limit exceeded', { do: 'answer', each: () => ({ error: { code: -32005, message: 'limit' } }) }],
    ['HTTP 400', { do: 'say', status: 400, body: 'Bad Request' }],
    ['HTTP 413', { do: 'say', status: 413, body: '' }],
    ['HTTP 502', { do: 'say', status: 502, body: '<html>bad gateway</html>' }],
    ['garbage', { do: 'say', body: 'not JSON' }],
    ['an empty array', { do: 'say', body: '[]' }],
    ['a JSON null', { do: 'say', body: 'null' }],
    ['an error that is a string', { do: 'say', body: '{"error":"forbidden"}' }],
    ['a dropped connection', { do: 'drop' }],
  ] as const)('%s is unknown, and counts against the endpoint', async (_, reaction) => {
    server.react(reaction)
    expect((await callsTo(server.url)(one)).kind).toBe('unknown')
    expect(health).toEqual([false])
  })

  test('a rate limit on a whole batch is on each of its calls, and no refusal of batches', async () => {
    server.react({
      do: 'say',
      body: JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: 429, message: 'slow' } }),
    })
    const answers = await Promise.all(numbered(3).map(callsTo(server.url)))
    expect(answers.map((answer) => answer.kind)).toEqual(['unknown', 'unknown', 'unknown'])
    expect(server.requests).toHaveLength(1)
  })

  test('silence is unknown when the time is over', async () => {
    server.react({ do: 'ignore' })
    const answer = await callsTo(server.url, { timeoutMs: 100 })(one)
    expect(answer).toEqual({ kind: 'unknown', message: 'no answer within 100 ms' })
  })

  test('a body of more than 32 MB is not taken', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, result: 'x'.repeat(33 * 1024 * 1024) })
    server.react({ do: 'say', body })
    expect((await callsTo(server.url)(one)).kind).toBe('unknown')
  })

  test('a refused connection and an unknown name are certain: not sent', async () => {
    const gone = await startRpcServer()
    await gone.stop()
    expect(await callsTo(gone.url)(one)).toEqual({ kind: 'unsent', message: 'no connection (ECONNREFUSED)' })
    const nowhere = await callsTo('http://no-such-host.invalid')(one)
    expect(nowhere.kind).toBe('unsent')
    expect(nowhere).not.toMatchObject({ message: expect.stringContaining('invalid') })
  })

  test('a connection that was made and broken at once is unknown: bytes may have left', async () => {
    const rude = createServer((socket) => socket.destroy())
    await new Promise<void>((resolve) => rude.listen(0, '127.0.0.1', resolve))
    const { port } = rude.address() as { port: number }
    expect((await callsTo(`http://127.0.0.1:${port}`)(one)).kind).toBe('unknown')
    rude.close()
  })
})

describe('secrets', () => {
  test('go to the node, and into no message', async () => {
    const url = server.url.replace('http://', 'http://alice:open%20sesame@')
    const path = '/v3/0123456789abcdef?token=querytoken99'
    server.react(({ calls }) => {
      const words = `denied at ${server.url}${path} for querytoken99 of 0123456789abcdef`
      return {
        do: 'say',
        body: JSON.stringify({ jsonrpc: '2.0', id: calls[0]?.id, error: { code: -32001, message: words } }),
      }
    })
    const answer = await callsTo(`${url}${path}`)({ method: 'test_echo', params: [] })
    const [request] = server.requests
    expect(request?.path).toBe(path)
    const authorization = `Basic ${Buffer.from('alice:open sesame').toString('base64')}`
    expect(request?.headers).toMatchObject({ authorization })
    expect(answer).toMatchObject({ kind: 'rpcError', message: expect.stringContaining('denied') })
    expect(JSON.stringify(answer)).not.toMatch(/querytoken|0123456789abcdef|127\.0\.0\.1/)
  })

  test('a URL that is none is refused without repeating it', () => {
    const open = () => callsTo('htp//key-0123456789')
    expect(open).toThrow(TypeError)
    expect(open).not.toThrow(/key-0123456789/)
  })
})
