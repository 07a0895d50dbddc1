// The Nitro-like sequencer follows Nitro's rules, in Nitro's words.
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { until } from '../../tooling/client.ts'
import { devAccount } from '../../tooling/dev-accounts.ts'
import { balanceOf, nonceOf } from '../../tooling/ledger.ts'
import { type NitroSequencer, startNitroSequencer } from '../../tooling/rollups/nitro-sequencer.ts'

const gwei = 1_000_000_000n
const to: Hex = '0x00000000000000000000000000000000000000A1'
const l1WeiPerByte = 500_000_000n

let nitro: NitroSequencer
beforeAll(async () => {
  nitro = await startNitroSequencer({ blockMsMin: 0, keepsFutureNonceMs: 300, l1WeiPerByte })
})
beforeEach(() => nitro.l1Gas.price(l1WeiPerByte))
afterAll(() => nitro?.[Symbol.asyncDispose]())

function sign(index: number, nonce: number, over: { gas?: bigint; maxFeePerGas?: bigint; value?: bigint } = {}) {
  return privateKeyToAccount(devAccount(index).key).signTransaction({
    ...{ type: 'eip1559', chainId: 31_337, nonce, to, value: 1n, gas: 40_000n, maxFeePerGas: gwei },
    maxPriorityFeePerGas: 0n,
    ...over,
  })
}

const send = (raw: Hex) => nitro.rpc<Hex>('eth_sendRawTransaction', [raw])

interface Receipt {
  readonly status: Hex
  readonly gasUsed: Hex
  readonly gasUsedForL1: Hex
  readonly effectiveGasPrice: Hex
  readonly l1BlockNumber: Hex
  readonly blockNumber: Hex
}

test('a transaction is mined when its send is answered', async () => {
  const hash = await send(await sign(0, 0))
  expect(await nitro.rpc<Receipt>('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' })
  expect(await nonceOf(nitro, devAccount(0).address)).toBe(1)
  const pending = await nitro.rpc<Hex>('eth_getTransactionCount', [devAccount(0).address, 'pending'])
  expect(Number(pending)).toBe(1)
})

test('no second transaction takes a used nonce, at whatever price', async () => {
  const { address } = devAccount(0)
  const words = `nonce too low: address ${address}, tx: 0 state: 1`
  await expect(sign(0, 0, { maxFeePerGas: 900n * gwei }).then(send)).rejects.toThrow(words)
  await expect(sign(0, 0).then(send)).rejects.toThrow(words)
})

test('a future nonce is kept for a while and then refused', async () => {
  const { address } = devAccount(1)
  const words = `nonce too high: address ${address}, tx: 2 state: 0`
  await expect(sign(1, 2).then(send)).rejects.toThrow(words)
  expect(await nonceOf(nitro, address)).toBe(0)
})

test('a future nonce is ordered right after the one before it; a second one with it is refused', async () => {
  // It keeps a nonce longer than this test may take, on whatever machine.
  await using patient = await startNitroSequencer({ blockMsMin: 0, keepsFutureNonceMs: 600_000, l1WeiPerByte })
  const give = (raw: Hex) => patient.rpc<Hex>('eth_sendRawTransaction', [raw])
  const { address } = devAccount(2)
  const [first, second, other] = [await sign(2, 0), await sign(2, 1), await sign(2, 1, { value: 2n })]
  const later = give(second)
  await until(() => patient.waiting().includes(1), { what: 'a nonce that waits' })
  await expect(give(other)).rejects.toThrow(`nonce too high: address ${address}, tx: 1 state: 0`)
  await give(first)
  await later
  expect(await nonceOf(patient, address)).toBe(2)
})

test('calls of a batch come one after the other: what is out of order is refused', async () => {
  const raws = [await sign(3, 1), await sign(3, 0)]
  const calls = raws.map((raw, id) => ({ jsonrpc: '2.0', id, method: 'eth_sendRawTransaction', params: [raw] }))
  const answer = await fetch(nitro.url, { method: 'POST', body: JSON.stringify(calls) })
  const [early, late] = (await answer.json()) as { error?: { message: string }; result?: Hex }[]
  expect(early?.error?.message).toContain('nonce too high')
  expect(late?.result).toMatch(/^0x/)
})

test('gas covers L1, too: what does not is refused, and an estimate does, as of its time', async () => {
  const request = { from: devAccount(4).address, to: devAccount(4).address, value: '0x0' }
  const estimate = async () => Number(await nitro.rpc<Hex>('eth_estimateGas', [request]))
  const before = await estimate()
  expect(before).toBeGreaterThan(26_000)
  await expect(sign(4, 0, { gas: 21_000n }).then(send)).rejects.toThrow('intrinsic gas too low (-32000)')
  nitro.l1Gas.price(4n * l1WeiPerByte)
  await expect(sign(4, 0, { gas: BigInt(before) }).then(send)).rejects.toThrow('intrinsic gas too low')
  expect(await estimate()).toBeGreaterThan(40_000)
  nitro.l1Gas.price(l1WeiPerByte)
  await sign(4, 0, { gas: BigInt(before) }).then(send)
})

test('the sender pays the base fee and no tip, for gas and for L1, as the receipt says', async () => {
  const { address } = devAccount(5)
  const before = await balanceOf(nitro, address)
  const raw = await privateKeyToAccount(devAccount(5).key).signTransaction({
    ...{ type: 'eip1559', chainId: 31_337, nonce: 0, to, value: 7n, gas: 50_000n },
    ...{ maxFeePerGas: gwei, maxPriorityFeePerGas: gwei },
  })
  const receipt = await nitro.rpc<Receipt>('eth_getTransactionReceipt', [await send(raw)])
  expect(BigInt(receipt.effectiveGasPrice)).toBe(10_000_000n)
  expect(Number(receipt.gasUsedForL1)).toBeGreaterThan(5_000)
  expect(Number(receipt.gasUsed)).toBe(21_000 + Number(receipt.gasUsedForL1))
  expect(Number(receipt.l1BlockNumber)).toBeGreaterThan(0)
  const paid = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)
  expect(before - (await balanceOf(nitro, address))).toBe(7n + paid)
  await nitro.mine()
  const at = await nitro.rpc<Hex>('eth_getBalance', [address, receipt.blockNumber])
  expect(before - BigInt(at), 'as of its block, too').toBe(7n + paid)
  const block = await nitro.rpc<{ gasUsed: Hex; l1BlockNumber: Hex }>('eth_getBlockByNumber', [
    receipt.blockNumber,
    false,
  ])
  expect(block).toMatchObject({ gasUsed: receipt.gasUsed, l1BlockNumber: receipt.l1BlockNumber })
})

test('the base fee stays as it is; a lower price, or too little money, is refused', async () => {
  const { address } = devAccount(6)
  await expect(sign(6, 0, { maxFeePerGas: 1n }).then(send)).rejects.toThrow(
    `max fee per gas less than block base fee: address ${address}, maxFeePerGas: 1 baseFee: 10000000`,
  )
  const value = 10n ** 23n
  const want = value + 40_000n * gwei
  await expect(sign(6, 0, { value }).then(send)).rejects.toThrow(
    `insufficient funds for gas * price + value: address ${address} have ${10n ** 22n} want ${want}`,
  )
  await nitro.mine(3)
  const readHistory = () =>
    nitro.rpc<{ baseFeePerGas: Hex[]; reward: Hex[][] }>('eth_feeHistory', ['0x3', 'latest', [50]])
  // anvil adds a block to its history of fees a moment after the block (its FeeHistoryService follows the stream of blocks).
  await until(async () => (await readHistory()).reward.length === 3, { what: 'the history of three blocks' })
  const history = await readHistory()
  expect(history.baseFeePerGas.map(BigInt)).toEqual([10_000_000n, 10_000_000n, 10_000_000n, 10_000_000n])
  expect(history.reward).toEqual([['0x0'], ['0x0'], ['0x0']])
  expect(await nitro.rpc('eth_maxPriorityFeePerGas')).toBe('0x0')
})

test('there is no pool to look into', async () => {
  await expect(nitro.rpc('txpool_content')).rejects.toThrow('does not exist/is not available (-32601)')
})

test('a lost answer: sequenced all the same. A lost send: not. A refused one: in the words that the test chose', async () => {
  const { address } = devAccount(7)
  const raw = await sign(7, 0)
  nitro.faults.next('lost', { refuse: 'sequencer temporarily not available' }, 'answerLost')
  await expect(send(raw)).rejects.toThrow('fetch failed')
  await expect(send(raw)).rejects.toThrow('sequencer temporarily not available')
  expect(await nonceOf(nitro, address)).toBe(0)
  await expect(send(raw)).rejects.toThrow('fetch failed')
  expect(await nonceOf(nitro, address)).toBe(1)
})

test('a condition that is not met keeps a transaction out', async () => {
  const conditionally = async (timestampMax: number) =>
    nitro.rpc('eth_sendRawTransactionConditional', [await sign(8, 0), { timestampMax }])
  await expect(conditionally(1)).rejects.toThrow('TimestampMax condition not met (-32003)')
  await conditionally(4_000_000_000)
  expect(await nonceOf(nitro, devAccount(8).address)).toBe(1)
})

test('safe and finalized follow the head as far behind as the test says, stop, and are unknown', async () => {
  const at = async (tag: string) => {
    const block = await nitro.rpc<{ number: Hex }>('eth_getBlockByNumber', [tag, false])
    return Number(block.number)
  }
  nitro.tags.lag('safe', 1)
  nitro.tags.lag('finalized', 3)
  await nitro.mine(4)
  const head = await at('latest')
  expect([await at('safe'), await at('finalized')]).toEqual([head - 1, head - 3])
  await nitro.tags.stop('finalized')
  await nitro.mine(2)
  expect([await at('safe'), await at('finalized')]).toEqual([head + 1, head - 3])
  nitro.tags.lag('finalized', 20)
  expect(await at('finalized'), 'never back').toBe(head - 3)
  nitro.tags.forget('finalized')
  await expect(at('finalized')).rejects.toThrow('finalized block not found (-39001)')
})

test('blocks have a least distance: what arrives meanwhile shares one', async () => {
  await using slow = await startNitroSequencer({ blockMsMin: 400 })
  const raws = [await sign(0, 0), await sign(1, 0), await sign(2, 0)]
  const hashes = await Promise.all(raws.map((raw) => slow.rpc<Hex>('eth_sendRawTransaction', [raw])))
  const receipts = await Promise.all(hashes.map((hash) => slow.rpc<Receipt>('eth_getTransactionReceipt', [hash])))
  expect(receipts.map(({ blockNumber }) => Number(blockNumber)).sort()).toEqual([1, 2, 2])
})
