// Balances of many accounts, and what they cost.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ChainUnavailable } from '../../../src/chain/chain.ts'
import type { Address } from '../../../src/domain/ids.ts'
import { type Anvil, startAnvil } from '../../../tooling/anvil.ts'
import { type RpcServer, startRpcServer } from '../../../tooling/rpc-server.ts'
import { type NetworkUnderTest, networkOver } from '../network-under-test.ts'

let anvil: Anvil
let proxy: RpcServer
let network: NetworkUnderTest

const addresses = Array.from(
  { length: 300 },
  (_, index) => `0x${(0xdef_000 + index).toString(16).padStart(40, '0')}` as Address,
)
const [rich = addresses[0] as Address] = addresses.slice(299)

beforeAll(async () => {
  anvil = await startAnvil({ mining: 'manual' })
  await anvil.rpc('anvil_setBalance', [rich, '0x123'])
  proxy = await startRpcServer({ forwardTo: anvil.url })
})
beforeEach(async () => {
  await network?.chain.close()
  proxy.react({ do: 'forward' })
  network = networkOver([proxy.url])
})
afterAll(async () => {
  await network?.chain.close()
  await proxy?.stop()
  await anvil?.stop()
})

const askAll = () => Promise.all(addresses.map((address) => network.chain.balance(address)))
const expected = addresses.map((address) => (address === rich ? 0x123n : 0n))

test('balances read at one moment share a call for 256, and each reader gets its own', async () => {
  expect(await askAll()).toEqual(expected)
  expect([network.count('eth_call'), network.count('eth_getBalance')]).toEqual([2, 0])
})

test('one balance alone uses the standard call', async () => {
  expect(await network.chain.balance(rich)).toBe(0x123n)
  expect([network.count('eth_call'), network.count('eth_getBalance')]).toEqual([0, 1])
})

test('where a node refuses the joint call, each balance is read alone', async () => {
  proxy.react({ do: 'forwardBut', method: 'eth_call', reply: { error: { code: -32601, message: 'no such method' } } })
  expect(await askAll()).toEqual(expected)
  expect(network.count('eth_getBalance')).toBe(300)
})

test('where no node answers, every read fails, without three hundred calls', async () => {
  await network.chain.balance(rich)
  network.forget()
  proxy.react({ do: 'drop' })
  const reported = await Promise.allSettled(addresses.map((address) => network.chain.balance(address)))
  for (const each of reported) expect(each).toMatchObject({ status: 'rejected', reason: expect.any(ChainUnavailable) })
  expect(network.calls.length).toBeLessThan(10)
})
