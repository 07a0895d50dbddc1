// The node, spoken to directly: neither the service nor the gate stands between the demo and these facts.
import type { Address, Hash, Hex } from 'viem'
import type { Anvil } from '../tooling/anvil.ts'

interface PoolTransaction {
  readonly hash: Hash
  readonly from: Address
  readonly to: Address | null
  readonly nonce: number
  readonly value: bigint
  readonly input: Hex
}

/** A transaction that a block holds. */
export interface Mined extends PoolTransaction {
  readonly succeeded: boolean
  /** gasUsed × effectiveGasPrice, of the receipt. */
  readonly fee: bigint
}

interface RpcTransaction {
  readonly hash: Hash
  readonly from: Address
  readonly to: Address | null
  readonly nonce: Hex
  readonly value: Hex
  readonly input: Hex
}

interface RawReceipt {
  readonly status: Hex
  readonly gasUsed: Hex
  readonly effectiveGasPrice: Hex
}

/** What the node's pool holds of one sender, by nonce. */
export async function poolOf(anvil: Anvil, sender: Address): Promise<ReadonlyMap<number, PoolTransaction>> {
  const pool = await anvil.rpc<{ pending: Record<Address, Record<string, RpcTransaction>> }>('txpool_content')
  const own = Object.entries(pool.pending).find(([address]) => sameAddress(address, sender))?.[1] ?? {}
  return new Map(Object.values(own).map((raw) => [Number(raw.nonce), toPoolTransaction(raw)]))
}

/** Every transaction of every block. */
export async function readLedger(anvil: Anvil): Promise<readonly Mined[]> {
  const head = Number(await anvil.rpc<Hex>('eth_blockNumber'))
  const ledger: Mined[] = []
  for (let number = 0; number <= head; number++) {
    const height = `0x${number.toString(16)}`
    const block = await anvil.rpc<{ transactions: RpcTransaction[] }>('eth_getBlockByNumber', [height, true])
    for (const raw of block.transactions) {
      const receipt = await anvil.rpc<RawReceipt>('eth_getTransactionReceipt', [raw.hash])
      const fee = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)
      ledger.push({ ...toPoolTransaction(raw), succeeded: receipt.status === '0x1', fee })
    }
  }
  return ledger
}

export async function balanceOf(anvil: Anvil, address: Address): Promise<bigint> {
  return BigInt(await anvil.rpc<Hex>('eth_getBalance', [address, 'latest']))
}

export async function nonceOf(anvil: Anvil, address: Address): Promise<number> {
  return Number(await anvil.rpc<Hex>('eth_getTransactionCount', [address, 'latest']))
}

export function sameAddress(one: string | null, other: string): boolean {
  return one?.toLowerCase() === other.toLowerCase()
}

function toPoolTransaction(raw: RpcTransaction): PoolTransaction {
  const { hash, from, to, input } = raw
  return { hash, from, to, input, nonce: Number(raw.nonce), value: BigInt(raw.value) }
}
