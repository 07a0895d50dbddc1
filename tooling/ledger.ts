// Reads the chain directly from the node, without the service.
import { type Hex, parseTransaction, type TransactionSerializedGeneric } from 'viem'

export interface ChainNode {
  rpc<T = unknown>(method: string, params?: readonly unknown[]): Promise<T>
}

/** A transaction in a block. */
export interface Mined {
  readonly hash: string
  readonly from: string
  /** Empty for a contract creation. */
  readonly to: string
  readonly nonce: number
  readonly value: bigint
  readonly input: string
  readonly block: number
  readonly succeeded: boolean
  /** gasUsed × effectiveGasPrice, and the L1 fee where there is one, of the receipt. */
  readonly fee: bigint
  readonly type: number
}

interface RawTransaction {
  readonly hash: string
  readonly from: string
  readonly to: string | null
  readonly nonce: Hex
  readonly value: Hex
  readonly input: string
  readonly type: Hex
}

interface RawReceipt {
  readonly status: Hex
  readonly gasUsed: Hex
  readonly effectiveGasPrice: Hex
  /** Of OP chains. */
  readonly l1Fee?: Hex
}

/** Everything that `sender` ever had mined in the canonical chain, oldest first. */
export async function minedFrom(node: ChainNode, sender: string): Promise<readonly Mined[]> {
  const height = await headOf(node)
  const mined: Mined[] = []
  for (let number = 0; number <= height; number++) {
    const block = await node.rpc<{ transactions: RawTransaction[] }>('eth_getBlockByNumber', [hex(number), true])
    for (const raw of block.transactions) {
      if (!same(raw.from, sender)) continue
      const receipt = await node.rpc<RawReceipt>('eth_getTransactionReceipt', [raw.hash])
      mined.push({
        hash: raw.hash,
        from: raw.from,
        to: raw.to ?? '',
        nonce: Number(raw.nonce),
        value: BigInt(raw.value),
        input: raw.input,
        block: number,
        succeeded: receipt.status === '0x1',
        fee: BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice) + BigInt(receipt.l1Fee ?? 0),
        type: Number(raw.type),
      })
    }
  }
  return mined
}

/** Hashes of the sender's transactions in the node's pool, by nonce. */
export async function poolOf(node: ChainNode, sender: string): Promise<ReadonlyMap<number, string>> {
  const raws = await pooled(node)
  return new Map(raws.filter(({ from }) => same(from, sender)).map(({ nonce, hash }) => [Number(nonce), hash]))
}

async function pooled(node: ChainNode): Promise<readonly RawTransaction[]> {
  const client = await node.rpc<string>('web3_clientVersion')
  // Hardhat lacks txpool_*, anvil lacks eth_pendingTransactions.
  if (client.startsWith('Hardhat')) return node.rpc<RawTransaction[]>('eth_pendingTransactions')
  const { pending, queued } = await node.rpc<Record<'pending' | 'queued', Pool>>('txpool_content')
  return [pending, queued].flatMap((pool) => Object.values(pool).flatMap((byNonce) => Object.values(byNonce)))
}

type Pool = Record<string, Record<string, RawTransaction>>

export async function headOf(node: ChainNode): Promise<number> {
  return Number(await node.rpc<Hex>('eth_blockNumber'))
}

export async function nonceOf(node: ChainNode, address: string): Promise<number> {
  return Number(await node.rpc<Hex>('eth_getTransactionCount', [address, 'latest']))
}

export async function balanceOf(node: ChainNode, address: string): Promise<bigint> {
  return BigInt(await node.rpc<Hex>('eth_getBalance', [address, 'latest']))
}

/** What a signed transaction pays at most per gas, how it is typed, and what it announces. */
export function decode(raw: string) {
  const { type, nonce, to, value, maxFeePerGas, maxPriorityFeePerGas, gasPrice, accessList } = parseTransaction(
    raw as TransactionSerializedGeneric,
  )
  const fees = { maxFeePerGas, maxPriorityFeePerGas, gasPrice }
  return { type, nonce: nonce ?? 0, to: to ?? '', value: value ?? 0n, ...fees, accessList }
}

export function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

export function hex(number: number | bigint): Hex {
  return `0x${number.toString(16)}`
}
