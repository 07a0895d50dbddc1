// A library reads the chain through the relayer's nodes, and a wallet finds no way around the relayer there.
import { createPublicClient, http, parseAbi } from 'viem'
import { foundry } from 'viem/chains'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { devAccount } from '../../tooling/dev-accounts.ts'
import { headOf } from '../../tooling/ledger.ts'
import { anvilStage, type Stage } from './support/stage.ts'

let stage: Stage<Anvil>
beforeAll(async () => {
  stage = await anvilStage({ relayers: { reader: {} } })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

const post = (body: unknown, relayer = 'reader') => stage.client.request('POST', `/relayers/${relayer}/rpc`, { body })
const call = (method: string, params: unknown = [], id: unknown = 1) => post({ jsonrpc: '2.0', id, method, params })

function viemClient() {
  const { url, apiKey } = stage.service
  const fetchOptions = { headers: { authorization: `Bearer ${apiKey}` } }
  const transport = http(`${url}/api/v1/relayers/reader/rpc`, { fetchOptions, retryCount: 0 })
  return createPublicClient({ chain: foundry, transport })
}

test('viem reads through it: blocks, balances, gas, and why a call reverts', async () => {
  const client = viemClient()
  await stage.node.mine(3)
  expect(await client.getBlockNumber()).toBe(BigInt(await headOf(stage.node)))
  expect(await client.getChainId()).toBe(31_337)
  expect(await client.getBalance({ address: devAccount(5).address })).toBe(10_000n * 10n ** 18n)
  expect(await client.estimateGas({ to: devAccount(5).address, value: 1n })).toBe(21_000n)
  expect((await client.getBlock({ blockNumber: 1n })).transactions).toEqual([])
  // PUSH1 0 PUSH1 0 REVERT, run as if it were the code of the account: an override nests objects in the params.
  const address = devAccount(6).address
  const reading = client.readContract({
    abi: parseAbi(['function total() view returns (uint256)']),
    address,
    functionName: 'total',
    stateOverride: [{ address, code: '0x60006000fd' }],
  })
  await expect(reading).rejects.toThrow(/revert/)
})

test('a request and its answer belong together by any id; a call without one gets none', async () => {
  for (const id of [0, 'abc', 2 ** 40, null]) {
    expect((await call('eth_chainId', [], id)).body).toEqual({ jsonrpc: '2.0', id, result: '0x7a69' })
  }
  expect((await post({ jsonrpc: '2.0', method: 'eth_chainId' })).body).toEqual({ jsonrpc: '2.0', result: '0x7a69' })
})

test('a body that is not JSON-RPC is refused like any other', async () => {
  const refusals: [unknown, string][] = [
    [[{ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }], 'body: '],
    [{ id: 1, method: 'eth_chainId', params: [] }, 'jsonrpc: is missing'],
    [{ jsonrpc: '1.0', id: 1, method: 'eth_chainId' }, 'jsonrpc: "1.0" is not'],
    [{ jsonrpc: '2.0', id: 1 }, 'method: is missing'],
    [{ jsonrpc: '2.0', id: {}, method: 'eth_chainId' }, 'id: {} is not'],
    [{ jsonrpc: '2.0', id: 1, method: 'eth_chainId', url: 'http://elsewhere' }, 'url: is not accepted here'],
  ]
  for (const [body, reported] of refusals) {
    const answer = await post(body)
    expect([answer.status, answer.headers['relayer-error-code']]).toEqual([400, 'INVALID_REQUEST'])
    expect((answer.body as { message: string }).message).toContain(reported)
  }
  expect((await call('eth_call', { to: '0x' })).body).toMatchObject({ error: { code: -32602 } })
  const unknown = await post({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' }, 'nobody')
  expect([unknown.status, unknown.headers['relayer-error-code']]).toEqual([404, 'RELAYER_NOT_FOUND'])
})

test('while no node answers: 503, and the reason', async () => {
  await stage.line.cut()
  const answer = await call('eth_blockNumber')
  expect([answer.status, answer.headers['relayer-error-code']]).toEqual([503, 'NODE_UNAVAILABLE'])
  const { message } = answer.body as { message: string }
  expect(message).toMatch(/^no node of network "localhost" answers eth_blockNumber: endpoint 0: no connection/)
  expect(message).not.toContain('127.0.0.1')
  await stage.line.mend()
})
