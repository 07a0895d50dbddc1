// Somebody else with the relayer's key, who goes to the node directly.
import { privateKeyToAccount } from 'viem/accounts'
import type { ChainNode } from '../../../tooling/ledger.ts'
import type { Sender } from './stage.ts'

const gwei = 1_000_000_000n

/** Puts a transaction of the sender's at `nonce` into the pool, dearer than whatever lies there. Resolves to its hash. */
export async function spendBehindItsBack(
  node: ChainNode,
  { key, address }: Sender,
  nonce: number,
  maxFeePerGas = 500n * gwei,
): Promise<string> {
  const raw = await privateKeyToAccount(key).signTransaction({
    type: 'eip1559',
    chainId: 31_337,
    nonce,
    to: address,
    value: 7n,
    gas: 21_000n,
    maxFeePerGas,
    maxPriorityFeePerGas: maxFeePerGas / 2n,
  })
  return node.rpc<string>('eth_sendRawTransaction', [raw])
}
