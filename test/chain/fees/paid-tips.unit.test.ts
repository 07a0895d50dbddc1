// What others paid: the ceiling of prices follows it. Blocks with transactions of our own show only what we bid ourselves.
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { NetworkOptions } from '../../../src/chain/network.ts'
import type { Market } from '../../../src/domain/fees.ts'
import type { Hash } from '../../../src/domain/ids.ts'
import type { Inquiry } from '../../../src/domain/observation.ts'
import { systemClock } from '../../../src/ops/clock.ts'
import { devAccount } from '../../../tooling/dev-accounts.ts'
import { type RpcCall, type RpcReply, type RpcServer, startRpcServer } from '../../../tooling/rpc-server.ts'
import { inquiryOf, type NetworkUnderTest, networkOver } from '../network-under-test.ts'

const gwei = 1_000_000_000n
const hex = (wei: bigint | number) => `0x${wei.toString(16)}`
const hashOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}` as Hash
const sender = devAccount(0)
const lie = 10n ** 15n
const unsupported: RpcReply = { error: { code: -32601, message: 'the method does not exist' } }

interface Prices {
  readonly baseFee?: bigint
  /** What each of the last blocks paid, the newest last; undefined: it is empty. */
  readonly paid: readonly (bigint | undefined)[]
  readonly suggestion: bigint
  readonly gasPrice?: bigint
  readonly hasHistory?: boolean
}

let node: RpcServer
let network: NetworkUnderTest
let chainId = 31_337
let height = 100
/** Blocks of 12 s. */
const clockOfBlocks = { ...systemClock, elapsed: () => systemClock.elapsed() + height * 12_000 }
let prices: Prices
/** In the newest block. */
let mined: Hash | undefined

function history({ baseFee = 0n, paid }: Prices): object {
  return {
    oldestBlock: hex(height - paid.length + 1),
    baseFeePerGas: [...paid, 0n].map(() => hex(baseFee)),
    gasUsedRatio: paid.map((tip) => (tip === undefined ? 0 : 0.5)),
    reward: paid.map((tip = 0n) => [1, 2, 3, 4].map(() => hex(tip))),
  }
}

function reply({ method, params }: RpcCall): RpcReply {
  switch (method) {
    case 'eth_chainId':
      return { result: hex(chainId) }
    case 'eth_getBlockByNumber': {
      const number = params[0] === 'latest' ? height : Number(params[0])
      const block = { number: hex(number), hash: hashOf(number), parentHash: hashOf(number - 1) }
      const { baseFee } = prices
      const fee = baseFee === undefined ? {} : { baseFeePerGas: hex(baseFee) }
      return { result: { ...block, timestamp: hex(1_700_000_000 + number), transactions: [], ...fee } }
    }
    case 'eth_feeHistory':
      return prices.hasHistory === false ? unsupported : { result: history(prices) }
    case 'eth_gasPrice':
      return { result: hex(prices.gasPrice ?? 0n) }
    case 'eth_maxPriorityFeePerGas':
      return { result: hex(prices.suggestion) }
    case 'eth_getTransactionCount':
      return { result: hex(mined ? 1 : 0) }
    case 'eth_getTransactionReceipt': {
      if (params[0] !== mined) return { result: null }
      const at = { blockNumber: hex(height), blockHash: hashOf(height) }
      return {
        result: {
          transactionHash: mined,
          ...at,
          status: '0x1',
          gasUsed: hex(21_000),
          effectiveGasPrice: hex(40n * gwei),
        },
      }
    }
    default:
      return { result: '0x0' }
  }
}

beforeEach(async () => {
  height += 100
  mined = undefined
  node = await startRpcServer()
  node.react({ do: 'answer', each: reply })
})
afterEach(async () => {
  await network[Symbol.asyncDispose]()
  await node[Symbol.asyncDispose]()
})

function open(overrides: Partial<NetworkOptions> = {}): void {
  chainId = overrides.chainId ?? 31_337
  network = networkOver([node.url], { clock: clockOfBlocks, ...overrides })
}

async function marketNow(inquiry: Partial<Inquiry> = {}): Promise<Market> {
  const { market } = await network.chain.observe(inquiryOf(sender.address, { market: true, ...inquiry }))
  if (!market) throw new Error('no market')
  return market
}

const outside = ({ tips, paidTips }: Market) => (paidTips ?? tips).average

test('a block of our own that is on record is no price of the chain', async () => {
  open()
  prices = { baseFee: gwei, paid: [2n * gwei, undefined, 40n * gwei, 40n * gwei], suggestion: gwei }
  const market = await marketNow({ inclusionBlocks: [height - 1, height] })
  expect(market.tips.average).toBeGreaterThan(2n * gwei)
  expect(outside(market)).toBe(2n * gwei)
})

test('a transaction that is found in the newest block counts for the price of the same reading', async () => {
  open()
  prices = { baseFee: gwei, paid: [undefined, undefined, undefined, 40n * gwei], suggestion: gwei }
  const hash = hashOf(7)
  mined = hash
  const live = [{ nonce: 0, attempts: [{ hash, kind: 'execute' as const }] }]
  // Blocks of others paid nothing, so the node's suggestion counts.
  expect(outside(await marketNow({ live }))).toBe((11n * gwei) / 10n)
})

test('where each block is our own the suggestion is read again soon', async () => {
  open()
  prices = { baseFee: gwei, paid: [2n * gwei, 2n * gwei], suggestion: gwei }
  for (let blocks = 0; blocks < 11; blocks += 1, height += 1) {
    await marketNow({ inclusionBlocks: [height - 1, height] })
  }
  expect(network.count('eth_maxPriorityFeePerGas')).toBe(3)
})

test("without a base fee the price is what recent blocks of others paid, and the node's own where they paid nothing", async () => {
  open()
  prices = { paid: [3n * gwei, 5n * gwei, 40n * gwei], suggestion: 0n, gasPrice: 20n * gwei }
  const market = await marketNow({ inclusionBlocks: [height] })
  expect(market.baseFee).toBeUndefined()
  expect(outside(market)).toBe(5n * gwei)
  height += 1
  prices = { ...prices, paid: [undefined, 0n] }
  expect(outside(await marketNow())).toBe(22n * gwei)
})

test('a node without a history of prices is called for it once, and its price counts', async () => {
  open()
  prices = { paid: [], suggestion: 0n, gasPrice: 20n * gwei, hasHistory: false }
  for (let blocks = 0; blocks < 5; blocks += 1, height += 1) expect(outside(await marketNow())).toBe(22n * gwei)
  expect(network.count('eth_feeHistory')).toBe(1)
})

test("the only endpoint's first reading counts up to a small price, and whole after a minute", async () => {
  let passedMs = 0
  const clock = { ...systemClock, elapsed: () => systemClock.elapsed() + passedMs }
  open({ chainId: 1, clock })
  prices = { baseFee: gwei, paid: [50n * gwei], suggestion: gwei }
  const tips: bigint[] = []
  for (; tips.length < 3; height += 1, passedMs += 30_000) tips.push((await marketNow()).tips.fast)
  expect(tips).toEqual([3n * gwei, 3n * gwei, 50n * gwei])
})

test('a small price counts whole from the first reading on', async () => {
  open({ chainId: 1 })
  prices = { baseFee: gwei, paid: [2n * gwei], suggestion: gwei }
  expect((await marketNow()).tips.fast).toBe(2n * gwei)
})

test("of two endpoints' first readings the lower is believed", async () => {
  prices = { baseFee: gwei, paid: [5n * gwei], suggestion: gwei }
  await using liar = await startRpcServer()
  const paid = [lie]
  liar.react({
    do: 'answer',
    each: (call) => (call.method === 'eth_feeHistory' ? { result: history({ ...prices, paid }) } : reply(call)),
  })
  chainId = 1
  network = networkOver([liar.url, node.url], { chainId })
  // Three times twice what the honest one reports.
  expect((await marketNow()).tips.fast).toBeLessThanOrEqual(30n * gwei)
})
