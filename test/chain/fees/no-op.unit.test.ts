// What a no-op and a payload cost, as nodes report it on chains that differ: gas, the fee of the OP stack's oracle, tips on Linea.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { osakaRules } from '../../../src/domain/gas-figures.ts'
import type { TransactionId } from '../../../src/domain/ids.ts'
import { ethereumProfile } from '../../../src/domain/profile.ts'
import { systemClock } from '../../../src/ops/clock.ts'
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
let linea: object | undefined
let revertsToItself = false
const opStackOracle = '0x420000000000000000000000000000000000000F'
let oracle: `0x${string}` = opStackOracle
/** Instead of the figure in `fees`. */
let oracleFee: ((data: string) => number) | undefined

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
      if (revertsToItself && isToItself(params)) return { error: { code: 3, message: 'execution reverted' } }
      return gas === undefined ? { error: { code: -32000, message: 'on hold' } } : { result: hex(gas) }
    case 'eth_call': {
      const [{ to, data }] = params as [{ to: string; data: string }]
      const known = to === oracle ? fees[data.slice(0, 10)] : undefined
      const fee = known === undefined ? undefined : (oracleFee?.(data) ?? known)
      return fee === undefined ? { error: { code: 3, message: 'execution reverted' } } : { result: word(fee) }
    }
    case 'linea_estimateGas':
      return linea === undefined ? { error: { code: -32601, message: 'no such method' } } : { result: linea }
    case 'eth_feeHistory':
      return { result: { baseFeePerGas: ['0x1', '0x1'], gasUsedRatio: [0], reward: [[0, 0, 0, 0].map(hex)] } }
    default:
      return { result: '0x1' }
  }
}

function isToItself([transaction]: readonly unknown[]): boolean {
  const { from, to } = transaction as { from: string; to: string }
  return from === to
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
  linea = undefined
  revertsToItself = false
  oracle = opStackOracle
  oracleFee = undefined
  blocktimeMs = 12_000
})

let blocktimeMs = 12_000
const clock = { ...systemClock, elapsed: () => systemClock.elapsed() + height * blocktimeMs }
const openWith = (profile: object) =>
  networkOver([node.url], { clock, profile: { ...ethereumProfile, gasRules: osakaRules, ...profile } })
const marketOf = async ({ chain }: NetworkUnderTest, isNoOpTooTight = false) =>
  (await chain.observe({ ...inquiryOf(sender.address), market: true, isNoOpTooTight })).market

test('nothing is read where the chain states the gas, and has no fee beside it', async () => {
  await using network = openWith({})
  expect(await marketOf(network)).not.toHaveProperty('noOpGas')
  expect(network.count('eth_estimateGas')).toBe(0)
  expect(network.count('eth_call')).toBe(0)
})

test('where the profile has a constant, it is estimated once nodes called a no-op invalid, and from then on', async () => {
  await using network = openWith({})
  expect(await marketOf(network, true)).toMatchObject({ noOpGas: 90_000 })
  height += 1
  expect(await marketOf(network)).toMatchObject({ noOpGas: 90_000 })
  gas = 95_000
  height += 20
  expect(await marketOf(network)).toMatchObject({ noOpGas: 95_000 })
})

test('where the code of a delegated account reverts, a transfer of nothing to an account without code is estimated', async () => {
  revertsToItself = true
  await using network = openWith({ noOpGas: 'estimated' })
  expect(await marketOf(network)).toMatchObject({ noOpGas: 90_000 })
  // Any other error is none of the account's.
  revertsToItself = false
  gas = undefined
  height += 20
  expect(await marketOf(network)).not.toHaveProperty('noOpGas')
  expect(network.count('eth_estimateGas')).toBe(3)
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

test('an estimate below what each node demands of a transfer is false, unless the chain has prices of gas of its own', async () => {
  gas = 15_375
  await using arbitrum = openWith({ noOpGas: 'estimated', l1Fee: 'in_gas', floorGas: false })
  expect(await marketOf(arbitrum)).toMatchObject({ noOpGas: 21_000 })
  await using own = openWith({ noOpGas: 'estimated', floorGas: false })
  expect(await marketOf(own)).toMatchObject({ noOpGas: 15_375 })
})

test('an estimate that failed is absent, and is repeated by the next step', async () => {
  await using network = openWith({ noOpGas: 'estimated' })
  gas = undefined
  expect(await marketOf(network)).not.toHaveProperty('noOpGas')
  gas = 90_000
  expect(await marketOf(network)).toMatchObject({ noOpGas: 90_000 })
})

test('the fee for L1 stands for two seconds of short blocks', async () => {
  blocktimeMs = 200
  await using network = openWith({ l1Fee: 'op_stack' })
  fees = { '0xf1c7a58b': 700 }
  expect(await marketOf(network)).toMatchObject({ noOpL1Fee: 700n })
  fees = { '0xf1c7a58b': 900 }
  height += 1
  expect(await marketOf(network)).toMatchObject({ noOpL1Fee: 700n })
  height += 10
  expect(await marketOf(network)).toMatchObject({ noOpL1Fee: 900n })
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

/** A straight line above a minimum, for either function. */
function lineOf(perByte: number, least = 0) {
  const sizeOf = (data: string) =>
    Number.parseInt(data.slice(0, 10) === '0x49948e0e' ? data.slice(74, 138) : data.slice(10), 16)
  oracleFee = (data) => Math.max(least, sizeOf(data) * perByte)
}

test('a further byte has a price, with a margin of half: it follows that of a no-op, and is read anew after twenty blocks', async () => {
  await using network = openWith({ l1Fee: 'op_stack' })
  fees = { '0xf1c7a58b': 0 }
  lineOf(10)
  expect(await marketOf(network)).toMatchObject({ noOpL1Fee: 1_100n, l1FeePerByte: 15n })
  const calls = network.count('eth_call')
  lineOf(20)
  height += 19
  expect(await marketOf(network)).toMatchObject({ noOpL1Fee: 2_200n, l1FeePerByte: 30n })
  expect(network.count('eth_call')).toBe(calls + 1)
  lineOf(20, 11_000)
  height += 1
  const perByte = Math.ceil(((131_072 * 20 - 11_000) / (131_072 - 110)) * 1.5)
  expect(await marketOf(network)).toMatchObject({ noOpL1Fee: 11_000n, l1FeePerByte: BigInt(perByte) })
})

test('no size costs more than the price of a byte says, also above a minimum', async () => {
  await using network = openWith({ l1Fee: 'op_stack' })
  fees = { '0xf1c7a58b': 0 }
  lineOf(10, 60_000)
  const { noOpL1Fee = 0n, l1FeePerByte = 0n } = (await marketOf(network)) ?? {}
  for (const bytes of [110, 1_000, 6_000, 20_000, 131_072]) {
    expect(Number(noOpL1Fee) + (bytes - 110) * Number(l1FeePerByte)).toBeGreaterThanOrEqual(
      Math.max(60_000, bytes * 10),
    )
  }
})

test('an oracle at another address, which has the one function only', async () => {
  oracle = '0x5300000000000000000000000000000000000002'
  await using network = openWith({ l1Fee: 'op_stack', l1FeeOracle: oracle })
  fees = { '0x49948e0e': 0 }
  lineOf(7)
  expect(await marketOf(network)).toMatchObject({ noOpL1Fee: 770n, l1FeePerByte: 11n })
  const calls = network.count('eth_call')
  height += 1
  expect(await marketOf(network)).toMatchObject({ noOpL1Fee: 770n })
  expect(network.count('eth_call')).toBe(calls + 1)
})

const payload = { from: sender.address, to: sender.address, value: 0n }
const estimateOf = async ({ chain }: NetworkUnderTest, data: `0x${string}`) => {
  const estimates = [{ ...payload, transactionId: 'one' as TransactionId, data }]
  return (await chain.observe({ ...inquiryOf(sender.address), estimates })).estimates.get('one' as TransactionId)
}

test('an estimate has a margin, unless the limit is charged, and no less than data costs where that holds', async () => {
  await using network = openWith({})
  await using charging = openWith({ charges: 'gas_limit' })
  await using own = openWith({ floorGas: false })
  expect(await estimateOf(network, '0xff')).toEqual({ kind: 'gas', gas: 108_000, bare: 90_000 })
  expect(await estimateOf(charging, '0xff')).toEqual({ kind: 'gas', gas: 90_000 })
  gas = 21_016
  height += 1
  expect(await estimateOf(network, '0xff00')).toEqual({ kind: 'gas', gas: Math.ceil(21_050 * 1.2), bare: 21_050 })
  expect(await estimateOf(own, '0xff00')).toEqual({ kind: 'gas', gas: Math.ceil(21_016 * 1.2), bare: 21_016 })
})

test('on Linea a node estimates gas and tip of a payload, and the least tip of all; other nodes estimate gas', async () => {
  await using network = openWith({ priceSource: 'linea_estimate_gas' })
  linea = { gasLimit: hex(50_000), baseFeePerGas: '0x7', priorityFeePerGas: hex(123_456_789) }
  expect(await estimateOf(network, '0xff')).toEqual({ kind: 'gas', gas: 60_000, bare: 50_000, tip: 123_456_789n })
  expect(await marketOf(network)).toMatchObject({ tips: { safeLow: 123_456_789n, fastest: 123_456_789n } })
  linea = undefined
  height += 1
  expect(await estimateOf(network, '0xff')).toEqual({ kind: 'gas', gas: 108_000, bare: 90_000 })
  expect((await marketOf(network))?.tips.fastest).toBe(3_000_000n)
})

const valued = (units: number): RpcReply => ({ result: hex(units) })

/** By endpoints that estimate so much; then twice more, while every endpoint calls the no-op invalid. */
async function estimatesOf(...units: number[]) {
  await using pieces = new AsyncDisposableStack()
  const nodes: RpcServer[] = []
  for (const each of units) {
    const other = pieces.use(await startRpcServer())
    other.react({ do: 'answer', each: (call) => (call.method === 'eth_estimateGas' ? valued(each) : reply(call)) })
    nodes.push(other)
  }
  await using network = networkOver(
    nodes.map(({ url }) => url),
    { profile: { ...ethereumProfile, gasRules: osakaRules, noOpGas: 'estimated', floorGas: false } },
  )
  const figures = [(await marketOf(network))?.noOpGas]
  for (let block = 0; block < 2; block += 1) {
    height += 1
    figures.push((await marketOf(network, true))?.noOpGas)
  }
  return figures
}

test('of three endpoints no single estimate counts', async () => {
  expect(await estimatesOf(1, 90_000, 91_000)).toEqual([90_000, 90_000, 90_000])
  expect(await estimatesOf(30_000_000, 90_000, 91_000)).toEqual([91_000, 91_000, 91_000])
})

test('of two within twofold the higher counts', async () => {
  expect(await estimatesOf(50_000, 100_000)).toEqual([100_000, 100_000, 100_000])
})

test('of two that differ the lower is tried, and the other one while every endpoint calls that no-op invalid', async () => {
  expect(await estimatesOf(9_000, 90_000)).toEqual([9_000, 90_000, 9_000])
  expect(await estimatesOf(30_000_000, 90_000)).toEqual([90_000, 30_000_000, 90_000])
})

test('where the profile has a constant, estimates end once they are no higher', async () => {
  await using network = openWith({})
  expect(await marketOf(network, true)).toMatchObject({ noOpGas: 90_000 })
  gas = 21_000
  height += 20
  expect(await marketOf(network)).toMatchObject({ noOpGas: 21_000 })
  height += 20
  expect(await marketOf(network)).not.toHaveProperty('noOpGas')
})
