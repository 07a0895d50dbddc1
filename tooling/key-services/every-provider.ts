// A stand-in for each provider, holding keys that the caller names, and the signers of a configuration that reach them.
import { createECDH, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { Hex } from 'viem'
import { certificateAuthority } from './certificate.ts'
import { awsRegion, startFakeAwsKms } from './fake-aws-kms.ts'
import { azureTenant, startFakeAzureKeyVault } from './fake-azure-key-vault.ts'
import { startFakeCdp } from './fake-cdp.ts'
import { googleServiceAccount, startFakeGoogleCloudKms } from './fake-google-cloud-kms.ts'
import type { FakeService } from './fake-service.ts'
import { startFakeTurnkey, turnkeyOrganization } from './fake-turnkey.ts'
import { type FakeVault, startFakeVault } from './fake-vault.ts'
import { startFakeWeb3signer } from './fake-web3signer.ts'
import { servedKey } from './served-key.ts'
import { type SoftHsm, startSoftHsm, whyNoSoftHsm } from './soft-hsm.ts'

interface SignerEntry {
  readonly type: string
  readonly config: Readonly<Record<string, unknown>>
}

export interface EveryProvider extends AsyncDisposable {
  /** By type. Without SoftHSM there is no `pkcs11`. */
  readonly signers: Readonly<Record<string, SignerEntry>>
  readonly vault: FakeVault
  /** By type; without `pkcs11`. `env`: the part of this provider. */
  readonly fakes: Readonly<
    Record<string, { readonly fake: FakeService; readonly env: Readonly<Record<string, string>> }>
  >
  /** For the process of the service. */
  readonly env: Readonly<Record<string, string>>
  readonly nodeArguments: readonly string[]
}

/** In the order of the keys that they get. */
export const providers = [
  ...['aws_kms', 'google_cloud_kms', 'azure_key_vault', 'vault', 'turnkey', 'cdp', 'web3signer', 'pkcs11'],
] as const

interface Part {
  readonly config: Readonly<Record<string, unknown>>
  readonly fake: FakeService
  /** The host that the service believes it reaches. */
  readonly hosts?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export async function startEveryProvider(keyOf: (type: string) => Hex): Promise<EveryProvider> {
  await using started = new AsyncDisposableStack()
  const authority = certificateAuthority()
  const fakeVault = await startFakeVault()
  const parts: Record<string, Part> = {
    aws_kms: await aws(keyOf('aws_kms')),
    google_cloud_kms: await google(keyOf('google_cloud_kms')),
    azure_key_vault: await azure(keyOf('azure_key_vault'), authority.issue('kept.vault.azure.net')),
    vault: vault(fakeVault, keyOf('vault')),
    turnkey: await turnkey(keyOf('turnkey')),
    cdp: await cdp(keyOf('cdp')),
    web3signer: await web3signer(keyOf('web3signer')),
  }
  for (const { fake } of Object.values(parts)) started.use(fake)
  const hsm = whyNoSoftHsm() === undefined ? started.use(await startSoftHsm()) : undefined
  await hsm?.importKey('payouts', '01', keyOf('pkcs11'))
  const entries = Object.entries(parts)
  const redirected = entries.flatMap(([, { hosts = [], fake }]) => hosts.map((host) => [host, fake.url]))
  const configs = [...entries.map(([type, { config }]) => [type, config] as const), ...(hsm ? [pkcs11(hsm)] : [])]
  const kept = started.move()
  return {
    signers: Object.fromEntries(configs.map(([type, config]) => [type, { type, config }])),
    vault: fakeVault,
    fakes: Object.fromEntries(entries.map(([type, { fake, env = {} }]) => [type, { fake, env }])),
    env: {
      ...Object.assign({}, ...entries.map(([, { env = {} }]) => env)),
      REDIRECTED_ORIGINS: JSON.stringify(Object.fromEntries(redirected)),
      REDIRECTED_CA: authority.cert,
      ...(hsm && { SOFTHSM2_CONF: hsm.configFile, HSM_PIN: hsm.pin }),
    },
    nodeArguments: ['--import', fileURLToPath(new URL('./redirect.ts', import.meta.url))],
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

const byName = (value: string) => ({ type: 'env', value })

async function aws(key: Hex): Promise<Part> {
  // As long as real ones are.
  const secretAccessKey = randomBytes(30).toString('base64')
  const fake = await startFakeAwsKms()
  fake.keys.set('k1', { key: servedKey(key), state: 'Enabled', keySpec: 'ECC_SECG_P256K1', keyUsage: 'SIGN_VERIFY' })
  fake.aliases.set('alias/payouts', 'k1')
  fake.credentials.set('AKIAFAKE', { accessKeyId: 'AKIAFAKE', secretAccessKey })
  const env = {
    AWS_ENDPOINT_URL_KMS: fake.url,
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_ACCESS_KEY_ID: 'AKIAFAKE',
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  }
  return { fake, env, config: { region: awsRegion, key_id: 'alias/payouts' } }
}

async function google(key: Hex): Promise<Part> {
  const fake = await startFakeGoogleCloudKms()
  const account = googleServiceAccount('relayer@project-1.iam.gserviceaccount.com')
  fake.accounts.set(account.email, account)
  const path = 'projects/project-1/locations/global/keyRings/relayers/cryptoKeys/payouts/cryptoKeyVersions/1'
  fake.versions.set(path, { key: servedKey(key), algorithm: 'EC_SIGN_SECP256K1_SHA256' })
  const named = {
    private_key_id: byName('GOOGLE_KEY_ID'),
    private_key: byName('GOOGLE_KEY'),
    client_email: byName('GOOGLE_EMAIL'),
  }
  return {
    fake,
    hosts: ['https://cloudkms.googleapis.com'],
    env: { GOOGLE_KEY_ID: account.keyId, GOOGLE_KEY: account.pem, GOOGLE_EMAIL: account.email },
    config: {
      service_account: { project_id: 'project-1', client_id: '1', ...named },
      key: { key_ring_id: 'relayers', key_id: 'payouts' },
    },
  }
}

async function azure(key: Hex, tls: { readonly key: string; readonly cert: string }): Promise<Part> {
  const fake = await startFakeAzureKeyVault(tls)
  fake.keys.set('payouts/v1', { key: servedKey(key), crv: 'P-256K', enabled: true, operations: ['sign'] })
  fake.latest.set('payouts', 'v1')
  fake.clients.set('client-1', 'azure-secret')
  const login = { tenant_id: byName('AZURE_T'), client_id: byName('AZURE_C'), client_secret: byName('AZURE_S') }
  return {
    fake,
    hosts: ['https://kept.vault.azure.net', 'https://login.microsoftonline.com'],
    env: { AZURE_T: azureTenant, AZURE_C: 'client-1', AZURE_S: 'azure-secret' },
    config: { ...login, vault_url: 'https://kept.vault.azure.net', key_name: 'payouts', key_version: null },
  }
}

function vault(fake: FakeVault, key: Hex): Part {
  fake.roles.set('role-1', 'vault-secret')
  fake.secrets.set('secret/payouts', { version: 1, data: { value: key } })
  const login = { role_id: byName('VAULT_ROLE'), secret_id: byName('VAULT_SECRET') }
  const env = { VAULT_ROLE: 'role-1', VAULT_SECRET: 'vault-secret' }
  return { fake, env, config: { address: fake.url, key_name: 'payouts', ...login } }
}

async function turnkey(key: Hex): Promise<Part> {
  const fake = await startFakeTurnkey()
  const [served, pair] = [servedKey(key), createECDH('prime256v1')]
  pair.generateKeys()
  const apiPublicKey = pair.getPublicKey('hex', 'compressed')
  fake.keys.set('key-1', served)
  fake.apiKeys.add(apiPublicKey)
  return {
    fake,
    hosts: ['https://api.turnkey.com'],
    env: { TURNKEY_KEY: pair.getPrivateKey('hex').padStart(64, '0') },
    config: {
      api_public_key: apiPublicKey,
      api_private_key: byName('TURNKEY_KEY'),
      organization_id: turnkeyOrganization,
      private_key_id: 'key-1',
      public_key: served.publicKey,
    },
  }
}

async function cdp(key: Hex): Promise<Part> {
  const fake = await startFakeCdp()
  const [served, api, wallet] = [
    servedKey(key),
    generateKeyPairSync('ed25519').privateKey,
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  ]
  fake.accounts.set(served.address, served)
  fake.apiKeys.set('api-1', createPublicKey(api))
  fake.wallet.key = createPublicKey(wallet)
  const { d = '', x = '' } = api.export({ format: 'jwk' })
  const apiSecret = Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]).toString('base64')
  const walletSecret = wallet.export({ type: 'pkcs8', format: 'der' }).toString('base64')
  return {
    fake,
    hosts: ['https://api.cdp.coinbase.com'],
    env: { CDP_API: apiSecret, CDP_WALLET: walletSecret },
    config: {
      api_key_id: 'api-1',
      api_key_secret: byName('CDP_API'),
      wallet_secret: byName('CDP_WALLET'),
      account_address: served.address,
    },
  }
}

async function web3signer(key: Hex): Promise<Part> {
  const fake = await startFakeWeb3signer()
  const served = servedKey(key)
  fake.keys.push(served)
  return { fake, config: { url: fake.url, public_key: served.publicKey } }
}

function pkcs11({ module, tokenLabel }: SoftHsm) {
  return ['pkcs11', { module, token_label: tokenLabel, key_label: 'payouts', pin: byName('HSM_PIN') }] as const
}
