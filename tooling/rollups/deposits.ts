// A transaction that L1 forces onto an OP chain: nobody signs it, no pool holds it, and it takes its sender's nonce.
//
// As in the OP stack's specification of deposits. anvil takes them through eth_sendTransaction.
import { randomBytes } from 'node:crypto'
import type { Hex } from 'viem'
import { type ChainNode, hex } from '../ledger.ts'

export interface Deposit {
  readonly from: string
  readonly to: string
  readonly value: bigint
  /** Created for the sender before it is executed. */
  readonly mint?: bigint
}

/** Resolves with its hash; the next block holds it. */
export function depositFromL1(node: ChainNode, { from, to, value, mint = 0n }: Deposit): Promise<Hex> {
  const sourceHash = `0x${randomBytes(32).toString('hex')}`
  return node.rpc<Hex>('eth_sendTransaction', [
    { type: '0x7e', sourceHash, from, to, value: hex(value), mint: hex(mint), gas: '0x186a0', isSystemTx: false },
  ])
}
