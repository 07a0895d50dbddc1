// Headers of an endpoint go out with every request to it, and to no other; what a node repeats of them is masked.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openTransport } from '../../../src/chain/nodes/transport.ts'
import { systemClock } from '../../../src/ops/clock.ts'
import { secret } from '../../../src/ops/secret.ts'
import { type RpcServer, startRpcServer } from '../../../tooling/rpc-server.ts'
import { networkOver } from '../network-under-test.ts'

const token = 'S3CRET-token-of-a-provider'
const headers = {
  'x-api-key': secret(token),
  authorization: secret(`Bearer ${token}-2`),
  'content-type': secret('x/y'),
}
const address = `0x${'11'.repeat(20)}` as const

let one: RpcServer
let other: RpcServer
beforeAll(async () => {
  one = await startRpcServer()
  other = await startRpcServer()
})
afterEach(() => {
  for (const server of [one, other]) server.forget()
})
afterAll(async () => {
  await one?.stop()
  await other?.stop()
})

const results: Readonly<Record<string, unknown>> = {
  eth_chainId: '0x7a69',
  web3_clientVersion: 'anvil/v1',
  eth_getBalance: '0x1',
}

test('every request has them: the first ones, the engine’s, and clients’ reads', async () => {
  for (const server of [one, other]) {
    server.react({ do: 'answer', each: ({ method }) => ({ result: results[method] ?? null }) })
  }
  const endpoints = [
    { url: one.url, weight: 1, headers },
    { url: other.url, weight: 1 },
  ]
  await using network = networkOver([], { endpoints })
  for (let count = 0; count < 4; count++) {
    await network.chain.balance(address)
    await network.chain.read({ method: 'eth_getBalance', params: [address, 'latest'] })
  }
  for (const method of Object.keys(results)) {
    expect(one.calls(method).length, method).toBeGreaterThan(0)
    expect(other.calls(method).length, method).toBeGreaterThan(0)
  }
  for (const request of one.requests) {
    expect(request.headers).toMatchObject({
      'x-api-key': token,
      authorization: `Bearer ${token}-2`,
      'content-type': 'application/json',
    })
  }
  for (const request of other.requests) {
    expect(request.headers).not.toHaveProperty('x-api-key')
    expect(request.headers).not.toHaveProperty('authorization')
  }
})

test('a header named authorization counts before the user of the URL', async () => {
  one.react({ do: 'answer', each: () => ({ result: true }) })
  const url = one.url.replace('//', '//user:password@')
  for (const given of [undefined, { authorization: secret('Bearer mine-and-no-other') }]) {
    const transport = openTransport({ url, clock: systemClock, timeoutMs: 10_000, ...(given && { headers: given }) })
    await transport.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'test_echo', params: [] }))
    await transport.close()
  }
  expect(one.requests.map(({ headers: { authorization } }) => authorization)).toEqual([
    `Basic ${btoa('user:password')}`,
    'Bearer mine-and-no-other',
  ])
})

test('what a node repeats of them reaches neither an answer nor the log', async () => {
  const repeated = `denied for Bearer ${token}-2, key "${token}", or ${token}-2`
  const error = { code: -32_001, message: repeated, data: { seen: [token, `x ${token}-2`], [token]: 1 } }
  one.react({ do: 'answer', each: ({ method }) => (method === 'eth_getBalance' ? { error } : { result: '0x7a69' }) })
  await using network = networkOver([], { endpoints: [{ url: one.url, weight: 1, headers }] })
  const answer = await network.chain.read({ method: 'eth_getBalance', params: [address, 'latest'] })
  const refusal = await network.chain.balance(address).catch((reason: unknown) => reason)
  expect(answer).toMatchObject({ error: { code: -32_001, message: expect.stringContaining('denied for …') } })
  const shown = [JSON.stringify(answer), String(refusal), JSON.stringify(refusal), JSON.stringify(network.log)]
  expect(shown.join('\n')).not.toContain('S3CRET')
})
