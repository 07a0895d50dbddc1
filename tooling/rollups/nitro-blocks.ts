// The blocks of the Nitro-like sequencer: anvil executes them, and they are charged and shown as Nitro does it.
import type { Hex } from 'viem'
import { hex } from '../ledger.ts'
import type { L1Gas } from './l1-gas.ts'
import { charge, type NodeBehind } from './node-behind.ts'
import type { Execution, Executor } from './sequencing.ts'
import type { SignedTransaction } from './signed-transaction.ts'

interface Receipt {
  readonly transactionHash: Hex
  readonly gasUsed: Hex
  readonly cumulativeGasUsed: Hex
  readonly effectiveGasPrice: Hex
  readonly blockNumber: Hex
}

interface Block {
  readonly hash: Hex
  readonly number: Hex
  readonly gasUsed: Hex
  readonly baseFeePerGas: Hex
  readonly timestamp: Hex
  readonly transactions: readonly (Hex | { readonly hash: Hex })[]
}

interface History {
  readonly baseFeePerGas: readonly Hex[]
  readonly reward?: readonly (readonly Hex[])[]
}

/** The part of a transaction's cost that anvil does not charge. */
interface Paid {
  readonly l1Gas: bigint
  /** Of it and of those before it in its block. */
  readonly l1GasSoFar: bigint
  readonly baseFee: bigint
}

export interface NitroBlocks {
  readonly executor: Executor
  /** Once no block is half made. */
  settled(): Promise<void>
  baseFee(): bigint
  setBaseFee(wei: bigint): void
  mine(blocks?: number): Promise<void>
  present(block: Block): object
  presentReceipt(receipt: Receipt): object
  presentHistory(history: History): object
}

/** Arbitrum's blocks name the newest block of L1: several of them name the same one. */
const blocksInOneOfL1 = 48n
const l1BlockAtFirst = 20_000_000n

export function recordBlocks(node: NodeBehind, l1Gas: L1Gas, baseFeeAtFirst: bigint): NitroBlocks {
  const paid = new Map<Hex, Paid>()
  let baseFee = baseFeeAtFirst
  let making: Promise<unknown> = Promise.resolve()

  function alone<T>(work: () => Promise<T>): Promise<T> {
    const done = making.then(work)
    making = done.catch(() => undefined)
    return done
  }

  /** Anvil would lower the base fee after each block that is almost empty; Arbitrum's stays at its least. */
  async function mineOne(): Promise<void> {
    await node.value('anvil_setNextBlockBaseFeePerGas', [hex(baseFee)])
    await node.value('evm_mine')
  }

  async function settle(transactions: readonly SignedTransaction[], l1Gases: readonly bigint[]): Promise<void> {
    let l1GasSoFar = 0n
    for (const [index, { hash, from, gas }] of transactions.entries()) {
      const receipt = await node.value<Receipt | null>('eth_getTransactionReceipt', [hash])
      if (!receipt) continue
      const gasUsed = BigInt(receipt.gasUsed)
      const wanted = l1Gases[index] ?? 0n
      const used = wanted > gas - gasUsed ? gas - gasUsed : wanted
      l1GasSoFar += used
      paid.set(hash, { l1Gas: used, l1GasSoFar, baseFee })
      // Nitro takes no tip.
      await charge(node, from, (gasUsed + used) * baseFee - gasUsed * BigInt(receipt.effectiveGasPrice))
    }
  }

  async function put(raw: Hex, gas: bigint, forL1: bigint): Promise<string | undefined> {
    if (gas < 21_000n + forL1) return 'intrinsic gas too low'
    const reply = await node.reply('eth_sendRawTransaction', [raw])
    return 'error' in reply ? reply.error.message : undefined
  }

  const executor: Executor = {
    nonceOf: async (address) => Number(await node.value<Hex>('eth_getTransactionCount', [address, 'latest'])),
    balanceOf: async (address) => BigInt(await node.value<Hex>('eth_getBalance', [address, 'latest'])),
    baseFee: async () => baseFee,
    l1Gas: async ({ bytes }) => l1Gas.of(bytes, baseFee),
    timestamp: async () => {
      const { timestamp } = await node.value<Block>('eth_getBlockByNumber', ['latest', false])
      return Math.max(Number(timestamp), Math.floor(Date.now() / 1_000))
    },
    execute: (transactions) =>
      alone(async () => {
        // The price may have risen since a transaction was checked.
        const l1Gases = transactions.map(({ bytes }) => l1Gas.of(bytes, baseFee))
        const executions: Execution[] = []
        const failed = new Set<Hex>()
        for (const [index, { raw, from, gas }] of transactions.entries()) {
          const error = failed.has(from) ? 'untried' : await put(raw, gas, l1Gases[index] ?? 0n)
          if (error !== undefined) failed.add(from)
          executions.push(error === undefined ? 'executed' : error === 'untried' ? 'untried' : { error })
        }
        if (executions.includes('executed')) await mineOne()
        await settle(transactions, l1Gases)
        return executions
      }),
  }

  return {
    executor,
    settled: async () => {
      await making
    },
    baseFee: () => baseFee,
    setBaseFee: (wei) => {
      baseFee = wei
    },
    mine: (blocks = 1) =>
      alone(async () => {
        for (let count = 0; count < blocks; count++) await mineOne()
      }),
    present: (block) => {
      const hashes = block.transactions.map((each) => (typeof each === 'string' ? each : each.hash))
      const forL1 = hashes.reduce((sum, hash) => sum + (paid.get(hash)?.l1Gas ?? 0n), 0n)
      return {
        ...block,
        gasUsed: hex(BigInt(block.gasUsed) + forL1),
        l1BlockNumber: hex(l1BlockOf(block.number)),
        sendCount: '0x0',
        sendRoot: `0x${'00'.repeat(32)}`,
      }
    },
    presentReceipt: (receipt) => {
      const of = paid.get(receipt.transactionHash)
      if (!of) return receipt
      return {
        ...receipt,
        gasUsed: hex(BigInt(receipt.gasUsed) + of.l1Gas),
        cumulativeGasUsed: hex(BigInt(receipt.cumulativeGasUsed) + of.l1GasSoFar),
        effectiveGasPrice: hex(of.baseFee),
        gasUsedForL1: hex(of.l1Gas),
        l1BlockNumber: hex(l1BlockOf(receipt.blockNumber)),
        timeboosted: false,
      }
    },
    presentHistory: (history) => ({
      ...history,
      baseFeePerGas: [...history.baseFeePerGas.slice(0, -1), history.baseFeePerGas.at(-2) ?? hex(baseFee)],
      ...(history.reward && { reward: history.reward.map((tips) => tips.map(() => '0x0')) }),
    }),
  }
}

function l1BlockOf(number: Hex): bigint {
  return l1BlockAtFirst + BigInt(number) / blocksInOneOfL1
}
