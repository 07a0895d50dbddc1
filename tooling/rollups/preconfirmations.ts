// The block that a sequencer builds and shows before it exists: its transactions have receipts, and may still vanish.
//
// As base/node-reth serves it (its flashblocks-rpc crate and docs.base.org): eth_getTransactionReceipt and
// eth_getTransactionByHash return preconfirmed transactions, `pending` counts them, and their block has another hash with each
// flashblock, or one of zeros. Simpler than there: no logs, and the gas used is an estimate.
import { type Hex, keccak256, toHex, zeroHash } from 'viem'
import { minWei } from '../../src/domain/units.ts'
import { hex } from '../ledger.ts'
import type { NodeBehind } from './node-behind.ts'
import type { Pool } from './pool.ts'
import type { SignedTransaction } from './signed-transaction.ts'

export interface Building {
  /** Takes what the pool has for the block that is being built. Answers how much that was. */
  flash(): Promise<number>
  transactions(): readonly SignedTransaction[]
  /** Nothing is preconfirmed any more. */
  clear(): void
  receipt(hash: string): object | undefined
  transaction(hash: string): object | undefined
  /** How many of the sender's are preconfirmed. */
  countOf(address: string): number
  /** The block as `pending` shows it. */
  block(): Promise<object>
}

interface Header {
  readonly number: Hex
  readonly hash: Hex
  readonly baseFeePerGas: Hex
}

interface Member {
  readonly transaction: SignedTransaction
  readonly gasUsed: bigint
  readonly succeeds: boolean
  readonly price: bigint
}

interface BuildingOptions {
  /** `changing`: another with each flashblock. */
  readonly blockHash: 'changing' | 'zero'
  readonly l1Members: (transaction: SignedTransaction) => object
}

export function buildBlock(node: NodeBehind, pool: Pool, options: BuildingOptions): Building {
  let members: readonly Member[] = []
  let flashes = 0
  let number = 0

  async function execute(transaction: SignedTransaction, baseFee: bigint): Promise<Member> {
    const { from, to, value, data, gas, maxFeePerGas, maxPriorityFeePerGas } = transaction
    const request = { from, ...(to !== null && { to }), value: hex(value), data, gas: hex(gas) }
    const reply = await node.reply('eth_estimateGas', [request, 'latest'])
    const offer = baseFee + maxPriorityFeePerGas
    const price = minWei(offer, maxFeePerGas)
    if ('error' in reply) return { transaction, gasUsed: gas, succeeds: false, price }
    return { transaction, gasUsed: BigInt(reply.result as Hex), succeeds: true, price }
  }

  function hashNow(): Hex {
    return options.blockHash === 'zero' ? zeroHash : keccak256(toHex(`flashblock ${number}/${flashes}`))
  }

  function place(hash: string): { member: Member; index: number; gasBefore: bigint } | undefined {
    const index = members.findIndex(({ transaction }) => transaction.hash === hash.toLowerCase())
    const member = members[index]
    const gasBefore = members.slice(0, index).reduce((sum, { gasUsed }) => sum + gasUsed, 0n)
    return member && { member, index, gasBefore }
  }

  const inBlock = (index: number) => ({
    blockHash: hashNow(),
    blockNumber: hex(number),
    transactionIndex: hex(index),
  })
  const countOf = (address: string) =>
    members.filter(({ transaction }) => transaction.from.toLowerCase() === address.toLowerCase()).length

  return {
    flash: async () => {
      const next = await node.value<Header>('eth_getBlockByNumber', ['pending', false])
      number = Number(next.number)
      const baseFee = BigInt(next.baseFeePerGas)
      let taken = 0
      for (const transaction of pool.content()) {
        const { from, nonce, maxFeePerGas } = transaction
        const canonical = Number(await node.value<Hex>('eth_getTransactionCount', [from, 'latest']))
        if (nonce !== canonical + countOf(from) || maxFeePerGas < baseFee) continue
        members = [...members, await execute(transaction, baseFee)]
        taken += 1
      }
      flashes += 1
      return taken
    },
    transactions: () => members.map(({ transaction }) => transaction),
    clear: () => {
      members = []
    },
    countOf,
    receipt: (hash) => {
      const found = place(hash)
      if (!found) return undefined
      const { transaction, gasUsed, succeeds, price } = found.member
      return {
        ...inBlock(found.index),
        ...{ transactionHash: transaction.hash, from: transaction.from, to: transaction.to, contractAddress: null },
        type: transaction.type === 'legacy' ? '0x0' : '0x2',
        status: succeeds ? '0x1' : '0x0',
        gasUsed: hex(gasUsed),
        cumulativeGasUsed: hex(found.gasBefore + gasUsed),
        effectiveGasPrice: hex(price),
        ...{ logs: [], logsBloom: `0x${'00'.repeat(256)}` },
        ...options.l1Members(transaction),
      }
    },
    transaction: (hash) => {
      const found = place(hash)
      if (!found) return undefined
      const { transaction } = found.member
      return {
        ...inBlock(found.index),
        ...{ hash: transaction.hash, from: transaction.from, to: transaction.to, input: transaction.data },
        ...{ nonce: hex(transaction.nonce), value: hex(transaction.value), gas: hex(transaction.gas) },
        maxFeePerGas: hex(transaction.maxFeePerGas),
        maxPriorityFeePerGas: hex(transaction.maxPriorityFeePerGas),
        type: transaction.type === 'legacy' ? '0x0' : '0x2',
      }
    },
    block: async () => ({
      ...(await node.value<object>('eth_getBlockByNumber', ['pending', false])),
      hash: hashNow(),
      transactions: members.map(({ transaction }) => transaction.hash),
    }),
  }
}
