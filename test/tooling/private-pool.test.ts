// The private pool of an OP-like sequencer follows the rules of op-geth's pool, and preconfirms what may still vanish.
import { encodeFunctionData, type Hex, parseAbi, size } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../tooling/client.ts'
import { devAccount } from '../../tooling/dev-accounts.ts'
import { balanceOf, nonceOf } from '../../tooling/ledger.ts'
import { oracleAddress } from '../../tooling/rollups/gas-price-oracle.ts'
import { type PrivatePool, startPrivatePool } from '../../tooling/rollups/private-pool.ts'

const gwei = 1_000_000_000n
const to: Hex = '0x00000000000000000000000000000000000000A1'
const l1WeiPerByte = 100_000_000n

let chain: PrivatePool
beforeAll(async () => {
  chain = await startPrivatePool({ l1WeiPerByte })
})
afterAll(() => chain?.[Symbol.asyncDispose]())

interface Over {
  readonly gas?: bigint
  readonly maxFeePerGas?: bigint
  readonly maxPriorityFeePerGas?: bigint
  readonly value?: bigint
}

function sign(index: number, nonce: number, over: Over = {}) {
  return privateKeyToAccount(devAccount(index).key).signTransaction({
    ...{ type: 'eip1559', chainId: 31_337, nonce, to, value: 1n, gas: 21_000n },
    ...{ maxFeePerGas: gwei, maxPriorityFeePerGas: 1_000_000n },
    ...over,
  })
}

interface Receipt {
  readonly blockNumber: Hex
  readonly blockHash: Hex
  readonly status: Hex
  readonly gasUsed: Hex
  readonly effectiveGasPrice: Hex
  readonly l1Fee: Hex
}

const send = (raw: Hex) => chain.rpc<Hex>('eth_sendRawTransaction', [raw])
const receiptOf = (hash: Hex) => chain.rpc<Receipt | null>('eth_getTransactionReceipt', [hash])

test('what waits is nobody’s to see', async () => {
  const hash = await send(await sign(0, 0))
  expect(await chain.rpc('eth_getTransactionByHash', [hash])).toBeNull()
  expect(await receiptOf(hash)).toBeNull()
  expect(await chain.rpc('eth_getTransactionCount', [devAccount(0).address, 'pending'])).toBe('0x0')
  await expect(chain.rpc('txpool_content')).rejects.toThrow('does not exist/is not available (-32601)')
  expect(chain.pooled().map(({ nonce }) => nonce)).toEqual([0])
})

test('a replacement needs 10 % more of both fees', async () => {
  const first = { maxFeePerGas: 1_000n * gwei, maxPriorityFeePerGas: 10n }
  await send(await sign(1, 0, first))
  const words = 'replacement transaction underpriced (-32000)'
  for (const over of [
    { maxFeePerGas: 1_100n * gwei, maxPriorityFeePerGas: 10n },
    { maxFeePerGas: 1_099n * gwei, maxPriorityFeePerGas: 11n },
    { maxFeePerGas: 1_000n * gwei, maxPriorityFeePerGas: 11n, value: 2n },
  ]) {
    await expect(sign(1, 0, over).then(send)).rejects.toThrow(words)
  }
  await expect(sign(1, 0, first).then(send)).rejects.toThrow('already known')
  await send(await sign(1, 0, { maxFeePerGas: 1_100n * gwei, maxPriorityFeePerGas: 11n, value: 3n }))
  expect(chain.pooled().find(({ from }) => from === devAccount(1).address)?.value).toBe(3n)
})

test('a used nonce, too much gas and too little money are refused in geth’s words', async () => {
  await chain.mine()
  await expect(sign(1, 0).then(send)).rejects.toThrow('nonce too low: next nonce 1, tx nonce 0')
  await expect(sign(2, 0, { gas: 2n ** 24n + 1n }).then(send)).rejects.toThrow('transaction gas limit too high')
  const raw = await sign(2, 0, { value: 10n ** 23n })
  const cost = 10n ** 23n + 21_000n * gwei + BigInt(size(raw)) * l1WeiPerByte
  await expect(send(raw)).rejects.toThrow(
    `insufficient funds for gas * price + value: balance ${10n ** 22n}, tx cost ${cost}, overshot ${cost - 10n ** 22n}`,
  )
})

test('a flashblock preconfirms: a receipt in a block that is not there, whose hash changes', async () => {
  const { address } = devAccount(3)
  const hash = await send(await sign(3, 0))
  await chain.flash()
  const head = Number(await chain.rpc('eth_blockNumber'))
  const early = await receiptOf(hash)
  expect(early).toMatchObject({ status: '0x1', gasUsed: '0x5208' })
  expect(Number(early?.blockNumber)).toBe(head + 1)
  expect(await chain.rpc('eth_getBlockByNumber', [early?.blockNumber, false])).toBeNull()
  expect(await chain.rpc('eth_getBlockByHash', [early?.blockHash, false])).toBeNull()
  expect(await chain.rpc('eth_getTransactionByHash', [hash])).toMatchObject({ hash, nonce: '0x0' })
  expect(await chain.rpc('eth_getTransactionCount', [address, 'pending'])).toBe('0x1')
  expect(await chain.rpc('eth_getTransactionCount', [address, 'latest'])).toBe('0x0')
  expect(await chain.rpc('eth_getBlockByNumber', ['pending', false])).toMatchObject({
    hash: early?.blockHash,
    transactions: [hash],
  })
  await chain.flash()
  const later = await receiptOf(hash)
  expect(later?.blockHash).not.toBe(early?.blockHash)
  await chain.mine()
  const mined = await receiptOf(hash)
  expect(mined).toMatchObject({ blockNumber: early?.blockNumber, effectiveGasPrice: early?.effectiveGasPrice })
  expect(await chain.rpc('eth_getBlockByHash', [mined?.blockHash, false])).not.toBeNull()
})

test('what is preconfirmed is mined, though the pool has taken a replacement of it', async () => {
  const hash = await send(await sign(3, 1))
  await chain.flash()
  const replacement = await send(await sign(3, 1, { maxFeePerGas: 2n * gwei, maxPriorityFeePerGas: gwei }))
  await chain.flash()
  await chain.mine()
  expect(await receiptOf(hash)).toMatchObject({ status: '0x1' })
  expect(await receiptOf(replacement)).toBeNull()
  expect(chain.pooled().filter(({ from }) => from === devAccount(3).address)).toEqual([])
})

test('a preconfirmation vanishes: the transaction waits again, its replacement is mined, or it is lost', async () => {
  const hash = await send(await sign(4, 0))
  await chain.flash()
  await chain.vanish('waits')
  expect(await receiptOf(hash)).toBeNull()
  const replacement = await send(await sign(4, 0, { maxFeePerGas: 2n * gwei, maxPriorityFeePerGas: gwei }))
  await chain.mine()
  expect(await receiptOf(replacement)).toMatchObject({ status: '0x1' })
  expect(await receiptOf(hash)).toBeNull()

  const lost = await send(await sign(4, 1))
  await chain.flash()
  await chain.vanish('lost')
  await chain.mine()
  expect(await receiptOf(lost)).toBeNull()
  expect(await nonceOf(chain, devAccount(4).address)).toBe(1)
})

test('the sender pays the L1 fee beside the gas, as the receipt says', async () => {
  const { address } = devAccount(5)
  const raw = await sign(5, 0, { value: 7n })
  const hash = await send(raw)
  await chain.mine()
  const receipt = await receiptOf(hash)
  if (!receipt) throw new Error('it was not mined')
  expect(BigInt(receipt.l1Fee)).toBe(BigInt(size(raw)) * l1WeiPerByte)
  const paid = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice) + BigInt(receipt.l1Fee)
  expect(await balanceOf(chain, address)).toBe(10n ** 22n - 7n - paid)
})

test('the oracle answers for bytes and for a size, at the price of now', async () => {
  const abi = parseAbi([
    'function getL1Fee(bytes data) view returns (uint256)',
    'function getL1FeeUpperBound(uint256 size) view returns (uint256)',
  ])
  const ask = async (data: Hex) => BigInt(await chain.rpc<Hex>('eth_call', [{ to: oracleAddress, data }, 'latest']))
  const ofBytes = encodeFunctionData({ abi, functionName: 'getL1Fee', args: [`0x${'ab'.repeat(100)}`] })
  const ofSize = encodeFunctionData({ abi, functionName: 'getL1FeeUpperBound', args: [442n] })
  expect(await ask(ofBytes)).toBe(168n * l1WeiPerByte)
  expect(await ask(ofSize)).toBe((510n + 2n + 16n) * l1WeiPerByte)
  await chain.setL1WeiPerByte(3n)
  expect(await ask(ofBytes)).toBe(504n)
  await chain.setL1WeiPerByte(l1WeiPerByte)
})

test('a price below the base fee waits for a lower one', async () => {
  const hash = await send(await sign(6, 0, { maxFeePerGas: 1_000n, maxPriorityFeePerGas: 1n }))
  await chain.mine(2)
  expect(await receiptOf(hash)).toBeNull()
  await chain.anvil.rpc('anvil_setNextBlockBaseFeePerGas', ['0x1'])
  await chain.mine()
  expect(await receiptOf(hash)).toMatchObject({ status: '0x1' })
})

test('by itself: a receipt after a flashblock, and a block after some of them', async () => {
  await using flashing = await startPrivatePool({ flashMs: 50, preconfirmedHash: 'zero' })
  const hash = await flashing.rpc<Hex>('eth_sendRawTransaction', [await sign(0, 0)])
  const seen = async () => (await flashing.rpc<Receipt | null>('eth_getTransactionReceipt', [hash])) ?? undefined
  expect((await until(seen, { what: 'a receipt' })).blockHash).toBe(`0x${'00'.repeat(32)}`)

  await using mining = await startPrivatePool({ blockMs: 100 })
  await mining.rpc<Hex>('eth_sendRawTransaction', [await sign(0, 0)])
  await until(async () => (await nonceOf(mining, devAccount(0).address)) === 1, { what: 'a block' })
})
