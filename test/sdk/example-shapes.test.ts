// The shapes of the 19 example files of OpenZeppelin Relayer 1.8 with an EVM relayer. Each starts unchanged, but for URLs, keys,
// webhooks, and a DATABASE_URL where it sets DISTRIBUTED_MODE.
import { ECDH, generateKeyPairSync } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import * as Keystore from 'ox/Keystore'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { compose } from '../../src/compose.ts'
import type { Config } from '../../src/config/config.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { namedNetworks } from '../../src/config/named-networks.ts'
import { ConfigError } from '../../src/config/report.ts'
import { processConditions } from '../../src/domain/process-condition.ts'
import { systemClock } from '../../src/ops/clock.ts'
import { watchProcess } from '../../src/ops/process-states.ts'
import { systemRandom } from '../../src/ops/random.ts'
import { quiet } from '../store/open-store.ts'

type Family = 'evm' | 'stellar' | 'solana'

interface Shape {
  /** Networks that its relayers name, with their families. */
  readonly relayers: readonly (readonly [Family, string])[]
  readonly networks: 'directory' | 'absent' | 'one in the file' | 'one that inherits, in the file'
  readonly signer: keyof typeof signers
  readonly hasNotification: boolean
  readonly plugins?: readonly object[]
  readonly environment?: Readonly<Record<string, string>>
}

const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const ed25519 = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const base64 = (...parts: (string | undefined)[]) =>
  Buffer.concat(parts.map((part = '') => Buffer.from(part, 'base64url'))).toString('base64')
/** A compressed point. */
const p256Public = ECDH.convertKey(
  p256.publicKey.export({ format: 'der', type: 'spki' }).subarray(-65),
  'prime256v1',
  undefined,
  'hex',
  'compressed',
)

const secretOf = (value: string) => ({ type: 'env', value })

/** As the examples have them. Only their values are of this test. */
const signers = {
  local: { path: 'config/keys/local-signer.json', passphrase: secretOf('KEYSTORE_PASSPHRASE') },
  aws_kms: { region: 'us-west-2', key_id: 'an-id' },
  azure_key_vault: {
    ...{ auth_type: 'client_secret', vault_url: 'https://name.vault.azure.net', key_name: 'relayer' },
    ...{ tenant_id: secretOf('SECRET'), client_id: secretOf('SECRET'), client_secret: secretOf('SECRET') },
  },
  cdp: {
    ...{ api_key_id: 'an-id', account_address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' },
    ...{ api_key_secret: secretOf('CDP_API_KEY_SECRET'), wallet_secret: secretOf('CDP_WALLET_SECRET') },
  },
  google_cloud_kms: {
    service_account: {
      ...{ project_id: 'project', client_id: '123', universe_domain: 'googleapis.com' },
      ...{
        private_key_id: secretOf('SECRET'),
        private_key: secretOf('GOOGLE_PRIVATE_KEY'),
        client_email: secretOf('SECRET'),
      },
      auth_uri: 'https://accounts.google.com/o/oauth2/auth',
      token_uri: 'https://oauth2.googleapis.com/token',
      auth_provider_x509_cert_url: 'https://www.googleapis.com/oauth2/v1/certs',
      client_x509_cert_url: 'https://www.googleapis.com/robot/v1/metadata/x509/relayer',
    },
    key: { location: 'global', key_ring_id: 'ring', key_id: 'key', key_version: 1 },
  },
  turnkey: {
    api_public_key: p256Public,
    api_private_key: secretOf('TURNKEY_API_PRIVATE_KEY'),
    ...{ organization_id: 'organization', private_key_id: 'key' },
    public_key: '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
  },
}

const sepolia = [['evm', 'sepolia']] as const
const withStellar = [...sepolia, ['stellar', 'testnet']] as const
const plain = { relayers: sepolia, networks: 'directory', signer: 'local', hasNotification: true } as const

const shapes: Readonly<Record<string, Shape>> = {
  'config/config.example.json': {
    ...plain,
    relayers: [...withStellar, ['solana', 'devnet'], ['solana', 'mainnet-beta']],
  },
  'aws-sqs-queue-storage': {
    ...{ ...plain, relayers: withStellar, hasNotification: false },
    environment: { QUEUE_BACKEND: 'sqs', SQS_QUEUE_TYPE: 'auto', AWS_REGION: 'us-east-1', DISTRIBUTED_MODE: 'true' },
  },
  'basic-example-logging': { ...plain, environment: { LOG_MODE: 'file', LOG_DATA_DIR: 'logs', LOG_FORMAT: 'json' } },
  'basic-example-metrics': { ...plain, environment: { METRICS_ENABLED: 'true', METRICS_PORT: '8082' } },
  'basic-example-plugin': { ...plain, plugins: [{ id: 'example', path: 'example.ts' }] },
  'basic-example': { ...plain, relayers: withStellar },
  'evm-aws-kms-signer': { ...plain, signer: 'aws_kms' },
  'evm-azure-key-vault-signer': { ...plain, signer: 'azure_key_vault' },
  'evm-cdp-signer': { ...plain, signer: 'cdp' },
  'evm-gcp-kms-signer': { ...plain, signer: 'google_cloud_kms', networks: 'one in the file' },
  'evm-turnkey-signer': { ...plain, signer: 'turnkey' },
  'gas-price-caching': { ...plain, networks: 'one in the file' },
  'gcp-pubsub-queue-storage': {
    ...{ ...plain, relayers: withStellar, hasNotification: false },
    environment: { QUEUE_BACKEND: 'pubsub', PUBSUB_PROJECT_ID: 'project', DISTRIBUTED_MODE: 'true' },
  },
  'horizontal-scaling': {
    ...{ ...plain, networks: 'absent', hasNotification: false },
    environment: { DISTRIBUTED_MODE: 'true', REPOSITORY_STORAGE_TYPE: 'redis' },
  },
  'network-configuration-config-file': { ...plain, networks: 'one that inherits, in the file' },
  'network-configuration-json-file': plain,
  'rabbitmq-queue-storage': {
    ...{ ...plain, relayers: withStellar, hasNotification: false },
    environment: { QUEUE_BACKEND: 'rabbitmq', RABBITMQ_URL: 'amqp://127.0.0.1', DISTRIBUTED_MODE: 'true' },
  },
  'redis-storage': { ...plain, environment: { REPOSITORY_STORAGE_TYPE: 'redis', RESET_STORAGE_ON_START: 'true' } },
  'redis-tls': { ...plain, environment: { REPOSITORY_STORAGE_TYPE: 'redis', REDIS_URL: 'rediss://127.0.0.1' } },
}

const passphrase = 'a passphrase of the example'
/** Nothing listens there. */
const nowhere = 'http://127.0.0.1:9'

const commonEnvironment = {
  ...{ API_KEY: 'a-key-of-the-example-of-32-characters!', KEYSTORE_PASSPHRASE: passphrase },
  ...{
    WEBHOOK_SIGNING_KEY: 'a-signing-key-of-thirty-two-characters',
    SECRET: 'a secret',
    REDIS_URL: 'redis://redis:6379',
  },
  CDP_API_KEY_SECRET: base64(ed25519.d, ed25519.x),
  CDP_WALLET_SECRET: p256.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
  GOOGLE_PRIVATE_KEY: String(rsa.export({ format: 'pem', type: 'pkcs8' })),
  // A mounted secret.
  TURNKEY_API_PRIVATE_KEY: `${Buffer.from(String(p256.privateKey.export({ format: 'jwk' }).d), 'base64url').toString('hex')}\n`,
  // Of this test: no key service is reached, and no port is taken.
  ...{ HTTPS_PROXY: nowhere, APP_PORT: '0' },
}

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rescind-shapes-'))
  // The client of AWS looks for credentials there.
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'an-id')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'a-secret')
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true, force: true })
})

const [key, options] = Keystore.pbkdf2({ password: passphrase, iterations: 1_000 })
const keystore = JSON.stringify(Keystore.encrypt(`0x${'4c0883a6'.repeat(8)}`, key, options))

/** Every network that the incumbent has a name for, and two of other families. */
const directoryOfNetworks = {
  evm: namedNetworks.map(({ name, chainId }) => ({
    ...{ type: 'evm', network: name, chain_id: chainId, rpc_urls: [nowhere], required_confirmations: 6, symbol: 'ETH' },
    ...{ features: ['eip1559'], tags: [], is_testnet: true, average_blocktime_ms: 12_000 },
  })),
  stellar: [{ type: 'stellar', network: 'testnet', rpc_urls: [nowhere], passphrase: 'a network' }],
  solana: ['devnet', 'mainnet-beta'].map((network) => ({ type: 'solana', network, rpc_urls: [nowhere] })),
}

const oneNetwork = {
  ...{ network: 'sepolia', type: 'evm', chain_id: 11155111, rpc_urls: [nowhere, { url: nowhere, weight: 100 }] },
  ...{
    required_confirmations: 6,
    symbol: 'ETH',
    features: ['eip1559'],
    is_testnet: true,
    average_blocktime_ms: 12_000,
  },
  ...{ explorer_urls: ['https://explorer.example'], tags: [] },
  gas_price_cache: { enabled: true, stale_after_ms: 20_000, expire_after_ms: 45_000 },
}

function networksOf({ networks }: Shape): unknown {
  switch (networks) {
    case 'directory':
      return './config/networks'
    case 'absent':
      return undefined
    case 'one in the file':
      return [oneNetwork]
    case 'one that inherits, in the file':
      return [
        { ...oneNetwork, network: 'base' },
        { from: 'base', type: 'evm', network: 'sepolia', rpc_urls: [nowhere] },
      ]
  }
}

function fileOf(shape: Shape) {
  const notification = { id: 'notification-example', type: 'webhook', url: 'https://hooks.example/' }
  return {
    relayers: shape.relayers.map(([family, network], index) => ({
      ...{ id: `${network}-example${index}`, name: `${network} Example`, network, paused: false, network_type: family },
      ...(shape.hasNotification && { notification_id: notification.id }),
      signer_id: 'a-signer',
      policies: family === 'evm' ? { min_balance: 1 } : { fee_payment_strategy: 'relayer', min_balance: 1 },
    })),
    notifications: shape.hasNotification ? [{ ...notification, signing_key: secretOf('WEBHOOK_SIGNING_KEY') }] : [],
    signers: [{ id: 'a-signer', type: shape.signer, config: signers[shape.signer] }],
    networks: networksOf(shape),
    plugins: shape.plugins ?? [],
  }
}

/** Writes the file into a fresh folder, with the keystore and the directory of networks beside it. */
async function workplace(file: unknown): Promise<string> {
  const directory = await mkdtemp(join(folder, 'one-'))
  const files = {
    'config/config.json': JSON.stringify(file),
    'config/keys/local-signer.json': keystore,
    ...Object.fromEntries(
      Object.entries(directoryOfNetworks).map(([name, list]) => [
        `config/networks/${name}.json`,
        JSON.stringify({ networks: list }),
      ]),
    ),
  }
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(directory, dirname(path)), { recursive: true })
    await writeFile(join(directory, path), text)
  }
  return directory
}

/** From the configuration to an open port, and back. */
async function start(config: Config): Promise<void> {
  const around = {
    clock: systemClock,
    random: systemRandom(),
    logger: quiet,
    version: 'of the shapes',
    processStates: watchProcess(systemClock, processConditions),
  }
  await using service = await compose({ ...config, server: { ...config.server, port: 0 } }, around)
  expect((await service.listen()).url).toMatch(/^http:/)
}

const withoutMode = ({ DISTRIBUTED_MODE: _, ...others }: Readonly<Record<string, string>>) => others

// A key service that can't be reached is given some seconds.
test.concurrent.each(Object.entries(shapes).filter(([, { plugins }]) => !plugins))('%s starts', async (_, shape) => {
  const directory = await workplace(fileOf(shape))
  const environment: Readonly<Record<string, string>> = { ...commonEnvironment, ...shape.environment }
  if ('DISTRIBUTED_MODE' in environment) {
    // A file for each process would be two nonce sequences of one account.
    const refused = await loadConfig(environment, directory).catch((error: unknown) => error)
    expect(String(refused)).toMatch(/DISTRIBUTED_MODE: is true, and the SQLite file/)
    const url = 'postgres://rescind:word@127.0.0.1:9/rescind'
    expect((await loadConfig({ ...environment, DATABASE_URL: url }, directory)).database.kind).toBe('postgres')
  }
  const config = await loadConfig(withoutMode(environment), directory)
  expect(config.relayers.map(({ network }) => network)).toEqual(['sepolia'])
  const skipped = shape.relayers.filter(([family]) => family !== 'evm').length
  const warned = config.warnings.filter((warning) => warning.startsWith('relayers: skipped'))
  expect(warned).toHaveLength(skipped > 0 ? 1 : 0)
  await start(config)
})

test('there are 19, and the one with a plug-in is refused by its name', async () => {
  expect(Object.keys(shapes)).toHaveLength(19)
  const withPlugin = Object.values(shapes).filter(({ plugins }) => plugins)
  expect(withPlugin).toHaveLength(1)
  for (const shape of withPlugin) {
    const error = await loadConfig(commonEnvironment, await workplace(fileOf(shape))).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ConfigError)
    expect(String(error)).toMatch(
      /plugins: plug-ins are not run by this service \("example"\); remove the member "plugins"/,
    )
  }
})
