// A real anvil on a free loopback port, its mining in the test's hands.
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Hex } from '../src/domain/ids.ts'
import { type DevAccount, devAccounts } from './dev-accounts.ts'
import { rpcCall, startNode } from './node-process.ts'

export { type DevAccount, devAccount, devAccounts } from './dev-accounts.ts'

export interface AnvilOptions {
  /** `manual`: only `mine` makes blocks. `auto`: each transaction is mined at once. Or a block every so often. */
  readonly mining: 'manual' | 'auto' | { readonly intervalMs: number }
  /** Default 31337. */
  readonly chainId?: number
  /** Default: a free one. Named when a node must come back where it was. */
  readonly port?: number
  /** Of the next block, in wei; anvil's default is 1 gwei. */
  readonly baseFee?: bigint
  /** Of each block; anvil's default is 30 million. */
  readonly blockGas?: number
  /** 2 makes `finalized` move after a few blocks. */
  readonly slotsInAnEpoch?: number
  /** Osaka, with the limit of a transaction's gas (EIP-7825). Default: anvil's newest fork, without it. */
  readonly limitsTransactionGas?: boolean
  /** Default: Ethereum. `optimism` executes deposits from L1 as well. */
  readonly network?: 'optimism'
}

export interface Anvil extends AsyncDisposable {
  readonly pid: number
  readonly url: string
  readonly port: number
  readonly chainId: number
  /** The ten dev accounts' private keys, each with 10,000 ether. */
  readonly fundedKeys: readonly Hex[]
  readonly accounts: readonly DevAccount[]
  rpc<T = unknown>(method: string, params?: readonly unknown[]): Promise<T>
  /** Mines `blocks` blocks, one by default. */
  mine(blocks?: number): Promise<void>
  /** Freezes the process: connections are accepted, nothing is answered. */
  freeze(): void
  thaw(): void
  stop(): Promise<void>
}

export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const { mining, chainId = 31_337 } = options
  const node = await startNode({
    file: anvilBinary(),
    args: [
      ...['--host', '127.0.0.1', '--port', String(options.port ?? 0), '--chain-id', String(chainId)],
      ...(mining === 'manual' ? ['--no-mining'] : []),
      ...(typeof mining === 'object' ? ['--block-time', String(mining.intervalMs / 1000)] : []),
      ...(options.baseFee === undefined ? [] : ['--block-base-fee-per-gas', String(options.baseFee)]),
      ...(options.blockGas === undefined ? [] : ['--gas-limit', String(options.blockGas)]),
      ...(options.limitsTransactionGas ? ['--hardfork', 'osaka', '--enable-tx-gas-limit'] : []),
      ...(options.network === undefined ? [] : ['--network', options.network]),
      ...(options.slotsInAnEpoch === undefined ? [] : ['--slots-in-an-epoch', String(options.slotsInAnEpoch)]),
    ],
    listening: /Listening on 127\.0\.0\.1:(\d+)/,
  })
  const rpc = <T = unknown>(method: string, params: readonly unknown[] = []) => rpcCall<T>(node.url, method, params)
  return {
    pid: node.pid,
    url: node.url,
    port: node.port,
    chainId,
    fundedKeys: devAccounts.map((account) => account.key),
    accounts: devAccounts,
    rpc,
    mine: async (blocks = 1) => {
      await rpc('anvil_mine', [`0x${blocks.toString(16)}`, '0x1'])
    },
    freeze: node.freeze,
    thaw: node.thaw,
    stop: node.stop,
    [Symbol.asyncDispose]: node.stop,
  }
}

/** The platform's binary itself: the package's wrapper would start a second Node first. */
function anvilBinary(): string {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  const wrapper = createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json')
  const name = process.platform === 'win32' ? 'anvil.exe' : 'anvil'
  const found = createRequire(wrapper).resolve(`@foundry-rs/anvil-${process.platform}-${arch}/package.json`)
  return join(dirname(found), 'bin', name)
}
