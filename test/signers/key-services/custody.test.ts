// A signer over AWS KMS whose credentials end, whose clock differs, and whose STS fails for a moment or is slow. All signatures come,
// and nobody has to act.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { systemClock } from '../../../src/ops/clock.ts'
import { openAwsKms } from '../../../src/signers/aws-kms.ts'
import type { KeyService } from '../../../src/signers/key-service.ts'
import { awsRegion, type FakeAwsKms, startFakeAwsKms } from '../../../tooling/key-services/fake-aws-kms.ts'
import { type FakeAwsSts, startFakeAwsSts, stsFailure } from '../../../tooling/key-services/fake-aws-sts.ts'
import { key, requests, sign, signerOver, signOverToken, slowClock } from './over-service.ts'
import { someDigest, unaborted } from './support.ts'

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

function openAws(): Promise<KeyService> {
  return openAwsKms({ id: 'key', type: 'aws_kms', region: awsRegion, keyId: 'k' }, { clock: systemClock })
}

function endTokens(): void {
  for (const { sessionToken } of kms.credentials.values()) if (sessionToken) kms.expired.add(sessionToken)
}

test('the token of AWS ends while twenty calls run: all are signed, with new credentials that are requested once', async () => {
  const service = await openAws()
  using clock = slowClock()
  const { signer, warnings } = await signerOver(service, clock)
  kms.delay('/', 100)
  const early = sign(signer, 10, clock)
  await sleep(50)
  endTokens()
  await Promise.all([early, sign(signer, 20, clock)])
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

test('STS takes 2.4 seconds for new credentials: ten signatures wait for them', async () => {
  using clock = slowClock()
  const { signer, warnings } = await signerOver(await openAws(), clock)
  const before = requests(sts, '/')
  endTokens()
  await signOverToken({ signer, clock, fake: sts, where: '/' }, 10)
  expect(requests(sts, '/') - before).toBe(1)
  expect(warnings).toEqual([])
})
