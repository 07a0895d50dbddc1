// A client's reads: passed on to one node and the next, apart from the engine's calls, with nothing secret in the answer.
import { afterEach, describe, expect, test } from 'vitest'
import { type Anvil, startAnvil } from '../../../tooling/anvil.ts'
import { type RpcServer, startRpcServer } from '../../../tooling/rpc-server.ts'
import { networkOver, patienceMs } from '../network-under-test.ts'

const opened: AsyncDisposable[] = []
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]()
})

async function stage(nodes = 1): Promise<{ anvil: Anvil; servers: RpcServer[] }> {
  const anvil = await startAnvil({ mining: 'manual' })
  const servers = await Promise.all(Array.from({ length: nodes }, () => startRpcServer({ forwardTo: anvil.url })))
  opened.push(anvil, ...servers)
  return { anvil, servers }
}

const block = { method: 'eth_getBlockByNumber', params: ['0x0', false] }
const only = (method: string, answer: object) => (request: { calls: readonly { method: string }[] }) =>
  request.calls.some((call) => call.method === method)
    ? { do: 'say' as const, body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...answer }) }
    : { do: 'forward' as const }

test('the answer is the node’s, null included, and its errors are answers', async () => {
  const { anvil, servers } = await stage()
  await using network = networkOver(servers.map(({ url }) => url))
  expect(await network.chain.read(block)).toEqual({ value: await anvil.rpc(block.method, block.params) })
  const missing = { method: 'eth_getTransactionReceipt', params: [`0x${'00'.repeat(32)}`] }
  expect(await network.chain.read(missing)).toEqual({ value: null })
  const wrong = await network.chain.read({ method: 'eth_getBalance', params: ['nobody'] })
  expect(wrong).toMatchObject({ error: { code: -32602, message: expect.any(String) } })
  expect(servers[0]?.calls('eth_getBlockByNumber')).toHaveLength(1)
})

test.each([{ do: 'drop' }, { do: 'say', status: 500, body: 'down' }, { do: 'say', status: 429, body: '' }] as const)(
  'one that does not answer (%j): the next is called, and its health stays as it is',
  async (reaction) => {
    const { servers } = await stage(2)
    const [bad] = servers as [RpcServer, RpcServer]
    await using network = networkOver(servers.map(({ url }) => url))
    await network.chain.read(block)
    bad.react((request) => (request.calls.some(({ method }) => method === block.method) ? reaction : { do: 'forward' }))
    for (let count = 0; count < 8; count++) expect(await network.chain.read(block)).toHaveProperty('value')
    expect(network.log.filter(({ level }) => level !== 'debug')).toEqual([])
    // It still gets its share of the engine's calls.
    bad.forget()
    for (let count = 0; count < 4; count++) await network.chain.balance(`0x${'11'.repeat(20)}`)
    expect(bad.calls('eth_getBalance').length).toBeGreaterThan(0)
  },
)

test('none answers: the reason, without the URL', async () => {
  const { servers } = await stage()
  const url = `${servers[0]?.url}/v3/topsecretkey1`
  await using network = networkOver([url], { timeoutMs: patienceMs })
  await network.chain.read(block)
  servers[0]?.react((request) =>
    request.calls.some(({ method }) => method === block.method) ? { do: 'ignore' } : { do: 'forward' },
  )
  const failed = await network.chain.read(block).catch((error: Error) => error)
  expect(failed).toMatchObject({ name: 'ChainUnavailable', message: 'endpoint 0: no answer within 3000 ms' })
})

describe('what a node says', () => {
  test('is reported without the endpoint’s secrets, wherever they stand in it', async () => {
    const { servers } = await stage()
    const url = `${servers[0]?.url}/v3/topsecretkey1`
    await using network = networkOver([url])
    const data = {
      from: url,
      deep: [{ note: 'key topsecretkey1 is over quota' }],
      topsecretkey1: 1,
      bytes: '0x08c379a0',
    }
    servers[0]?.react(only('eth_call', { error: { code: -32000, message: `over quota: ${url}`, data } }))
    const answer = await network.chain.read({ method: 'eth_call', params: [{}, 'latest'] })
    expect(JSON.stringify(answer)).not.toContain('topsecretkey1')
    expect(answer).toMatchObject({ error: { code: -32000, data: { bytes: '0x08c379a0' } } })
  })

  test('revert data keeps its length', async () => {
    const { servers } = await stage()
    await using network = networkOver(servers.map(({ url }) => url))
    const data = `0x${'ab'.repeat(5_000)}`
    servers[0]?.react(only('eth_call', { error: { code: 3, message: 'execution reverted', data } }))
    const answer = await network.chain.read({ method: 'eth_call', params: [{}, 'latest'] })
    expect(answer).toEqual({ error: { code: 3, message: 'execution reverted', data } })
  })

  test('beyond 8 MiB is not read', async () => {
    const { servers } = await stage()
    await using network = networkOver(servers.map(({ url }) => url))
    servers[0]?.react(only('eth_getLogs', { result: 'x'.repeat(9 * 1024 * 1024) }))
    await expect(network.chain.read({ method: 'eth_getLogs', params: [{}] })).rejects.toThrow(
      'an answer of more than 8388608 bytes',
    )
  })
})

test('it is in no batch with the engine’s calls, so that it holds up none of them', async () => {
  const { servers } = await stage()
  const [server] = servers as [RpcServer]
  await using network = networkOver([server.url])
  await network.chain.balance(`0x${'11'.repeat(20)}`)
  server.react((request) =>
    request.calls.some(({ method }) => method === block.method) ? { do: 'ignore' } : { do: 'forward' },
  )
  const reads = Array.from({ length: 12 }, () => network.chain.read(block).catch(() => 'late'))
  const balances = await Promise.all(
    Array.from({ length: 12 }, (_, index) => network.chain.balance(`0x${String(index).padStart(40, '0')}`)),
  )
  expect(balances).toHaveLength(12)
  for (const { calls } of server.requests) {
    const methods = new Set(calls.map(({ method }) => method))
    expect(methods.has(block.method) && methods.size > 1).toBe(false)
  }
  await network[Symbol.asyncDispose]()
  expect(await Promise.all(reads)).toEqual(Array(12).fill('late'))
})
