// Takes what a rollup charges beside the gas of the EVM from a sender's balance, or gives back what it does not charge.
import type { Hex } from 'viem'
import { hex } from '../ledger.ts'
import type { NodeBehind } from './node-behind.ts'

/** After the block was made, and before anybody may read it. */
export async function charge(node: NodeBehind, address: string, wei: bigint): Promise<void> {
  if (wei === 0n) return
  const balance = BigInt(await node.value<Hex>('eth_getBalance', [address, 'latest']))
  const left = balance - wei
  await node.value('anvil_setBalance', [address, hex(left < 0n ? 0n : left)])
}
