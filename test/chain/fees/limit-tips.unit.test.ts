// What one reading of prices may cost: a tip far above the believed one counts in part, and so does a base fee that no header shows.
import { afterEach, expect, test } from 'vitest'
import { limited, limitedMinimum, smallPriceOf, tipLimit } from '../../../src/chain/fees/limit-tips.ts'
import { devAccount } from '../../../tooling/dev-accounts.ts'
import { type RpcCall, type RpcReply, type RpcServer, startRpcServer } from '../../../tooling/rpc-server.ts'
import { inquiryOf, type NetworkUnderTest, networkOver } from '../network-under-test.ts'

const gwei = 1_000_000_000n
const hex = (wei: bigint | number) => `0x${wei.toString(16)}`
const lie = 10n ** 15n

test('the limit is three times the believed tip, four times the tip floor, or a price that is too small to matter', () => {
  const smallPrice = smallPriceOf('public')
  expect(tipLimit({ believed: 50n * gwei, tipFloor: 3n * gwei, smallPrice })).toBe(150n * gwei)
  expect(tipLimit({ believed: gwei, tipFloor: 3n * gwei, smallPrice })).toBe(12n * gwei)
  expect(tipLimit({ believed: 0n, tipFloor: undefined, smallPrice })).toBe(3n * gwei)
  expect(tipLimit({ believed: 0n, tipFloor: undefined, smallPrice: smallPriceOf('private') })).toBe(gwei / 10n)
})

test("a pool's own minimum counts up to 100 gwei, or up to the limit", () => {
  expect(limitedMinimum(25n * gwei, 12n * gwei)).toBe(25n * gwei)
  expect(limitedMinimum(lie, 12n * gwei)).toBe(100n * gwei)
  expect(limitedMinimum(lie, 150n * gwei)).toBe(150n * gwei)
})

test('no tip, price or suggestion of a reading exceeds the limit', () => {
  const tips = { safeLow: gwei, average: 5n * gwei, fast: lie, fastest: lie }
  expect(limited({ baseFee: 7n * gwei, tips, gasPrice: lie, suggestedTip: lie }, 12n * gwei)).toEqual({
    baseFee: 7n * gwei,
    tips: { safeLow: gwei, average: 5n * gwei, fast: 12n * gwei, fastest: 12n * gwei },
    gasPrice: 19n * gwei,
    suggestedTip: 12n * gwei,
  })
})

let node: RpcServer | undefined
let network: NetworkUnderTest | undefined
afterEach(async () => {
  await network?.[Symbol.asyncDispose]()
  await node?.[Symbol.asyncDispose]()
})

test("a next base fee that the header does not explain is the header's and an eighth", async () => {
  const header = {
    ...{ number: hex(100), hash: hex(100n + (1n << 255n)), parentHash: hex(99n + (1n << 255n)) },
    ...{ timestamp: hex(1_700_000_100), baseFeePerGas: hex(8n * gwei) },
  }
  const history = { oldestBlock: hex(100), baseFeePerGas: [hex(8n * gwei), hex(lie)], gasUsedRatio: [0.5], reward: [] }
  const replies: Readonly<Record<string, unknown>> = {
    ...{ eth_chainId: hex(31_337), eth_getBlockByNumber: header, eth_maxPriorityFeePerGas: hex(gwei) },
    eth_feeHistory: { ...history, reward: [[1, 1, 1, 1].map(() => hex(gwei))] },
  }
  const reply = ({ method }: RpcCall): RpcReply => ({ result: replies[method] ?? '0x0' })
  node = await startRpcServer()
  node.react({ do: 'answer', each: reply })
  network = networkOver([node.url])
  const { market } = await network.chain.observe(inquiryOf(devAccount(0).address, { market: true }))
  expect(market?.baseFee).toBe((8n * gwei * 113n) / 100n)
})
