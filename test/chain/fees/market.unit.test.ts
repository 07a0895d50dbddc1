// What a network's prices are made of: what blocks paid, what a node suggests, what a pool refuses less than, and nothing
// where gas is free.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Market } from '../../../src/domain/fees.ts'
import { systemClock } from '../../../src/ops/clock.ts'
import { devAccount } from '../../../tooling/dev-accounts.ts'
import { type RpcCall, type RpcReply, type RpcServer, startRpcServer } from '../../../tooling/rpc-server.ts'
import { inquiryOf, type NetworkUnderTest, networkOver, signedBy } from '../network-under-test.ts'

const gwei = 1_000_000_000n
const hex = (wei: bigint | number) => `0x${wei.toString(16)}`
const sender = devAccount(0)

interface Prices {
  readonly baseFee: bigint
  /** Of each of the last ten blocks. */
  readonly ratios: readonly number[]
  readonly reward: bigint
  readonly suggestion?: bigint
  readonly refusal?: string
}

const busy: Prices = { baseFee: gwei, ratios: [0.5, 0.5], reward: 2n * gwei, suggestion: 7n * gwei }
const quiet: Prices = { baseFee: gwei, ratios: [0, 0], reward: 0n, suggestion: 1_000_000n }

let node: RpcServer
let network: NetworkUnderTest
let height = 100
/** Blocks of 12 s. */
const clock = { ...systemClock, elapsed: () => systemClock.elapsed() + height * 12_000 }
let prices: Prices = busy

function reply({ method, params }: RpcCall): RpcReply {
  switch (method) {
    case 'eth_chainId':
      return { result: hex(31_337) }
    case 'eth_getBlockByNumber':
      return {
        result: {
          number: hex(height),
          hash: `0x${height.toString(16).padStart(64, '0')}`,
          parentHash: `0x${(height - 1).toString(16).padStart(64, '0')}`,
          timestamp: hex(1_700_000_000 + height),
          baseFeePerGas: hex(prices.baseFee),
        },
      }
    case 'eth_feeHistory':
      return {
        result: {
          baseFeePerGas: [...prices.ratios.map(() => hex(prices.baseFee)), hex(prices.baseFee)],
          gasUsedRatio: prices.ratios,
          reward: prices.ratios.map(() => (params[2] as number[]).map(() => hex(prices.reward))),
        },
      }
    case 'eth_maxPriorityFeePerGas':
      return prices.suggestion === undefined
        ? { error: { code: -32601, message: 'the method does not exist' } }
        : { result: hex(prices.suggestion) }
    case 'eth_sendRawTransaction':
      return { error: { code: -32000, message: prices.refusal ?? 'already known' } }
    default:
      return { result: '0x0' }
  }
}

beforeAll(async () => {
  node = await startRpcServer()
  node.react({ do: 'answer', each: reply })
})
afterAll(() => node?.[Symbol.asyncDispose]())
beforeEach(async () => {
  height += 100
  await network?.[Symbol.asyncDispose]()
  network = networkOver([node.url], { clock })
})

async function marketNow(waitedBlocks?: number): Promise<Market> {
  const since = { block: height - (waitedBlocks ?? 0), ms: clock.now() - (waitedBlocks ?? 0) * 12_000 }
  const live = waitedBlocks === undefined ? [] : [{ nonce: 0, attempts: [], unspentAt: since }]
  const { market } = await network.chain.observe(inquiryOf(sender.address, { market: true, live }))
  if (!market) throw new Error('no market')
  return market
}

test('what blocks paid counts, whatever a node suggests', async () => {
  prices = busy
  expect(await marketNow()).toMatchObject({
    tips: { safeLow: 2n * gwei, fastest: 2n * gwei },
    suggestedTip: 7n * gwei,
    blocks: { areUsed: true, haveRoom: true },
  })
})

test('where blocks are empty the suggestion counts, more for more speed', async () => {
  prices = { ...quiet, suggestion: 30n * gwei }
  expect(await marketNow()).toMatchObject({
    tips: { safeLow: 30n * gwei, average: 33n * gwei, fastest: 45n * gwei },
    blocks: { areUsed: false, haveRoom: true },
  })
})

test('the price is remembered from observations, and follows a later head without a reading of the market', async () => {
  prices = busy
  expect(network.chain.price()).toBeUndefined()
  await marketNow()
  const first = { perGas: 3n * gwei, block: height, readAt: expect.any(Number) }
  expect(network.chain.price()).toEqual(first)
  prices = { ...busy, baseFee: 20n * gwei }
  await network.chain.observe(inquiryOf(sender.address))
  // The reading at this block already had the base fee of the next one.
  expect(network.chain.price()).toEqual(first)
  height += 1
  await network.chain.observe(inquiryOf(sender.address))
  network.forget()
  expect(network.chain.price()).toEqual({ perGas: 22n * gwei, block: height, readAt: expect.any(Number) })
  expect(network.calls).toEqual([])
})

test('full blocks have no room', async () => {
  prices = { ...busy, ratios: [1, 0.99] }
  expect((await marketNow()).blocks).toEqual({ areUsed: true, haveRoom: false })
})

test('a suggestion is read once in fifty blocks, and soon where the next nonce is not mined', async () => {
  prices = quiet
  const requested = () => network.count('eth_maxPriorityFeePerGas')
  await marketNow()
  for (let block = 0; block < 49; block += 1) {
    height += 1
    await marketNow(1)
  }
  expect(requested()).toBe(1)
  height += 1
  await marketNow()
  expect(requested()).toBe(2)
  height += 5
  await marketNow(5)
  expect(requested()).toBe(3)
})

test.each([
  ['geth', 'transaction gas price below minimum: gas tip cap 1000000, minimum needed 25000000000'],
  ['geth 1.13', 'transaction underpriced: tip needed 25000000000, tip permitted 1000000'],
])('a minimum that %s names is the least that any speed offers from then on', async (_, refusal) => {
  prices = { ...quiet, refusal }
  expect((await marketNow()).tips.fastest).toBe(3_000_000n)
  await network.chain.broadcast([await signedBy(sender.key, { nonce: 0 })])
  const { tips, baseFee = 0n, gasPrice } = await marketNow()
  expect(tips).toEqual({ safeLow: 25n * gwei, average: 25n * gwei, fast: 25n * gwei, fastest: 25n * gwei })
  expect(gasPrice).toBe(baseFee + 25n * gwei)
})

test('an error that names a number for another reason teaches nothing', async () => {
  prices = { ...quiet, refusal: 'intrinsic gas too low: gas 20000, minimum needed 21000' }
  await network.chain.broadcast([await signedBy(sender.key, { nonce: 0 })])
  expect((await marketNow()).tips.safeLow).toBe(1_000_000n)
})

test('where nobody pays and no node demands a tip, gas is free', async () => {
  prices = { baseFee: 0n, ratios: [0.5, 0], reward: 0n, suggestion: 0n }
  expect(await marketNow()).toMatchObject({
    baseFee: 0n,
    gasPrice: 0n,
    tips: { safeLow: 0n, average: 0n, fast: 0n, fastest: 0n },
  })
})

test('a base fee of zero alone makes no gas free: a node demands a tip', async () => {
  prices = { baseFee: 0n, ratios: [0, 0], reward: 0n, suggestion: gwei }
  expect((await marketNow()).tips.safeLow).toBe(gwei)
})

test.each([true, false])('a node prices a head of another only if it has that block: %s', async (isKnown) => {
  prices = busy
  const error = { code: -32000, message: 'not now' }
  const isPrice = (method: string) => method === 'eth_feeHistory' || method === 'eth_gasPrice'
  node.react({ do: 'answer', each: (call) => (isPrice(call.method) ? { error } : reply(call)) })
  const other = await startRpcServer()
  other.react({
    do: 'answer',
    each: (call) => {
      if (call.method === 'eth_feeHistory' || call.params[0] === 'latest') return { error }
      if (call.method === 'eth_gasPrice') return { result: hex(100n * gwei) }
      return call.method === 'eth_getBlockByNumber' && !isKnown ? { result: null } : reply(call)
    },
  })
  try {
    await using both = networkOver([node.url, other.url])
    const { market } = await both.chain.observe(inquiryOf(sender.address, { market: true }))
    expect(market?.gasPrice).toBe(isKnown ? 100n * gwei : undefined)
    if (!isKnown) expect(market?.suggestedTip).toBeUndefined()
  } finally {
    node.react({ do: 'answer', each: reply })
    await other[Symbol.asyncDispose]()
  }
})

test.each([
  ['short blocks', 200, 100],
  ['blocks of 400 ms', 400, 50],
  ['blocks that come faster than that', 50, 100],
  ['long blocks', 12_000, 10],
])('prices follow 20 s of %s, in one call a block', async (_, blocktimeMs, blocks) => {
  await network[Symbol.asyncDispose]()
  const first = height
  network = networkOver([node.url], { clock: { ...systemClock, elapsed: () => (height - first) * blocktimeMs } })
  const requested: unknown[] = []
  node.react({
    do: 'answer',
    each(call) {
      if (call.method !== 'eth_feeHistory') return reply(call)
      requested.push(Number(call.params[0]))
      const { result } = reply(call) as { readonly result: object }
      return { result: { ...result, oldestBlock: hex(height - prices.ratios.length + 1) } }
    },
  })
  const step = Math.max(1, Math.ceil(600 / blocktimeMs))
  let looks = 0
  for (; height - first < 40 * step; height += step, looks += 1) await marketNow()
  node.react({ do: 'answer', each: reply })
  expect(requested).toHaveLength(looks)
  expect([requested[0], requested.at(-1)]).toEqual([10, blocks])
})
