// A directory with a configuration, as the service would find it.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Config } from '../../src/config/config.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { ConfigError } from '../../src/config/report.ts'

export const apiKey = 'an-api-key-of-at-least-32-characters!'
export const privateKey = `0x${'4c0883a6'.repeat(8)}`
export const passphrase = 'correct horse battery staple'
export const signingKey = 'a-webhook-signing-key-of-32-characters'

export const env = {
  API_KEY: apiKey,
  DEV_PRIVATE_KEY: privateKey,
  KEYSTORE_PASSPHRASE: passphrase,
  WEBHOOK_SIGNING_KEY: signingKey,
}

export interface ConfigFile {
  relayers: Record<string, unknown>[]
  signers: Record<string, unknown>[]
  notifications: Record<string, unknown>[]
  networks: Record<string, unknown>[]
  plugins?: unknown[]
}

/** A file that is right, with every kind of entry; tests spoil one place of it. */
export function rightFile(): ConfigFile {
  return {
    relayers: [
      {
        id: 'local',
        name: 'Local',
        network: 'localhost',
        network_type: 'evm',
        paused: false,
        signer_id: 'dev',
        notification_id: 'hook',
        policies: { min_balance: 0, gas_price_cap: 100000000000 },
      },
    ],
    signers: [
      {
        id: 'dev',
        type: 'local',
        config: { path: 'config/keys/dev.json', passphrase: { type: 'env', value: 'KEYSTORE_PASSPHRASE' } },
      },
      { id: 'raw', type: 'plain', config: { key: { type: 'env', value: 'DEV_PRIVATE_KEY' } } },
    ],
    notifications: [
      {
        id: 'hook',
        type: 'webhook',
        url: 'http://127.0.0.1:9000/hook',
        signing_key: { type: 'env', value: 'WEBHOOK_SIGNING_KEY' },
      },
    ],
    networks: [
      {
        network: 'localhost',
        type: 'evm',
        chain_id: 31337,
        rpc_urls: ['http://127.0.0.1:8545'],
        required_confirmations: 1,
        average_blocktime_ms: 1000,
        symbol: 'ETH',
        is_testnet: true,
        features: ['eip1559'],
      },
    ],
  }
}

/** Writes `files` (path to text) into a fresh directory, loads from there, and tidies up. */
export async function load(
  files: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string | undefined>> = env,
): Promise<Config> {
  const cwd = await mkdtemp(join(tmpdir(), 'rescind-config-'))
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(cwd, path)), { recursive: true })
      await writeFile(join(cwd, path), text)
    }
    return await loadConfig(variables, cwd)
  } finally {
    await rm(cwd, { recursive: true })
  }
}

export function loadFile(file: unknown, variables: Readonly<Record<string, string | undefined>> = env) {
  return load({ 'config/config.json': JSON.stringify(file) }, variables)
}

/** The refusal, whole. Fails when there is none. */
export async function refusal(loading: Promise<Config>): Promise<ConfigError> {
  const outcome = await loading.catch((error: unknown) => error)
  if (outcome instanceof ConfigError) return outcome
  throw new Error('the configuration was not refused', { cause: outcome })
}
