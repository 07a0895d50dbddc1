// A sequencer of the OP stack before an anvil that executes: a private pool, preconfirmations, and a fee for L1.
//
// What it hides is what Base and OP Mainnet hide: there is no txpool_*, and nobody sees a transaction that waits. The
// members of receipts are op-geth's (core/types/receipt.go). Pool and preconfirmations name their sources themselves.
import type { Hex } from 'viem'
import { type Anvil, startAnvil } from '../anvil.ts'
import { hex } from '../ledger.ts'
import { rpcCall } from '../node-process.ts'
import { type RpcServer, startRpcServer } from '../rpc-server.ts'
import { type BlockTags, steerBlockTags } from './block-tags.ts'
import { deployOracle, setL1Price } from './gas-price-oracle.ts'
import { altered, charge, type Methods, type NodeBehind, nodeBehind, noSuchMethod, refusal } from './node-behind.ts'
import { keepPool, type Pool } from './pool.ts'
import { type Building, buildBlock } from './preconfirmations.ts'
import { plantSendFaults, type SendFaults } from './send-faults.ts'
import { readSigned, type SignedTransaction } from './signed-transaction.ts'

interface PrivatePoolOptions {
  readonly chainId?: number
  /** Of the first block. Default 0.01 gwei. */
  readonly baseFee?: bigint
  /** Between two blocks. Default: only `mine` makes one. The real one: 2,000. */
  readonly blockMs?: number
  /** Between two flashblocks. Default: only `flash` makes one. The real one: 200. */
  readonly flashMs?: number
  /** Of a block that is being built. Default `changing`. */
  readonly preconfirmedHash?: 'changing' | 'zero'
  readonly l1WeiPerByte?: bigint
}

export interface PrivatePool extends AsyncDisposable {
  readonly url: string
  readonly chainId: number
  /** What executes, and what nobody but the test may speak to. */
  readonly anvil: Anvil
  readonly tags: BlockTags
  readonly faults: SendFaults
  /** The sequencer's waiting transactions, preconfirmed or not; clients can't see them. */
  pooled(): readonly SignedTransaction[]
  preconfirmed(): readonly SignedTransaction[]
  calls: RpcServer['calls']
  /** Preconfirms what the pool has. */
  flash(): Promise<void>
  /** The sequencer forgets the block that it was building: its transactions wait again, or are lost. */
  vanish(which: 'waits' | 'lost'): Promise<void>
  /** Mines the preconfirmed transactions, after a last flashblock. */
  mine(blocks?: number): Promise<void>
  setL1WeiPerByte(wei: bigint): Promise<void>
  rpc<T = unknown>(method: string, params?: readonly unknown[]): Promise<T>
}

export async function startPrivatePool(options: PrivatePoolOptions = {}): Promise<PrivatePool> {
  await using pieces = new AsyncDisposableStack()
  const chainId = options.chainId ?? 31_337
  const anvil = pieces.use(await startAnvil({ mining: 'manual', chainId, baseFee: options.baseFee ?? 10_000_000n }))
  const node = nodeBehind(anvil.url)
  let weiPerByte = options.l1WeiPerByte ?? 100_000_000n
  await deployOracle(node, weiPerByte)
  const l1Fee = ({ bytes }: SignedTransaction) => bytes * weiPerByte

  const nonceOf = async (address: string) =>
    Number(await node.value<Hex>('eth_getTransactionCount', [address, 'latest']))
  const balanceOf = async (address: string) => BigInt(await node.value<Hex>('eth_getBalance', [address, 'latest']))
  const pool = keepPool({ nonceOf, balanceOf, l1Fee })
  const building = buildBlock(node, pool, {
    blockHash: options.preconfirmedHash ?? 'changing',
    l1Members: (transaction) => l1Members(l1Fee(transaction), transaction.bytes),
  })
  /** What the receipts of mined transactions have besides anvil's members. */
  const charged = new Map<string, object>()
  const tags = steerBlockTags(node)
  const faults = plantSendFaults()

  let last: Promise<unknown> = Promise.resolve()
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }

  async function seal(): Promise<void> {
    await building.flash()
    const transactions = building.transactions()
    for (const { raw, hash } of transactions) {
      const reply = await node.reply('eth_sendRawTransaction', [raw])
      if ('error' in reply) pool.drop(hash)
    }
    await node.value('evm_mine')
    for (const transaction of transactions) {
      const { hash, from, bytes } = transaction
      const fee = l1Fee(transaction)
      if ((await node.value('eth_getTransactionReceipt', [hash])) === null) continue
      charged.set(hash, l1Members(fee, bytes))
      await charge(node, from, fee)
    }
    building.clear()
    await pool.forgetSpent()
  }

  const methods = methodsOf({ node, pool, building, faults, inTurn, charged })
  const server = pieces.use(await startRpcServer())
  server.react({
    do: 'handle',
    each: async (call) => {
      if (/^(txpool|miner|admin)_/.test(call.method)) return noSuchMethod(call.method)
      await last
      const resolved = await tags.resolve(call.params)
      if (!('params' in resolved)) return resolved
      const own = methods[call.method]
      if (own) return own({ ...call, params: resolved.params })
      const params = resolved.params.map((param) => (param === 'pending' ? 'latest' : param))
      return node.reply(call.method, params)
    },
  })
  pieces.use(every(options.blockMs, () => inTurn(seal)))
  pieces.use(every(options.flashMs, () => inTurn(building.flash)))
  const kept = pieces.move()
  return {
    url: server.url,
    chainId,
    anvil,
    tags,
    faults,
    pooled: pool.content,
    preconfirmed: building.transactions,
    calls: server.calls,
    flash: async () => {
      await inTurn(building.flash)
    },
    vanish: (which) =>
      inTurn(async () => {
        if (which === 'lost') for (const { hash } of building.transactions()) pool.drop(hash)
        building.clear()
      }),
    mine: async (blocks = 1) => {
      for (let count = 0; count < blocks; count++) await inTurn(seal)
    },
    setL1WeiPerByte: async (wei) => {
      weiPerByte = wei
      await setL1Price(node, wei)
    },
    rpc: (method, params = []) => rpcCall(server.url, method, params),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

interface Parts {
  readonly node: NodeBehind
  readonly pool: Pool
  readonly building: Building
  readonly faults: SendFaults
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>
  readonly charged: ReadonlyMap<string, object>
}

function methodsOf({ node, pool, building, faults, inTurn, charged }: Parts): Methods {
  const presentReceipt = (receipt: { readonly transactionHash: Hex }) => ({
    ...receipt,
    ...charged.get(receipt.transactionHash),
  })
  return {
    eth_sendRawTransaction: ({ params: [raw] }) =>
      faults.meet(async () => {
        const signed = await readSigned(raw as Hex).catch(() => undefined)
        if (!signed) return refusal('rlp: value size exceeds available input length')
        const refused = await inTurn(() => pool.add(signed))
        return refused === undefined ? { result: signed.hash } : refusal(refused)
      }),
    // Nobody sends in another's name here: the pool would not see it.
    eth_sendTransaction: async ({ method }) => noSuchMethod(method),
    eth_getTransactionReceipt: async ({ method, params }) => {
      const preconfirmed = building.receipt(String(params[0]))
      return preconfirmed ? { result: preconfirmed } : altered(await node.reply(method, params), presentReceipt)
    },
    eth_getBlockReceipts: async ({ method, params }) =>
      altered<{ transactionHash: Hex }[]>(await node.reply(method, params), (all) => all.map(presentReceipt)),
    eth_getTransactionByHash: async ({ method, params }) => {
      const preconfirmed = building.transaction(String(params[0]))
      return preconfirmed ? { result: preconfirmed } : node.reply(method, params)
    },
    eth_getTransactionCount: async ({ method, params: [address, block] }) => {
      if (block !== 'pending') return node.reply(method, [address, block ?? 'latest'])
      const canonical = await node.value<Hex>(method, [address, 'latest'])
      return { result: hex(Number(canonical) + building.countOf(String(address))) }
    },
    eth_getBlockByNumber: async ({ method, params }) =>
      params[0] === 'pending' ? { result: await building.block() } : node.reply(method, params),
    web3_clientVersion: async () => ({ result: 'Geth/v1.101603.4-stable-0c5d5e3d/linux-amd64/go1.24.9' }),
  }
}

/** Since Ecotone; the scalars are Base's, and mean nothing here. */
function l1Members(fee: bigint, bytes: bigint): object {
  return {
    l1Fee: hex(fee),
    l1GasUsed: hex(bytes * 16n),
    l1GasPrice: hex(1_000_000_000n),
    ...{ l1BaseFeeScalar: '0x8dd', l1BlobBaseFee: '0x1', l1BlobBaseFeeScalar: '0x101c12' },
  }
}

function every(ms: number | undefined, work: () => Promise<unknown>): Disposable {
  if (ms === undefined) return { [Symbol.dispose]: () => undefined }
  const timer = setInterval(() => void work().catch(() => undefined), ms)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
