// Deposits from L1 (OP stack, type 0x7e): each block of such a rollup begins with two. No signature proves them, they pay no gas, and one of
// an account of the relayers spends a nonce that no pool has shown.
import type { Hash, Hex } from '../../src/domain/ids.ts'
import { ancestorAt, type Block, type Blocks } from './blocks.ts'
import type { SimTransaction } from './transaction.ts'

export interface Deposits {
  /** Blocks show the nonces of deposits. Without it only receipts do. */
  readonly showsNonce: boolean
}

/** The writer of each block's first deposit, which holds the attributes of L1. */
const depositor = '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001'
const attributes = '0x4200000000000000000000000000000000000015'
const someone = '0x000000000000000000000000000000000000d09e'
const prefix = '0x7e0'

/** A deposit of the account. The block that holds it says its nonce. */
export function ownDeposit(from: string, count: number): SimTransaction {
  return {
    hash: `0x7edd${count.toString(16).padStart(60, '0')}`,
    ...{ raw: '0x7e', chainId: 0, from, to: someone, nonce: 0, value: 0n, data: '0x' },
    ...{ listed: { addresses: 0, keys: 0 }, gasLimit: 1_000_000, cap: 0n, tip: 0n, isDeposit: true },
  }
}

/** The deposits of a block. One of the relayers' takes the place of the second. */
export function depositsJson(block: Block, full: boolean, { showsNonce }: Deposits): readonly unknown[] {
  const own = block.included.flatMap(({ transaction }) => (transaction.isDeposit ? [transaction] : []))
  const [first, second] = othersIn(block)
  const all = [first, ...(own.length > 0 ? own : [second])]
  return all.map((each) => (full ? depositJson(each, showsNonce) : each.hash))
}

type Deposit = Pick<SimTransaction, 'hash' | 'from' | 'to' | 'nonce'>

function othersIn({ hash, number }: Block): readonly [Deposit, Deposit] {
  const of = (place: number): Hash => `${prefix}${place}${hash.slice(-60)}`
  return [
    { hash: of(0), from: depositor, to: attributes, nonce: number },
    { hash: of(1), from: someone, to: someone, nonce: number >> 1 },
  ]
}

function depositJson({ hash, from, to, nonce }: Deposit, showsNonce: boolean): object {
  return {
    ...{ hash, from, to, input: '0x', value: '0x0', gas: '0xf4240', gasPrice: '0x0', type: '0x7e' },
    ...{ sourceHash: hash, mint: '0x0', isSystemTx: false, r: '0x0', s: '0x0', v: '0x0' },
    ...(showsNonce && { nonce: numberJson(nonce) }),
  }
}

/** The receipt of another's deposit. Undefined: the hash is of none. */
export function depositReceiptJson(blocks: Blocks, head: Block, hash: Hex): object | null | undefined {
  if (!hash.startsWith(prefix)) return undefined
  const block = blocks.byHash(`0xb10c${hash.slice(-60)}`)
  const deposit = block && othersIn(block).find((each) => each.hash === hash)
  // A relayer's transaction may have a hash that begins like that.
  if (!deposit) return undefined
  if (ancestorAt(head, block.number) !== block) return null
  return {
    ...{ transactionHash: hash, blockHash: block.hash, blockNumber: numberJson(block.number), logs: [] },
    ...{ type: '0x7e', status: '0x1', gasUsed: '0xb2c2', effectiveGasPrice: '0x0' },
    depositNonce: numberJson(deposit.nonce),
  }
}

function numberJson(value: number): Hex {
  return `0x${value.toString(16)}`
}
