// What a no-op costs, as nodes report it: its gas, remembered for some blocks, and the fee of the OP stack's oracle.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ethereumProfile } from '../../../src/domain/profile.ts'
import { devAccount } from '../../../tooling/dev-accounts.ts'
import { type RpcCall, type RpcReply, type RpcServer, startRpcServer } from '../../../tooling/rpc-server.ts'
import { inquiryOf, type NetworkUnderTest, networkOver } from '../network-under-test.ts'

const hex = (wei: bigint | number) => `0x${wei.toString(16)}`
const word = (wei: number) => `0x${wei.toString(16).padStart(64, '0')}`
const sender = devAccount(0)

let node: RpcServer
let height = 100
let gas: number | undefined = 90_000
/** By the first four bytes of the call. */
let fees: Readonly<Record<string, number>> = {}

function reply({ method, params }: RpcCall): RpcReply {
  switch (method) {
    case 'eth_chainId':
      return { result: hex(31_337) }
    case 'eth_getBlockByNumber':
      return {
        result: {
          number: hex(height),
          hash: word(height),
          parentHash: word(height - 1),
          timestamp: hex(1_700_000_000 + height),
          baseFeePerGas: '0x1',
        },
      }
    case 'eth_estimateGas':
      return gas === undefined ? { error: { code: -32000, message: 'on hold' } } : { result: hex(gas) }
    case 'eth_call': {
      const [{ to, data }] = params as [{ to: string; data: string }]
      const fee = to === '0x420000000000000000000000000000000000000F' ? fees[data.slice(0, 10)] : undefined
      return fee === undefined ? { error: { code: 3, message: 'execution reverted' } } : { result: word(fee) }
    }
    case 'eth_feeHistory':
      return { result: { baseFeePerGas: ['0x1', '0x1'], gasUsedRatio: [0], reward: [[0, 0, 0, 0].map(hex)] } }
    default:
      return { result: '0x1' }
  }
}

beforeAll(async () => {
  node = await startRpcServer()
  node.react({ do: 'answer', each: reply })
})
afterAll(() => node?.[Symbol.asyncDispose]())
beforeEach(() => {
  height += 100
  gas = 90_000
  fees = {}
})

const openWith = (profile: object) => networkOver([node.url], { profile: { ...ethereumProfile, ...profile } })
const marketOf = async ({ chain }: NetworkUnderTest, isNoOpTooTight = false) =>
  (await chain.observe({ ...inquiryOf(sender.address), market: true, isNoOpTooTight })).market

test('nothing is read where the chain states the gas, and has no fee beside it', async () => {
  await using network = openWith({})
  expect(await marketOf(network)).not.toHaveProperty('noOpGas')
  expect(network.count('eth_estimateGas')).toBe(0)
  expect(network.count('eth_call')).toBe(0)
})

test('an estimate stands for twenty blocks, and no longer than a head where nodes called a no-op invalid', async () => {
  await using network = openWith({ noOpGas: 'estimated' })
  expect(await marketOf(network)).toMatchObject({ noOpGas: 90_000 })
  gas = 95_000
  height += 19
  expect(await marketOf(network)).toMatchObject({ noOpGas: 90_000 })
  expect(await marketOf(network, true)).toMatchObject({ noOpGas: 95_000 })
  gas = 99_000
  expect(await marketOf(network, true)).toMatchObject({ noOpGas: 95_000 })
  height += 20
  expect(await marketOf(network)).toMatchObject({ noOpGas: 99_000 })
  expect(network.count('eth_estimateGas')).toBe(3)
})

test('an estimate that failed is absent, and is repeated by the next step', async () => {
  await using network = openWith({ noOpGas: 'estimated' })
  gas = undefined
  expect(await marketOf(network)).not.toHaveProperty('noOpGas')
  gas = 90_000
  expect(await marketOf(network)).toMatchObject({ noOpGas: 90_000 })
})

test('the fee for L1 is read once a block: its upper bound, and the fee itself on a chain without that', async () => {
  await using network = openWith({ l1Fee: 'op_stack' })
  fees = { '0xf1c7a58b': 700, '0x49948e0e': 500 }
  expect(await marketOf(network)).toMatchObject({ noOpL1Fee: 700n })
  expect(await marketOf(network)).toMatchObject({ noOpL1Fee: 700n })
  const oracle = network.count('eth_call')
  fees = { '0x49948e0e': 500 }
  expect(await marketOf(network)).toMatchObject({ noOpL1Fee: 700n })
  expect(network.count('eth_call')).toBe(oracle)
  height += 1
  expect(await marketOf(network)).toMatchObject({ noOpL1Fee: 500n })
  fees = {}
  height += 1
  expect(await marketOf(network)).not.toHaveProperty('noOpL1Fee')
})
