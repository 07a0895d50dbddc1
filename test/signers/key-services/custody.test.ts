// Signers over the providers' own clients and stand-ins that behave as reports say: tokens that come slowly or end early, clocks that
// differ, identity providers that fail for a moment. All signatures come, and nobody has to act.
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { KMSClientConfig } from '@aws-sdk/client-kms'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { systemClock } from '../../../src/ops/clock.ts'
import { noMetrics } from '../../../src/ops/metrics.ts'
import { systemRandom } from '../../../src/ops/random.ts'
import { secret } from '../../../src/ops/secret.ts'
import { openAwsKms } from '../../../src/signers/aws-kms.ts'
import { openAzureKeyVault } from '../../../src/signers/azure-key-vault.ts'
import { openCdp } from '../../../src/signers/cdp.ts'
import { viemCurve } from '../../../src/signers/curve.ts'
import { openGoogleCloudKms } from '../../../src/signers/google-cloud-kms.ts'
import type { KeyService } from '../../../src/signers/key-service.ts'
import { openRemoteSigner } from '../../../src/signers/remote/open-remote-signer.ts'
import { openQuotaQueues } from '../../../src/signers/remote/quota-queue.ts'
import type { Signer } from '../../../src/signers/signer.ts'
import { openTurnkey } from '../../../src/signers/turnkey.ts'
import { openVaultKey } from '../../../src/signers/vault-key.ts'
import { certificateAuthority } from '../../../tooling/key-services/certificate.ts'
import { awsRegion, type FakeAwsKms, startFakeAwsKms } from '../../../tooling/key-services/fake-aws-kms.ts'
import { type FakeAwsSts, startFakeAwsSts, stsFailure } from '../../../tooling/key-services/fake-aws-sts.ts'
import { azureTenant, startFakeAzureKeyVault } from '../../../tooling/key-services/fake-azure-key-vault.ts'
import { cdpFailure, startFakeCdp } from '../../../tooling/key-services/fake-cdp.ts'
import { startFakeGoogleCloudKms } from '../../../tooling/key-services/fake-google-cloud-kms.ts'
import type { FakeService } from '../../../tooling/key-services/fake-service.ts'
import { startFakeTurnkey, turnkeyOrganization } from '../../../tooling/key-services/fake-turnkey.ts'
import { startFakeVault, vaultFailure } from '../../../tooling/key-services/fake-vault.ts'
import { servedKey } from '../../../tooling/key-services/served-key.ts'
import { listeningLog } from '../workplace.ts'
import { accessTo, apiKeyPair, someDigest, unaborted } from './support.ts'

const slowMs = 2_500
const key = servedKey()

async function signerOver(service: KeyService) {
  const { log, warnings } = listeningLog()
  const calls: string[] = []
  const context = { clock: systemClock, random: systemRandom(), log, curve: viemCurve }
  const signer = await openRemoteSigner(
    { id: 'key', service },
    {
      ...context,
      quotas: openQuotaQueues(systemClock),
      metrics: { ...noMetrics.signers, called: (_, result) => calls.push(result) },
      storedAddress: async () => undefined,
    },
  )
  expect(signer.address).toBe(key.address)
  return { signer, warnings, calls }
}

let nonce = 0

function sign(signer: Signer, count = 1): Promise<readonly unknown[]> {
  const fees = { kind: 'legacy', gasPrice: 7n } as const
  const one = () => {
    nonce += 1
    const unsigned = { chainId: 1, nonce, gasLimit: 21_000, to: key.address, value: 5n, data: '0x', fees } as const
    return signer.sign(unsigned, { priority: 'cancel', deadline: Date.now() + 10_000 })
  }
  return Promise.all(Array.from({ length: count }, one))
}

const requests = ({ requests: all }: FakeService, where: string) =>
  all.filter(({ path }) => path.includes(where)).length

test('a new token of Google takes 2.5 seconds: ten signatures wait for it, and share it', async () => {
  await using fake = await startFakeGoogleCloudKms()
  const path = 'projects/p/locations/global/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1'
  fake.versions.set(path, { key, algorithm: 'EC_SIGN_SECP256K1_SHA256' })
  vi.stubEnv('GCE_METADATA_HOST', fake.url.replace('http://', ''))
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', undefined)
  vi.stubEnv('CLOUDSDK_CONFIG', '/nonexistent')
  const named = { location: 'global', keyRingId: 'r', keyId: 'k', keyVersion: 1 }
  const settings = { type: 'google_cloud_kms', projectId: 'p', universeDomain: 'googleapis.com', key: named } as const
  await using access = accessTo({ 'https://cloudkms.googleapis.com': fake.url })
  const { signer, warnings } = await signerOver(await openGoogleCloudKms({ id: 'key', ...settings }, access))
  const before = requests(fake, '/token')
  fake.delay('/token', slowMs)
  fake.tokens.clear()
  await sign(signer, 10)
  expect(requests(fake, '/token') - before).toBe(1)
  expect(warnings).toEqual([])
})

test.each([3_599, 240])(
  'a new token of Azure takes 2.5 seconds, and is good for %i: forty signatures share it',
  async (seconds) => {
    const authority = certificateAuthority()
    await using fake = await startFakeAzureKeyVault(authority.issue('kept.vault.azure.net'))
    fake.keys.set('k/v1', { key, crv: 'P-256K', enabled: true, operations: ['sign'] })
    fake.latest.set('k', 'v1')
    fake.clients.set('c', 's')
    fake.granted.seconds = seconds
    const hosts = ['https://kept.vault.azure.net', 'https://login.microsoftonline.com']
    await using access = accessTo(Object.fromEntries(hosts.map((host) => [host, fake.url])), { ca: authority.cert })
    const named = { tenantId: secret(azureTenant), clientId: secret('c'), clientSecret: secret('s') }
    const authentication = { kind: 'client_secret', ...named } as const
    const vaultUrl = 'https://kept.vault.azure.net'
    const service = openAzureKeyVault({ type: 'azure_key_vault', vaultUrl, keyName: 'k', authentication }, access)
    const { signer, warnings } = await signerOver(service)
    const before = requests(fake, '/oauth2/')
    fake.delay('/oauth2/', slowMs)
    fake.tokens.clear()
    await sign(signer, 40)
    await sign(signer, 40)
    expect(requests(fake, '/oauth2/') - before).toBe(1)
    expect(warnings).toEqual([])
  },
)

test('an activity of Turnkey takes 2.5 seconds: it is submitted once', async () => {
  await using fake = await startFakeTurnkey()
  const api = apiKeyPair()
  fake.keys.set('k', key)
  fake.apiKeys.add(api.publicKey)
  await using access = accessTo({ 'https://api.turnkey.com': fake.url })
  const names = { organizationId: turnkeyOrganization, privateKeyId: 'k', apiPublicKey: api.publicKey }
  const keys = { apiPrivateKey: secret(api.privateKey), publicKey: key.publicKey }
  const { signer, warnings } = await signerOver(openTurnkey({ id: 'key', type: 'turnkey', ...names, ...keys }, access))
  const before = requests(fake, '/submit/')
  fake.next.pendingMs = slowMs
  await sign(signer)
  expect(requests(fake, '/submit/') - before).toBe(1)
  expect(warnings).toEqual([])
})

test('CDP refuses valid tokens for 250 ms: the second try comes after that', async () => {
  await using fake = await startFakeCdp()
  const [api, wallet] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ec', { namedCurve: 'P-256' })]
  fake.accounts.set(key.address, key)
  fake.apiKeys.set('a', createPublicKey(api.privateKey))
  fake.wallet.key = createPublicKey(wallet.privateKey)
  const { d = '', x = '' } = api.privateKey.export({ format: 'jwk' })
  const apiKeySecret = secret(Buffer.concat([d, x].map((part) => Buffer.from(part, 'base64url'))).toString('base64'))
  const walletSecret = secret(wallet.privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'))
  await using access = accessTo({ 'https://api.cdp.coinbase.com': fake.url })
  const settings = { apiKeyId: 'a', apiKeySecret, walletSecret, accountAddress: key.address }
  const { signer, warnings } = await signerOver(openCdp({ id: 'key', type: 'cdp', ...settings }, access))
  const before = fake.requests.length
  fake.failAll('/sign', cdpFailure(401, 'unauthorized'))
  const signing = sign(signer)
  await vi.waitFor(() => expect(fake.requests.length).toBeGreaterThan(before), { interval: 5 })
  await sleep(250)
  fake.failAll('/sign', undefined)
  await signing
  expect(fake.requests.length - before).toBe(2)
  expect(warnings).toEqual([])
})

test('a standby of Vault redirects: nothing follows with the token, and the active node is read later', async () => {
  await using active = await startFakeVault()
  await using standby = await startFakeVault()
  standby.roles.set('role', 'secret')
  standby.secrets.set('secret/k', { version: 1, data: { value: key.privateKey } })
  const location = `${active.url}/v1/secret/data/k`
  standby.failNext('/data/', { ...vaultFailure(307), headers: { location } })
  await using access = accessTo()
  const authentication = {
    kind: 'approle',
    mount: 'approle',
    roleId: secret('role'),
    secretId: secret('secret'),
  } as const
  const place = { url: standby.url, mountPoint: 'secret', keyName: 'k', authentication }
  const { signer } = await signerOver(openVaultKey({ id: 'key', type: 'vault', ...place }, access, viemCurve))
  await sign(signer)
  expect(active.requests).toEqual([])
  // The secret id was good for one login only.
  expect(requests(standby, '/login')).toBe(1)
})

let kms: FakeAwsKms
let sts: FakeAwsSts
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rescind-custody-'))
  await writeFile(join(folder, 'token'), 'a-web-identity')
})
afterAll(() => rm(folder, { recursive: true }))

/** Credentials by web identity, as on EKS. */
beforeEach(async () => {
  kms = await startFakeAwsKms()
  sts = await startFakeAwsSts(kms.credentials)
  kms.keys.set('k', { key, state: 'Enabled', keySpec: 'ECC_SECG_P256K1', keyUsage: 'SIGN_VERIFY' })
  const environment = {
    ...{ AWS_ENDPOINT_URL_KMS: kms.url, AWS_ENDPOINT_URL_STS: sts.url, AWS_REGION: awsRegion },
    ...{ AWS_WEB_IDENTITY_TOKEN_FILE: join(folder, 'token'), AWS_ROLE_ARN: 'arn:aws:iam::111122223333:role/relayer' },
    ...{ AWS_EC2_METADATA_DISABLED: 'true', AWS_CONFIG_FILE: '/dev/null', AWS_SHARED_CREDENTIALS_FILE: '/dev/null' },
  }
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_PROFILE']) {
    vi.stubEnv(name, undefined)
  }
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await kms[Symbol.asyncDispose]()
  await sts[Symbol.asyncDispose]()
})

type Sdk = typeof import('@aws-sdk/client-kms')

function openAws(load?: () => Promise<Sdk>): Promise<KeyService> {
  return openAwsKms({ id: 'key', type: 'aws_kms', region: awsRegion, keyId: 'k' }, { clock: systemClock }, load)
}

function endTokens(): void {
  for (const { sessionToken } of kms.credentials.values()) if (sessionToken) kms.expired.add(sessionToken)
}

/** Counts clients, and calls after the end of theirs. */
async function countingSdk() {
  const sdk = await import('@aws-sdk/client-kms')
  const count = { clients: 0, ended: 0, callsOfEnded: 0 }
  class KMSClient extends sdk.KMSClient {
    #underWay = 0
    constructor(config: KMSClientConfig) {
      super(config)
      count.clients += 1
      this.middlewareStack.add(
        (next) => async (given) => {
          this.#underWay += 1
          return next(given).finally(() => {
            this.#underWay -= 1
          })
        },
        { step: 'initialize' },
      )
    }
    override destroy(): void {
      count.ended += 1
      count.callsOfEnded += this.#underWay
      super.destroy()
    }
  }
  return { count, load: async () => ({ ...sdk, KMSClient }) as Sdk }
}

test('the token of AWS ends while fifty calls run: all are signed, one new client serves them, and the old one ends last', async () => {
  const { count, load } = await countingSdk()
  const service = await openAws(load)
  const { signer, warnings } = await signerOver(service)
  kms.delay('/', 100)
  const early = sign(signer, 10)
  await sleep(50)
  endTokens()
  await Promise.all([early, sign(signer, 50)])
  expect(count).toEqual({ clients: 2, ended: 1, callsOfEnded: 0 })
  expect(requests(sts, '/')).toBe(2)
  expect(warnings).toEqual([])
  await service.close?.()
})

test.each([-10, 10])(
  'the clock of AWS is %i minutes ahead: it is corrected, also while the signer opens, and the log says so',
  async (ahead) => {
    kms.clock.aheadMs = ahead * 60_000
    const opened = await signerOver(await openAws())
    await sign(opened.signer)
    kms.clock.aheadMs = 0
    const { signer, warnings, calls } = await signerOver(await openAws())
    kms.clock.aheadMs = ahead * 60_000
    await sign(signer)
    expect(calls).toEqual(['signed', 'transient', 'signed'])
    const [{ facts } = { facts: {} }] = warnings
    expect(Math.round(Number('clock_ahead_ms' in facts && facts.clock_ahead_ms) / 60_000)).toBe(-ahead)
    // The machine's clock is set right, and the SDK still corrects it once.
    kms.clock.aheadMs = 0
    await sign(signer)
    expect(calls.slice(3)).toEqual(['transient', 'signed'])
    // A wrong secret has the same code.
    for (const [id, known] of kms.credentials) kms.credentials.set(id, { ...known, secretAccessKey: 'another' })
    await expect(sign(signer)).rejects.toMatchObject({ code: 'InvalidSignatureException', isPermanent: true })
  },
)

test.each(['IDPCommunicationError', 'InvalidIdentityToken'])(
  'STS answers %s for a moment, at the start and later',
  async (code) => {
    sts.failNext('/', stsFailure(code), stsFailure(code))
    const { signer, calls } = await signerOver(await openAws())
    sts.failNext('/', stsFailure(code), stsFailure(code))
    endTokens()
    await sign(signer)
    expect(calls.at(-1)).toBe('signed')
    expect(signer.remote?.isAvailable()).toBe(true)
  },
)

test('STS names the reason, and a chain that reaches nobody is as transient', async () => {
  sts.failAll('/', stsFailure('IDPCommunicationError'))
  const service = await openAws()
  await expect(service.open(unaborted)).rejects.toMatchObject({
    ...{ kind: 'transient', code: expect.stringMatching(/^IDPCommunicationError/) },
  })
  sts.failAll('/', 'drop')
  await expect(service.sign(someDigest, unaborted)).rejects.toMatchObject({ kind: 'transient' })
})

test('STS takes 2.5 seconds for new credentials: ten signatures wait for them', async () => {
  const { signer, warnings } = await signerOver(await openAws())
  const before = requests(sts, '/')
  sts.delay('/', slowMs)
  endTokens()
  await sign(signer, 10)
  expect(requests(sts, '/') - before).toBe(1)
  expect(warnings).toEqual([])
})
