// Key services that hold up signatures in the ways that reports name, each a stand-in behind the provider's own client.
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent } from 'undici'
import type { Hex } from 'viem'
import { systemClock } from '../src/ops/clock.ts'
import { systemRandom } from '../src/ops/random.ts'
import { secret } from '../src/ops/secret.ts'
import { viemCurve } from '../src/signers/curve.ts'
import type { ServiceAccess } from '../src/signers/exchange.ts'
import type { KeyService } from '../src/signers/key-service.ts'
import { openKeyService } from '../src/signers/open-key-service.ts'
import type { KeyServiceSettings } from '../src/signers/settings.ts'
import { certificateAuthority } from '../tooling/key-services/certificate.ts'
import { awsRegion, type FakeAwsKms, startFakeAwsKms } from '../tooling/key-services/fake-aws-kms.ts'
import { type FakeAwsSts, startFakeAwsSts, stsFailure } from '../tooling/key-services/fake-aws-sts.ts'
import { azureTenant, startFakeAzureKeyVault } from '../tooling/key-services/fake-azure-key-vault.ts'
import { cdpFailure, startFakeCdp } from '../tooling/key-services/fake-cdp.ts'
import { startFakeGoogleCloudKms } from '../tooling/key-services/fake-google-cloud-kms.ts'
import type { FakeFailure } from '../tooling/key-services/fake-service.ts'
import { startFakeTurnkey, turnkeyOrganization } from '../tooling/key-services/fake-turnkey.ts'
import { startFakeWeb3signer } from '../tooling/key-services/fake-web3signer.ts'
import { type ServedKey, servedKey } from '../tooling/key-services/served-key.ts'
import { startSlowCryptoki } from '../tooling/key-services/slow-cryptoki.ts'
import { startSoftHsm } from '../tooling/key-services/soft-hsm.ts'

export interface HeldUp {
  readonly name: string
  readonly key: ServedKey
  readonly transactions: number
  open(): Promise<KeyService>
  /** From now on it is held up. */
  begin(): Promise<void> | void
  /** From the cancellation to its recovery. */
  readonly afterMs: number
  end(): Promise<void> | void
}

type Opened = AsyncDisposableStack
const outageMs = 33_300

/** In groups: each begins once the one before has ended, because they share a stand-in. */
export async function startHeldUp(opened: Opened): Promise<readonly (readonly HeldUp[])[]> {
  const aws = await startAws(opened)
  const hsm = await startHsm(opened)
  const first = [
    ...[await google(opened), await azure(opened), await cdp(opened), await turnkey(opened, 'slow')],
    ...[await turnkey(opened, 'approval'), ...(await web3signers(opened)), aws.expiry],
  ]
  return [
    [...first, hsm.untilLogout],
    [aws.clock, hsm.untilFinalize],
    [aws.sts, hsm.hang],
  ]
}

function open(settings: KeyServiceSettings, redirected: Readonly<Record<string, string>> = {}, ca?: string) {
  const agent = new Agent({ connect: ca === undefined ? {} : { ca } })
  const dispatcher = agent.compose((dispatch) => (options, handler) => {
    const target = redirected[String(options.origin)]
    return dispatch({ ...options, ...(target !== undefined && { origin: target }) }, handler)
  })
  const access: ServiceAccess = { clock: systemClock, random: systemRandom(), dispatcher }
  return openKeyService(settings, access, viemCurve)
}

const one = { transactions: 1, afterMs: 0, end: () => undefined } as const

async function google(opened: Opened): Promise<HeldUp> {
  const [fake, key] = [opened.use(await startFakeGoogleCloudKms()), servedKey()]
  const path = 'projects/p/locations/global/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1'
  fake.versions.set(path, { key, algorithm: 'EC_SIGN_SECP256K1_SHA256' })
  Object.assign(process.env, { GCE_METADATA_HOST: fake.url.replace('http://', ''), CLOUDSDK_CONFIG: '/nonexistent' })
  const named = { location: 'global', keyRingId: 'r', keyId: 'k', keyVersion: 1 }
  const settings = { type: 'google_cloud_kms', projectId: 'p', universeDomain: 'googleapis.com', key: named } as const
  return {
    ...{ ...one, key, name: "Google's token has ended, and a new one takes 2.5 s" },
    open: () => open({ id: 'google', ...settings }, { 'https://cloudkms.googleapis.com': fake.url }),
    begin() {
      fake.delay('/token', 2_500)
      fake.tokens.clear()
    },
  }
}

async function azure(opened: Opened): Promise<HeldUp> {
  const [authority, key] = [certificateAuthority(), servedKey()]
  const fake = opened.use(await startFakeAzureKeyVault(authority.issue('kept.vault.azure.net')))
  fake.keys.set('k/v1', { key, crv: 'P-256K', enabled: true, operations: ['sign'] })
  fake.latest.set('k', 'v1')
  fake.clients.set('c', 's')
  const named = { tenantId: secret(azureTenant), clientId: secret('c'), clientSecret: secret('s') }
  const settings = {
    id: 'azure',
    type: 'azure_key_vault',
    ...{ vaultUrl: 'https://kept.vault.azure.net', keyName: 'k' },
    authentication: { kind: 'client_secret', ...named },
  } as const
  const hosts = ['https://kept.vault.azure.net', 'https://login.microsoftonline.com']
  return {
    ...{ ...one, key, transactions: 40, name: "40 cancellations, Azure's token has ended, and a new one takes 2.5 s" },
    open: () => open(settings, Object.fromEntries(hosts.map((host) => [host, fake.url])), authority.cert),
    begin() {
      fake.delay('/oauth2/', 2_500)
      fake.tokens.clear()
    },
  }
}

async function cdp(opened: Opened): Promise<HeldUp> {
  const [fake, key] = [opened.use(await startFakeCdp()), servedKey()]
  const [api, wallet] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ec', { namedCurve: 'P-256' })]
  fake.accounts.set(key.address, key)
  fake.apiKeys.set('a', createPublicKey(api.privateKey))
  fake.wallet.key = createPublicKey(wallet.privateKey)
  const { d = '', x = '' } = api.privateKey.export({ format: 'jwk' })
  const apiKeySecret = secret(Buffer.concat([d, x].map((part) => Buffer.from(part, 'base64url'))).toString('base64'))
  const walletSecret = secret(wallet.privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'))
  const settings = { type: 'cdp', apiKeyId: 'a', apiKeySecret, walletSecret, accountAddress: key.address } as const
  return {
    ...{ ...one, key, name: 'CDP refuses valid tokens for 250 ms' },
    open: () => open({ id: 'cdp', ...settings }, { 'https://api.cdp.coinbase.com': fake.url }),
    begin() {
      const from = fake.requests.length
      fake.failAll('/sign', cdpFailure(401, 'unauthorized'))
      const timer = setInterval(() => {
        if (fake.requests.length === from) return
        clearInterval(timer)
        setTimeout(() => fake.failAll('/sign', undefined), 250)
      }, 5)
    },
  }
}

async function turnkey(opened: Opened, kind: 'slow' | 'approval'): Promise<HeldUp> {
  const [fake, key] = [opened.use(await startFakeTurnkey()), servedKey()]
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { d = '', x = '', y = '' } = privateKey.export({ format: 'jwk' })
  const hex = (part: string) => Buffer.from(part, 'base64url').toString('hex')
  const apiPublicKey = `${Number.parseInt(hex(y).slice(-1), 16) % 2 === 0 ? '02' : '03'}${hex(x)}`
  fake.keys.set('k', key)
  fake.apiKeys.add(apiPublicKey)
  const keys = { apiPublicKey, apiPrivateKey: secret(hex(d)), publicKey: key.publicKey }
  const named = { organizationId: turnkeyOrganization, privateKeyId: 'k' }
  const common = {
    ...{ ...one, key },
    open: () => open({ id: kind, type: 'turnkey', ...named, ...keys }, { 'https://api.turnkey.com': fake.url }),
  }
  if (kind === 'slow') {
    return {
      ...{ ...common, name: 'an activity of Turnkey takes 2.5 s' },
      begin() {
        fake.next.pendingMs = 2_500
      },
    }
  }
  return {
    ...{ ...common, name: 'an activity of Turnkey waits 33 s for approval', afterMs: outageMs },
    begin() {
      fake.next.status = 'ACTIVITY_STATUS_CONSENSUS_NEEDED'
    },
    end: () => fake.approveAll(),
  }
}

async function web3signers(opened: Opened): Promise<readonly HeldUp[]> {
  const failures: readonly (readonly [string, FakeFailure])[] = [
    ['answers 503 for 33 s', { status: 503, body: 'down' }],
    ['answers 429 for 33 s', { status: 429, body: 'slow down' }],
    ['does not answer for 33 s', 'hang'],
  ]
  return Promise.all(
    failures.map(async ([name, failure]) => {
      const [fake, key] = [opened.use(await startFakeWeb3signer()), servedKey()]
      fake.keys.push(key)
      return {
        ...{ ...one, key, name: `a web3signer ${name}`, afterMs: outageMs },
        open: () => open({ id: name, type: 'web3signer', url: fake.url, publicKey: key.publicKey }),
        begin: () => fake.failAll('', failure),
        end: () => fake.failAll('', undefined),
      }
    }),
  )
}

/** One account of AWS. All clients request credentials of their own, as pods on EKS do. */
async function startAws(opened: Opened) {
  const kms = opened.use(await startFakeAwsKms())
  const sts = opened.use(await startFakeAwsSts(kms.credentials))
  const folder = await mkdtemp(join(tmpdir(), 'rescind-bench-'))
  opened.defer(() => rm(folder, { recursive: true }))
  const file = join(folder, 'token')
  await writeFile(file, 'a-web-identity')
  Object.assign(process.env, {
    ...{ AWS_ENDPOINT_URL_KMS: kms.url, AWS_ENDPOINT_URL_STS: sts.url, AWS_REGION: awsRegion },
    ...{ AWS_WEB_IDENTITY_TOKEN_FILE: file, AWS_ROLE_ARN: 'arn:aws:iam::111122223333:role/relayer' },
    ...{ AWS_EC2_METADATA_DISABLED: 'true', AWS_CONFIG_FILE: '/dev/null', AWS_SHARED_CREDENTIALS_FILE: '/dev/null' },
  })
  const expireAll = () => {
    for (const { sessionToken } of kms.credentials.values()) if (sessionToken) kms.expired.add(sessionToken)
  }
  const held = (id: string, rest: Pick<HeldUp, 'name' | 'begin'> & Partial<HeldUp>) => ofAws(kms, id, rest)
  return {
    expiry: held('expiry', {
      ...{ name: '50 cancellations, and the token of AWS has ended', transactions: 50 },
      begin() {
        kms.delay('/', 100)
        expireAll()
      },
    }),
    clock: held('clock', {
      name: 'the clock is ten minutes ahead of that of AWS',
      begin() {
        kms.clock.aheadMs = -600_000
      },
    }),
    sts: held('sts', {
      name: 'STS fails for 33 s, and the token has ended',
      afterMs: outageMs,
      ...stsOut(sts, () => {
        kms.clock.aheadMs = 0
        expireAll()
      }),
    }),
  }
}

function stsOut(sts: FakeAwsSts, expireAll: () => void): Pick<HeldUp, 'begin' | 'end'> {
  return {
    begin() {
      expireAll()
      sts.failAll('/', stsFailure('IDPCommunicationError'))
    },
    end: () => sts.failAll('/', undefined),
  }
}

function ofAws(kms: FakeAwsKms, keyId: string, rest: Pick<HeldUp, 'name' | 'begin'> & Partial<HeldUp>): HeldUp {
  const key = servedKey()
  kms.keys.set(keyId, { key, state: 'Enabled', keySpec: 'ECC_SECG_P256K1', keyUsage: 'SIGN_VERIFY' })
  const settings = { id: keyId, type: 'aws_kms', region: awsRegion, keyId } as const
  return { ...one, key, open: () => open(settings), ...rest }
}

/** One token behind a library of the tests' own. */
async function startHsm(opened: Opened) {
  const hsm = opened.use(await startSoftHsm())
  const library = opened.use(await startSlowCryptoki(hsm.module))
  Object.assign(process.env, library.env, { SOFTHSM2_CONF: hsm.configFile })
  await library.behave({})
  const held = async (keyLabel: string, id: string, rest: Pick<HeldUp, 'name' | 'begin'> & Partial<HeldUp>) => {
    const key = servedKey()
    await hsm.importKey(keyLabel, id, key.privateKey as Hex)
    const named = { module: library.module, tokenLabel: hsm.tokenLabel, pin: secret(hsm.pin), keyLabel }
    return { ...one, key, open: () => open({ id: keyLabel, type: 'pkcs11', ...named }), ...rest }
  }
  return {
    untilLogout: await held('logout', '01', {
      name: 'a session of an HSM is dead until C_Logout',
      begin: () => library.behave({ deadUntil: 'C_Logout' }),
    }),
    untilFinalize: await held('finalize', '02', {
      name: 'a session of an HSM is dead until C_Finalize',
      begin: () => library.behave({ deadUntil: 'C_Finalize' }),
    }),
    hang: await held('hang', '03', {
      ...{ name: 'C_Sign hangs for 33 s', afterMs: outageMs },
      begin: () => library.behave({ hangs: true }),
      end: () => library.behave({}),
    }),
  }
}
