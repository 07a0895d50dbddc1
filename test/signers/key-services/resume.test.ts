// Signing resumes within three seconds of the recovery of each source of credentials, whatever it answered meanwhile: in a signer that
// has signed, and in one that is at its first start.
import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signerTable } from '../../../src/domain/signer-table.ts'
import type { Clock } from '../../../src/ops/clock.ts'
import { noMetrics } from '../../../src/ops/metrics.ts'
import { systemRandom } from '../../../src/ops/random.ts'
import { secret } from '../../../src/ops/secret.ts'
import { openAwsKms } from '../../../src/signers/aws-kms.ts'
import { openAzureKeyVault } from '../../../src/signers/azure-key-vault.ts'
import { viemCurve } from '../../../src/signers/curve.ts'
import { openGoogleCloudKms } from '../../../src/signers/google-cloud-kms.ts'
import type { KeyService } from '../../../src/signers/key-service.ts'
import { openOrAwait } from '../../../src/signers/remote/open-remote-signer.ts'
import { openQuotaQueues } from '../../../src/signers/remote/quota-queue.ts'
import type { AzureKeyVaultSettings, KeyServiceType, VaultAuthentication } from '../../../src/signers/settings.ts'
import type { Signer } from '../../../src/signers/signer.ts'
import { openVaultKey } from '../../../src/signers/vault-key.ts'
import { certificateAuthority } from '../../../tooling/key-services/certificate.ts'
import { awsRegion, startFakeAwsKms } from '../../../tooling/key-services/fake-aws-kms.ts'
import { startFakeAwsMetadata } from '../../../tooling/key-services/fake-aws-metadata.ts'
import { startFakeAwsSts } from '../../../tooling/key-services/fake-aws-sts.ts'
import { azureTenant, startFakeAzureKeyVault } from '../../../tooling/key-services/fake-azure-key-vault.ts'
import { startFakeGoogleCloudKms } from '../../../tooling/key-services/fake-google-cloud-kms.ts'
import type { FakeFailure, FakeService } from '../../../tooling/key-services/fake-service.ts'
import { startFakeVault } from '../../../tooling/key-services/fake-vault.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { listeningLog } from '../workplace.ts'
import { key, sign } from './over-service.ts'
import { accessTo } from './support.ts'

interface Case {
  readonly clock: Clock
  /** The environment of this case alone. */
  readonly env: Record<string, string | undefined>
  readonly stack: AsyncDisposableStack
}

interface OpenSource {
  readonly service: KeyService
  readonly fake: FakeService
  /** The source, in the paths of the requests to it. */
  readonly where: string
  /** The key service refuses what the source has given. Absent: it is needed at the start only. */
  readonly endCredentials?: () => void
}

interface Source {
  readonly name: string
  /** Answers after which a try is not free. */
  readonly not?: readonly string[]
  open(given: Case): Promise<OpenSource>
}

const answers: Readonly<Record<string, FakeFailure | 'refused'>> = {
  ...{ refused: 'refused', hang: 'hang' },
  ...Object.fromEntries([400, 401, 403, 404, 429, 500, 503].map((status) => [status, { status, body: 'as ordered' }])),
  HTML: { status: 200, headers: { 'content-type': 'text/html' }, body: '<html><body>Sign in</body></html>' },
  empty: { status: 200, body: '' },
}

let folder: string
const authority = certificateAuthority()
const environments = new AsyncLocalStorage<NodeJS.ProcessEnv>()
const ownEnvironment = process.env

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rescind-resume-'))
  await writeFile(join(folder, 'token'), 'a-token')
  Object.defineProperty(process, 'env', { configurable: true, get: () => environments.getStore() ?? ownEnvironment })
})
afterAll(async () => {
  Object.defineProperty(process, 'env', { configurable: true, writable: true, value: ownEnvironment })
  await rm(folder, { recursive: true })
})

/** The machine's time, less the turns that a busy machine made long. */
function ownClock(stack: AsyncDisposableStack): Clock {
  const clock = manualClock()
  let lastMs = performance.now()
  const ticking = setInterval(() => {
    const nowMs = performance.now()
    clock.advance(Math.min(nowMs - lastMs, 20))
    lastMs = nowMs
  }, 10)
  stack.defer(() => clearInterval(ticking))
  return clock
}

type Known = Awaited<ReturnType<typeof startFakeAwsKms>>['credentials']

function aws(
  name: string,
  start: (known: Known) => Promise<FakeService>,
  envOf: (url: string) => Readonly<Record<string, string>>,
): Source {
  return {
    name,
    async open({ clock, env, stack }) {
      const kms = stack.use(await startFakeAwsKms())
      kms.keys.set('k', { key, state: 'Enabled', keySpec: 'ECC_SECG_P256K1', keyUsage: 'SIGN_VERIFY' })
      const fake = stack.use(await start(kms.credentials))
      const files = { AWS_CONFIG_FILE: '/dev/null', AWS_SHARED_CREDENTIALS_FILE: '/dev/null' }
      Object.assign(env, { AWS_ENDPOINT_URL_KMS: kms.url, AWS_REGION: awsRegion, ...files, ...envOf(fake.url) })
      const service = await openAwsKms({ id: 'key', type: 'aws_kms', region: awsRegion, keyId: 'k' }, { clock })
      stack.defer(() => service.close?.())
      // As when a role is deleted and made again: the ids of its sessions mean nothing to KMS.
      return { service, fake, where: '/', endCredentials: () => kms.credentials.clear() }
    },
  }
}

const google: Source = {
  name: 'the metadata server',
  async open({ clock, env, stack }) {
    const fake = stack.use(await startFakeGoogleCloudKms())
    const path = 'projects/p/locations/global/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1'
    fake.versions.set(path, { key, algorithm: 'EC_SIGN_SECP256K1_SHA256' })
    Object.assign(env, { GCE_METADATA_HOST: fake.url.replace('http://', ''), CLOUDSDK_CONFIG: '/nonexistent' })
    const named = { location: 'global', keyRingId: 'r', keyId: 'k', keyVersion: 1 }
    const settings = { type: 'google_cloud_kms', projectId: 'p', universeDomain: 'googleapis.com', key: named } as const
    const access = { ...stack.use(accessTo({ 'https://cloudkms.googleapis.com': fake.url })), clock }
    const service = await openGoogleCloudKms({ id: 'key', ...settings }, access)
    return { service, fake, where: '/computeMetadata', endCredentials: () => fake.tokens.clear() }
  },
}

function azure(name: string, where: string, authenticationOf: () => AzureKeyVaultSettings['authentication']): Source {
  return {
    name,
    async open({ clock, stack }) {
      const fake = stack.use(await startFakeAzureKeyVault(authority.issue('kept.vault.azure.net')))
      fake.keys.set('k/v1', { key, crv: 'P-256K', enabled: true, operations: ['sign'] })
      fake.latest.set('k', 'v1')
      fake.clients.set('c', 's')
      fake.federated.set('c', 'a-token')
      Object.assign(fake.platform, { header: 'h', expiresOn: Math.floor(clock.now() / 1000) + 3600 })
      const hosts = ['https://kept.vault.azure.net', 'https://login.microsoftonline.com', 'http://169.254.169.254']
      const redirected = Object.fromEntries([...hosts, 'http://127.0.0.1:41741'].map((host) => [host, fake.url]))
      const access = { ...stack.use(accessTo(redirected, { ca: authority.cert })), clock }
      const place = { vaultUrl: 'https://kept.vault.azure.net', keyName: 'k', authentication: authenticationOf() }
      const service = openAzureKeyVault({ type: 'azure_key_vault', ...place }, access)
      return { service, fake, where, endCredentials: () => fake.tokens.clear() }
    },
  }
}

const named = { tenantId: secret(azureTenant), clientId: secret('c') }

function vault(name: string, authenticationOf: () => VaultAuthentication, not: readonly string[] = []): Source {
  return {
    ...{ name, not },
    async open({ clock, stack }) {
      const fake = stack.use(await startFakeVault())
      fake.secrets.set('secret/k', { version: 1, data: { value: key.privateKey } })
      fake.roles.set('role', 'secret')
      fake.serviceAccounts.set('relayer', 'a-token')
      const place = { url: fake.url, mountPoint: 'secret', keyName: 'k', authentication: authenticationOf() }
      const access = { ...stack.use(accessTo()), clock }
      return { service: openVaultKey({ id: 'key', type: 'vault', ...place }, access, viemCurve), fake, where: '/login' }
    },
  }
}

/** The sources of credentials, or why there is none. */
const sources: Readonly<Record<KeyServiceType, readonly Source[] | string>> = {
  aws_kms: [
    aws('STS', startFakeAwsSts, (url) => ({
      ...{ AWS_ENDPOINT_URL_STS: url, AWS_WEB_IDENTITY_TOKEN_FILE: join(folder, 'token') },
      ...{ AWS_ROLE_ARN: 'arn:aws:iam::111122223333:role/relayer' },
    })),
    aws('a container', startFakeAwsMetadata, (url) => ({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/container` })),
    aws('IMDS', startFakeAwsMetadata, (url) => ({ AWS_EC2_METADATA_SERVICE_ENDPOINT: url })),
  ],
  google_cloud_kms: [google],
  azure_key_vault: [
    azure('a client secret', '/oauth2/', () => ({ kind: 'client_secret', ...named, clientSecret: secret('s') })),
    azure('workload identity', '/oauth2/', () => ({
      ...{ kind: 'workload_identity', ...named, federatedTokenFile: secret(join(folder, 'token')) },
    })),
    azure('a managed identity', '/metadata/', () => ({ kind: 'managed_identity' })),
    azure('the identity of App Service', '/msi/', () => ({
      ...{ kind: 'managed_identity', platform: { endpoint: 'http://127.0.0.1:41741/msi/token', header: secret('h') } },
    })),
  ],
  vault: [
    vault('Kubernetes', () => ({
      ...{ kind: 'kubernetes', mount: 'kubernetes', role: 'relayer', tokenFile: join(folder, 'token') },
    })),
    // A secret id may be good for one login, and Vault locks a role after five that it refused.
    vault(
      'AppRole',
      () => ({ kind: 'approle', mount: 'approle', roleId: secret('role'), secretId: secret('secret') }),
      ['hang', '400', '403'],
    ),
  ],
  turnkey: 'it signs each request with its API key',
  cdp: 'it signs tokens for each request',
  web3signer: 'it needs none, but a certificate',
  pkcs11: 'its PIN is refused by the token itself, and is tried once',
}

const cases = Object.entries(sources).flatMap(([type, listed]) =>
  typeof listed === 'string'
    ? []
    : listed.flatMap((source) =>
        Object.keys(answers)
          .filter((answer) => !source.not?.includes(answer))
          .map((answer) => ({ type, source, answer })),
      ),
)

const outageMs = 4_200

function openKey(service: KeyService, clock: Clock, stored: boolean): Promise<Signer | { close(): Promise<void> }> {
  const context = {
    clock,
    random: systemRandom(),
    log: listeningLog().log,
    curve: viemCurve,
    metrics: noMetrics.signers,
  }
  const storedAddress = async () => (stored ? key.address : undefined)
  return openOrAwait({ id: 'key', service }, { ...context, quotas: openQuotaQueues(clock), storedAddress })
}

async function mustOpen(...given: Parameters<typeof openKey>): Promise<Signer> {
  const opened = await openKey(...given)
  if (!('address' in opened)) throw new Error('its key service did not answer')
  return opened
}

/** Signs as an owner does: again when the signer may be tried. */
async function untilSigned(signer: Signer, clock: Clock): Promise<void> {
  const untilMs = clock.elapsed() + outageMs + 8_000
  while (clock.elapsed() < untilMs) {
    try {
      await sign(signer, 1, clock)
      return
    } catch {
      const outage = signer.remote?.outage()
      await clock.sleep(outage ? outage.retryAt - clock.now() : 750)
    }
  }
}

function fail({ fake, where }: OpenSource, answer: string): () => void {
  const failure = answers[answer]
  if (failure === 'refused') return fake.refuse()
  fake.failAll(where, failure)
  return () => fake.failAll(where, undefined)
}

let opening: Promise<unknown> = Promise.resolve()

/** One after the other: a turn in which all open would outlast the SDK's own limits. */
function inTurn<T>(open: () => Promise<T>): Promise<T> {
  const opened = opening.then(open)
  opening = opened.catch(() => undefined)
  return opened
}

/** How long after the recovery a signature comes. */
async function resumesAfter({ source, answer }: (typeof cases)[number], isFirstStart: boolean): Promise<number> {
  await using stack = new AsyncDisposableStack()
  const env = { ...ownEnvironment }
  for (const name of Object.keys(env)) if (/^(AWS|GOOGLE|GCE|METADATA)_/.test(name)) delete env[name]
  return await environments.run(env, async () => {
    const { clock, signer, ...opened } = await inTurn(async () => {
      const clock = ownClock(stack)
      const opened = await source.open({ clock, env, stack })
      const signer = isFirstStart || !opened.endCredentials ? undefined : await mustOpen(opened.service, clock, true)
      if (signer) await untilSigned(signer, clock)
      return { clock, signer, ...opened }
    })
    const recover = fail(opened, answer)
    opened.endCredentials?.()
    let signedAt: number | undefined
    const signing = (async () => {
      await untilSigned(signer ?? (await mustOpen(opened.service, clock, !isFirstStart)), clock)
      signedAt = clock.elapsed()
      return signedAt
    })()
    signing.catch(() => undefined)
    await clock.sleep(outageMs)
    if (signedAt !== undefined) throw new Error('it signed during the outage')
    recover()
    const recoveredAt = clock.elapsed()
    return (await signing) - recoveredAt
  })
}

test('each provider lists its sources, or why it has none', () => {
  const inMemory = ['plain', 'local', 'vault_transit']
  expect(Object.keys(sources).sort()).toEqual(
    Object.keys(signerTable)
      .filter((type) => !inMemory.includes(type))
      .sort(),
  )
  for (const listed of Object.values(sources)) expect(listed.length).toBeGreaterThan(0)
})

test('signatures come within three seconds of the recovery of the credentials, whatever the answer was', async () => {
  const both = cases.flatMap((each) => [false, true].map((isFirstStart) => ({ each, isFirstStart })))
  const outcomes = await Promise.all(
    both.map(async ({ each, isFirstStart }) => {
      const name = `${each.type}, ${each.source.name}, ${each.answer}, at its first start: ${isFirstStart}`
      const ms = await resumesAfter(each, isFirstStart).catch((error: unknown) => String(error))
      return typeof ms === 'number' && ms <= 3_000 ? [] : [`${name}: ${ms}`]
    }),
  )
  expect(outcomes.flat()).toEqual([])
})
