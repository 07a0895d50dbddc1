// A real Hardhat node (EDR) on a free loopback port: the strict chain, which enforces 10 % on both fees of a
// replacement. Automatic mining is off: only `mine` makes blocks.
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Agent } from 'undici'
import type { Hex } from '../src/domain/ids.ts'
import { type DevAccount, devAccounts } from './dev-accounts.ts'
import { rpcCall, startNode } from './node-process.ts'

export interface HardhatOptions {
  /** Default 31337. */
  readonly chainId?: number
  /** Of the first block, in wei; Hardhat's default is 1 gwei. */
  readonly baseFee?: bigint
  /** By Hardhat's name. Default: the latest that it holds to be stable. */
  readonly hardfork?: string
}

export interface Hardhat extends AsyncDisposable {
  readonly pid: number
  readonly url: string
  readonly port: number
  readonly chainId: number
  readonly fundedKeys: readonly Hex[]
  readonly accounts: readonly DevAccount[]
  rpc<T = unknown>(method: string, params?: readonly unknown[]): Promise<T>
  mine(blocks?: number): Promise<void>
  stop(): Promise<void>
}

/** Each call has its own connection: after a standstill Hardhat ends one that was idle, even if a call is on its way. */
const dispatcher = new Agent({ pipelining: 0 })

export async function startHardhat(options: HardhatOptions = {}): Promise<Hardhat> {
  const { chainId = 31_337 } = options
  const packageFile = createRequire(import.meta.url).resolve('hardhat/package.json')
  const project = await makeProject(dirname(dirname(packageFile)), chainId, options)
  const node = await startNode({
    file: process.execPath,
    args: [join(dirname(packageFile), 'dist/src/cli.js'), 'node', '--hostname', '127.0.0.1', '--port', '0'],
    cwd: project,
    env: { HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true', NO_COLOR: '1', CI: 'true' },
    listening: /JSON-RPC server at http:\/\/127\.0\.0\.1:(\d+)/,
  }).catch(async (error: unknown) => {
    await rm(project, { recursive: true, force: true })
    throw error
  })
  const rpc = <T = unknown>(method: string, params: readonly unknown[] = []) =>
    rpcCall<T>(node.url, method, params, dispatcher)
  const stop = async () => {
    await node.stop()
    await rm(project, { recursive: true, force: true })
  }
  return {
    pid: node.pid,
    url: node.url,
    port: node.port,
    chainId,
    fundedKeys: devAccounts.map((account) => account.key),
    accounts: devAccounts,
    rpc,
    mine: async (blocks = 1) => {
      await rpc('hardhat_mine', [`0x${blocks.toString(16)}`])
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** Hardhat runs in a project only, and insists on being installed there: a temporary one borrows our packages. */
async function makeProject(packages: string, chainId: number, options: HardhatOptions): Promise<string> {
  const { baseFee, hardfork } = options
  const project = await mkdtemp(join(tmpdir(), 'rescind-hardhat-'))
  const node = {
    type: 'edr-simulated',
    chainId,
    mining: { auto: false, interval: 0 },
    ...(baseFee !== undefined && { initialBaseFeePerGas: Number(baseFee) }),
    ...(hardfork !== undefined && { hardfork }),
  }
  await mkdir(join(project, 'artifacts'))
  await symlink(packages, join(project, 'node_modules'), 'dir')
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'strict-chain', type: 'module' }))
  await writeFile(
    join(project, 'hardhat.config.js'),
    `export default { networks: { node: ${JSON.stringify(node)} } }\n`,
  )
  return project
}
