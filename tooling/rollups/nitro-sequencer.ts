// A sequencer that behaves like Arbitrum's, before an anvil that executes what it orders.
//
// The words, and the members of receipts and blocks, are those of Nitro and of its geth (arbitrum/apibackend.go,
// internal/ethapi): no tips, no pool, `pending` is `latest`, a price history that guesses no change. Differences: the EVM
// gets the whole gas limit, without the part for L1 taken off, and the base fee is what the test sets.
import type { Hex } from 'viem'
import { type Anvil, type AnvilOptions, startAnvil } from '../anvil.ts'
import { hex } from '../ledger.ts'
import { rpcCall } from '../node-process.ts'
import { type RpcCall, type RpcReply, type RpcServer, startRpcServer } from '../rpc-server.ts'
import { type BlockTags, steerBlockTags } from './block-tags.ts'
import { type EstimateRequest, type L1Gas, priceL1Gas } from './l1-gas.ts'
import { type NitroBlocks, recordBlocks } from './nitro-blocks.ts'
import { altered, type Methods, nodeBehind, noSuchMethod, refusal } from './node-behind.ts'
import { plantSendFaults, type SendFaults } from './send-faults.ts'
import { type Conditions, type Sequencing, sequence } from './sequencing.ts'
import { readSigned } from './signed-transaction.ts'

interface NitroOptions {
  readonly chainId?: number
  /** Of every block, until `setBaseFee`. Default 0.01 gwei, the least of Arbitrum One. */
  readonly baseFee?: bigint
  /** At least so long between two blocks. Default 250, as of the real one. */
  readonly blockMsMin?: number
  /** Default 1,000, as of the real one. */
  readonly keepsFutureNonceMs?: number
  /** Default: a transfer needs about 5,750 gas for L1. */
  readonly l1WeiPerByte?: bigint
  readonly anvil?: Pick<AnvilOptions, 'port'>
}

/**
 * `afterOrder`: as today. `beforeOrder`, `beforeLoss`: as announced, after checks of the bytes alone; the sequencer then orders the
 * transaction, or loses it.
 */
type HashAnswers = 'afterOrder' | 'beforeOrder' | 'beforeLoss'

export interface NitroSequencer extends AsyncDisposable {
  readonly url: string
  readonly chainId: number
  /** What executes, and what nobody but the test may speak to. */
  readonly anvil: Anvil
  readonly tags: BlockTags
  readonly faults: SendFaults
  readonly l1Gas: L1Gas
  /** Nonces that wait for the one before them. */
  waiting: Sequencing['waiting']
  calls: RpcServer['calls']
  setBaseFee(wei: bigint): void
  /** When eth_sendRawTransaction answers with a hash. */
  answerHashes(when: HashAnswers): void
  /** As others' transactions make blocks: without them, there are none. */
  mine(blocks?: number): Promise<void>
  /** Speaks to the sequencer as everybody does. */
  rpc<T = unknown>(method: string, params?: readonly unknown[]): Promise<T>
}

export async function startNitroSequencer(options: NitroOptions = {}): Promise<NitroSequencer> {
  await using pieces = new AsyncDisposableStack()
  const baseFee = options.baseFee ?? 10_000_000n
  const anvil = pieces.use(
    await startAnvil({
      ...{ mining: 'manual', chainId: options.chainId ?? 31_337, baseFee },
      ...options.anvil,
    }),
  )
  const node = nodeBehind(anvil.url)
  const l1Gas = priceL1Gas(options.l1WeiPerByte ?? 500_000_000n)
  const tags = steerBlockTags(node)
  const faults = plantSendFaults()
  const blocks = recordBlocks(node, l1Gas, baseFee)
  const sequencing = sequence(blocks.executor, {
    blockMsMin: options.blockMsMin ?? 250,
    keepsFutureNonceMs: options.keepsFutureNonceMs ?? 1_000,
  })

  let hashes: HashAnswers = 'afterOrder'
  const methods = methodsOf({ node, l1Gas, faults, blocks, sequencing, hashes: () => hashes })
  const server = pieces.use(await startRpcServer())
  server.react({
    do: 'handle',
    each: async ({ id, method, params }) => {
      if (/^(txpool|miner|admin)_/.test(method)) return noSuchMethod(method)
      await blocks.settled()
      const resolved = await tags.resolve(params.map((param) => (param === 'pending' ? 'latest' : param)))
      if (!('params' in resolved)) return resolved
      const own = methods[method]
      return own ? own({ id, method, params: resolved.params }) : node.reply(method, resolved.params)
    },
  })
  const kept = pieces.move()
  return {
    url: server.url,
    chainId: anvil.chainId,
    anvil,
    tags,
    faults,
    l1Gas,
    waiting: sequencing.waiting,
    calls: server.calls,
    setBaseFee: blocks.setBaseFee,
    answerHashes(when) {
      hashes = when
    },
    mine: blocks.mine,
    rpc: (method, params = []) => rpcCall(server.url, method, params),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

interface Parts {
  readonly node: ReturnType<typeof nodeBehind>
  readonly l1Gas: L1Gas
  readonly faults: SendFaults
  readonly blocks: NitroBlocks
  readonly sequencing: Sequencing
  readonly hashes: () => HashAnswers
}

function methodsOf({ node, l1Gas, faults, blocks, sequencing, hashes }: Parts): Methods {
  const through = ({ method, params }: RpcCall) => node.reply(method, params)
  const send = async (raw: unknown, conditions?: Conditions): Promise<RpcReply> => {
    const signed = await readSigned(raw as Hex).catch(() => undefined)
    return signed ? sequencing.publish(signed, conditions) : refusal('rlp: value size exceeds available input length')
  }
  const sendEarly = async (raw: unknown): Promise<RpcReply> => {
    const signed = await readSigned(raw as Hex).catch(() => undefined)
    if (!signed || hashes() === 'afterOrder') return send(raw)
    if (hashes() === 'beforeOrder') void sequencing.publish(signed)
    return { result: signed.hash }
  }
  const readBlock = async (call: RpcCall) => altered(await through(call), blocks.present)
  return {
    eth_sendRawTransaction: ({ params: [raw] }) => faults.meet(() => sendEarly(raw)),
    eth_sendRawTransactionSync: ({ params: [raw] }) =>
      faults.meet(async () => altered<Hex>(await send(raw), preconfirmation)),
    eth_sendRawTransactionConditional: ({ params: [raw, conditions] }) =>
      faults.meet(() => send(raw, conditions as Conditions)),
    // Nobody sends in another's name here: the proxy would not see it.
    eth_sendTransaction: async ({ method }) => noSuchMethod(method),
    eth_estimateGas: async (call) => {
      const l1 = l1Gas.estimate(call.params[0] as EstimateRequest, blocks.baseFee())
      return altered<Hex>(await through(call), (gas) => hex(BigInt(gas) + l1))
    },
    eth_getTransactionReceipt: async (call) => altered(await through(call), blocks.presentReceipt),
    eth_getBlockReceipts: async (call) =>
      altered<Parameters<NitroBlocks['presentReceipt']>[0][]>(await through(call), (all) =>
        all.map(blocks.presentReceipt),
      ),
    eth_getBlockByNumber: readBlock,
    eth_getBlockByHash: readBlock,
    eth_maxPriorityFeePerGas: async () => ({ result: '0x0' }),
    eth_gasPrice: async () => ({ result: hex(blocks.baseFee()) }),
    eth_feeHistory: async (call) => altered(await through(call), blocks.presentHistory),
    web3_clientVersion: async () => ({ result: 'nitro/v3.9.4-7f582c3/linux-amd64/go1.25.5' }),
  }
}

/** The receipt of a transaction that is ordered, and in no block yet. */
function preconfirmation(transactionHash: Hex): object {
  return { transactionHash, blockHash: `0x${'0'.repeat(64)}`, blockNumber: '0x0', status: '0x1' }
}
