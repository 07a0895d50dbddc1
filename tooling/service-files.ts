// What a service under test reads at its start: config.json on disk, keys and settings in its environment.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { databaseIn } from './tested-database.ts'

interface NetworkOptions {
  readonly name: string
  /** URLs, or what else config.json takes. */
  readonly rpcUrls: readonly (string | object)[]
  readonly chainId?: number
  readonly requiredConfirmations?: number
  readonly averageBlocktimeMs?: number
  /** Default `eip1559`; none makes a network of legacy transactions. */
  readonly features?: readonly string[]
  readonly profile?: Readonly<Record<string, unknown>>
  readonly secondWitness?: string
}

export interface RelayerOptions {
  readonly id: string
  /** The id, unless given. */
  readonly name?: string
  readonly privateKey: `0x${string}`
  /** The first network, unless named. */
  readonly network?: string
  readonly paused?: boolean
  /** As in config.json: `max_in_flight`, `gas_price_cap`, … */
  readonly policies?: Readonly<Record<string, unknown>>
  readonly notificationId?: string
  /** In place of the private key in the environment. */
  readonly signer?: { readonly type: string; readonly config: Readonly<Record<string, unknown>> }
}

export interface NotificationOptions {
  readonly id: string
  readonly url: string
  /** In the environment, as the keys of relayers. */
  readonly signingKey?: string
}

export interface ServiceFiles {
  readonly networks: readonly [NetworkOptions, ...NetworkOptions[]]
  readonly relayers: readonly RelayerOptions[]
  readonly notifications?: readonly NotificationOptions[]
  /** As in config.json. */
  readonly retention?: Readonly<Record<string, unknown>>
}

/** Writes `directory/config/config.json`. Keys are not in it: they are named, and stand in the environment. */
export async function writeServiceFiles(directory: string, files: ServiceFiles): Promise<void> {
  const config = {
    relayers: files.relayers.map((relayer) => ({
      id: relayer.id,
      name: relayer.name ?? relayer.id,
      network: relayer.network ?? files.networks[0].name,
      network_type: 'evm',
      paused: relayer.paused ?? false,
      signer_id: `signer-${relayer.id}`,
      policies: relayer.policies ?? {},
      ...(relayer.notificationId !== undefined && { notification_id: relayer.notificationId }),
    })),
    signers: files.relayers.map((relayer, index) => ({
      id: `signer-${relayer.id}`,
      ...(relayer.signer ?? { type: 'plain', config: { key: { type: 'env', value: keyVariable(index) } } }),
    })),
    notifications: (files.notifications ?? []).map(({ id, url, signingKey }, index) => ({
      id,
      type: 'webhook',
      url,
      ...(signingKey !== undefined && { signing_key: { type: 'env', value: signingKeyVariable(index) } }),
    })),
    networks: files.networks.map((network) => ({
      network: network.name,
      type: 'evm',
      chain_id: network.chainId ?? 31337,
      rpc_urls: network.rpcUrls,
      required_confirmations: network.requiredConfirmations ?? 1,
      average_blocktime_ms: network.averageBlocktimeMs ?? 200,
      symbol: 'ETH',
      is_testnet: true,
      features: network.features ?? ['eip1559'],
      ...(network.profile && { profile: network.profile }),
      ...(network.secondWitness !== undefined && { second_witness: network.secondWitness }),
    })),
    ...(files.retention && { retention: files.retention }),
  }
  await mkdir(join(directory, 'config'), { recursive: true })
  await writeFile(join(directory, 'config', 'config.json'), JSON.stringify(config, null, 2))
}

export function serviceEnvironment(
  directory: string,
  options: ServiceFiles & { apiKey: string; port: number; metricsPort: number },
): Record<string, string> {
  return {
    CONFIG_DIR: join(directory, 'config'),
    CONFIG_FILE_NAME: 'config.json',
    DATABASE_URL: databaseIn(directory).url,
    HOST: '127.0.0.1',
    APP_PORT: String(options.port),
    METRICS_PORT: String(options.metricsPort),
    API_KEY: options.apiKey,
    LOG_LEVEL: 'info',
    RATE_LIMIT_REQUESTS_PER_SECOND: '1000000',
    RATE_LIMIT_BURST_SIZE: '1000000',
    ...Object.fromEntries(
      (options.notifications ?? []).flatMap(({ signingKey }, index) =>
        signingKey === undefined ? [] : [[signingKeyVariable(index), signingKey]],
      ),
    ),
    ...Object.fromEntries(options.relayers.map((relayer, index) => [keyVariable(index), relayer.privateKey])),
  }
}

export function databasePath(directory: string): string {
  return join(directory, 'rescind.db')
}

function signingKeyVariable(index: number): string {
  return `SIGNING_KEY_${index}`
}

function keyVariable(index: number): string {
  return `RELAYER_KEY_${index}`
}
