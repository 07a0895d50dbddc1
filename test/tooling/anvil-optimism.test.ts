// Where anvil's Optimism differs from its Ethereum, and from an OP chain: what tests on it can and cannot show.
import type { Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Anvil, devAccount, startAnvil } from '../../tooling/anvil.ts'
import { balanceOf, nonceOf } from '../../tooling/ledger.ts'
import { type Deposit, depositFromL1 } from '../../tooling/rollups/deposits.ts'

let anvil: Anvil
beforeAll(async () => {
  anvil = await startAnvil({ mining: 'manual', network: 'optimism' })
})
afterAll(() => anvil?.[Symbol.asyncDispose]())

const to = devAccount(9).address

interface Receipt {
  readonly gasUsed: Hex
  readonly effectiveGasPrice: Hex
}

async function mined(hash: Hex) {
  await anvil.mine()
  const receipt = await anvil.rpc<Receipt>('eth_getTransactionReceipt', [hash])
  return { receipt, transaction: await anvil.rpc<Record<string, Hex>>('eth_getTransactionByHash', [hash]) }
}

const deposit = (index: number, over: Partial<Deposit> = {}) =>
  depositFromL1(anvil, { from: devAccount(index).address, to, value: 3n, ...over })

test('a deposit is unsigned, free, mints, and takes its sender’s nonce', async () => {
  const { address } = devAccount(0)
  const { receipt, transaction } = await mined(await deposit(0, { mint: 5n }))
  expect(receipt).toMatchObject({ type: '0x7E', status: '0x1', effectiveGasPrice: '0x0' })
  expect(transaction).toMatchObject({ type: '0x7e', r: `0x${'00'.repeat(32)}`, mint: '0x5' })
  expect(transaction).not.toHaveProperty('maxFeePerGas')
  expect(await nonceOf(anvil, address)).toBe(1)
  expect(await balanceOf(anvil, address)).toBe(10n ** 22n + 2n)
})

test('unlike op-geth: a deposit is shown with nonce 0, and its receipt with the nonce after it', async () => {
  await mined(await anvil.rpc<Hex>('eth_sendTransaction', [{ from: devAccount(1).address, to, value: '0x1' }]))
  const { receipt, transaction } = await mined(await deposit(1))
  expect(transaction).toMatchObject({ nonce: '0x0' })
  expect(receipt).toMatchObject({ depositNonce: '0x2' })
})

test('unlike an OP chain: there is neither a fee for L1 nor an oracle for it', async () => {
  const { address } = devAccount(2)
  const { receipt } = await mined(
    await anvil.rpc<Hex>('eth_sendTransaction', [{ from: address, to, value: '0x7', gas: '0x5208' }]),
  )
  expect(receipt).not.toHaveProperty('l1Fee')
  const paid = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)
  expect(await balanceOf(anvil, address)).toBe(10n ** 22n - 7n - paid)
  expect(await anvil.rpc('eth_getCode', ['0x420000000000000000000000000000000000000F', 'latest'])).toBe('0x')
})
