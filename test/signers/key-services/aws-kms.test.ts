// AWS KMS: the SDK against a fake that recomputes each signature of a request.
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { systemClock } from '../../../src/ops/clock.ts'
import { openAwsKms } from '../../../src/signers/aws-kms.ts'
import {
  awsArn,
  awsFailure,
  awsRegion,
  type FakeAwsKms,
  startFakeAwsKms,
} from '../../../tooling/key-services/fake-aws-kms.ts'
import { servedKey } from '../../../tooling/key-services/served-key.ts'
import { expectSignatures, failureOf, someDigest, unaborted } from './support.ts'

let fake: FakeAwsKms
const key = servedKey()

beforeAll(async () => {
  fake = await startFakeAwsKms()
})
afterAll(() => {
  vi.unstubAllEnvs()
  return fake[Symbol.asyncDispose]()
})
beforeEach(() => {
  fake.keys.clear()
  fake.keys.set('k1', { key, state: 'Enabled', keySpec: 'ECC_SECG_P256K1', keyUsage: 'SIGN_VERIFY' })
  fake.aliases.set('alias/payouts', 'k1')
  fake.credentials.clear()
  fake.credentials.set('AKIAFAKE', { accessKeyId: 'AKIAFAKE', secretAccessKey: 'the-secret' })
  present({ id: 'AKIAFAKE', secret: 'the-secret' })
})

/** What the default chain finds first. */
function present({ id, secret, token }: { id: string; secret: string; token?: string }): void {
  vi.stubEnv('AWS_ENDPOINT_URL_KMS', fake.url)
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
  vi.stubEnv('AWS_ACCESS_KEY_ID', id)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', secret)
  vi.stubEnv('AWS_SESSION_TOKEN', token)
}

const open = (keyId = 'k1') =>
  openAwsKms({ id: 'kms', type: 'aws_kms', region: awsRegion, keyId }, { clock: systemClock })

test.each(['k1', awsArn('k1'), 'alias/payouts'])('signs with the key %s, and pins its ARN', async (keyId) => {
  const service = await open(keyId)
  const [signature] = await expectSignatures(service, key)
  expect(signature).toMatchObject({ encoding: 'der', requestId: expect.stringMatching(/^request-/) })
  expect(await service.open(unaborted)).toMatchObject({ keyVersion: awsArn('k1') })
  expect(service).toMatchObject({ quotaDomain: 'aws_kms:eu-central-1', quota: { perSecond: 1000 }, canProbe: true })
  await service.close?.()
})

test('an alias that is pointed at another key later does not change the key', async () => {
  const service = await open('alias/payouts')
  await service.open(unaborted)
  fake.keys.set('k2', { key: servedKey(), state: 'Enabled', keySpec: 'ECC_SECG_P256K1', keyUsage: 'SIGN_VERIFY' })
  fake.aliases.set('alias/payouts', 'k2')
  await expectSignatures(service, key)
})

test.each([
  ['ThrottlingException', 'throttled'],
  ['Throttling', 'throttled'],
  ['TooManyRequestsException', 'throttled', 429],
  ['LimitExceededException', 'throttled'],
  ['KMSInternalException', 'transient', 500],
  ['DependencyTimeoutException', 'transient', 503],
  ['KeyUnavailableException', 'transient', 500],
  ['ServiceUnavailable', 'transient', 503],
  ['InternalFailure', 'transient', 500],
  ['RequestTimeTooSkewed', 'transient', 403],
  ['RequestExpired', 'transient'],
  ['AccessDeniedException', 'credentials'],
  ['DisabledException', 'permanent'],
  ['KMSInvalidStateException', 'permanent'],
  ['NotFoundException', 'permanent'],
  ['InvalidKeyUsageException', 'permanent'],
] as const)('%s is %s', async (code, kind, status?: number) => {
  const service = await open()
  await service.open(unaborted)
  fake.failNext('/', awsFailure(code, 'as ordered', status ?? 400))
  const before = fake.requests.length
  expect(await failureOf(() => service.sign(someDigest, unaborted))).toMatchObject({ kind, code })
  // The SDK does not try again by itself.
  expect(fake.requests.length).toBe(before + 1)
  await service.sign(someDigest, unaborted)
})

test('a connection that breaks, and an aborted try, are transient', async () => {
  const service = await open()
  fake.failNext('/', 'drop')
  expect(await failureOf(() => service.open(unaborted))).toMatchObject({ kind: 'transient' })
  fake.failNext('/', 'hang')
  const [aborting, before] = [new AbortController(), fake.requests.length]
  const hanging = failureOf(() => service.open(aborting.signal))
  await expect.poll(() => fake.requests.length, { interval: 5 }).toBe(before + 1)
  aborting.abort()
  expect(await hanging).toMatchObject({ kind: 'transient', code: 'AbortError' })
})

test('a key that is disabled, or is to be deleted, is for the operator until it is enabled again', async () => {
  const service = await open()
  await service.open(unaborted)
  const kept = { key, keySpec: 'ECC_SECG_P256K1', keyUsage: 'SIGN_VERIFY' }
  for (const [state, code] of [
    ['Disabled', 'DisabledException'],
    ['PendingDeletion', 'KMSInvalidStateException'],
  ] as const) {
    fake.keys.set('k1', { ...kept, state })
    expect(await failureOf(() => service.sign(someDigest, unaborted))).toMatchObject({ kind: 'permanent', code })
  }
  fake.keys.set('k1', { ...kept, state: 'Enabled' })
  await expectSignatures(service, key)
})

const renewed = ['ExpiredTokenException', 'ExpiredToken', 'UnrecognizedClientException', 'InvalidClientTokenId']

test.each(renewed)('%s is tried once more with new credentials', async (code) => {
  const service = await open()
  fake.failNext('/', awsFailure(code))
  await service.open(unaborted)
  fake.failNext('/', awsFailure(code), awsFailure(code))
  expect(await failureOf(() => service.sign(someDigest, unaborted))).toMatchObject({ kind: 'credentials', code })
})

test('an expired token is renewed once', async () => {
  fake.credentials.set('ASIA1', { accessKeyId: 'ASIA1', secretAccessKey: 'one', sessionToken: 'old' })
  fake.credentials.set('ASIA2', { accessKeyId: 'ASIA2', secretAccessKey: 'two', sessionToken: 'new' })
  present({ id: 'ASIA1', secret: 'one', token: 'old' })
  const service = await open()
  await service.open(unaborted)
  fake.expired.add('old')
  present({ id: 'ASIA2', secret: 'two', token: 'new' })
  await expectSignatures(service, key)
  fake.expired.add('new')
  const before = fake.requests.length
  const failure = await failureOf(() => service.sign(someDigest, unaborted))
  expect(failure).toMatchObject({ kind: 'credentials', code: 'ExpiredTokenException' })
  expect(fake.requests.length).toBe(before + 2)
})

test('the fake refuses a wrong secret, which is not shown', async () => {
  present({ id: 'AKIAFAKE', secret: 'another-secret' })
  const failure = await failureOf(async () => (await open()).open(unaborted))
  expect(failure).toMatchObject({ kind: 'credentials', code: 'InvalidSignatureException' })
  expect(failure.message).not.toContain('another-secret')
})

test('a chain without credentials is transient: the next try may find some, as after a moment without STS', async () => {
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_PROFILE']) {
    vi.stubEnv(name, undefined)
  }
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/dev/null')
  vi.stubEnv('AWS_CONFIG_FILE', '/dev/null')
  const failure = await failureOf(async () => (await open()).open(unaborted))
  expect(failure).toMatchObject({ kind: 'transient', code: 'CredentialsProviderError' })
})

test('the date of each answer is noted, and keys of the environment have no end', async () => {
  const dates: (string | undefined)[] = []
  const noteDate = (date: string | undefined) => dates.push(date)
  // HTTP's dates have whole seconds.
  const began = Math.floor(Date.now() / 1_000) * 1_000
  const service = await openAwsKms(
    { id: 'kms', type: 'aws_kms', region: awsRegion, keyId: 'k1' },
    { clock: systemClock, noteDate },
  )
  await service.open(unaborted)
  await service.ready?.(unaborted)
  expect(dates).toHaveLength(1)
  expect(Date.parse(dates[0] ?? '')).toBeGreaterThanOrEqual(began)
  expect(Date.parse(dates[0] ?? '')).toBeLessThanOrEqual(Date.now())
  expect(service.tokenEndsInMs?.()).toBeUndefined()
})

test('a text of AWS that quotes credentials is shown without them', async () => {
  const token = `IQoJb3JpZ2luX2VjE${'x'.repeat(300)}==`
  const service = await open()
  const text = `The security token ${token} of ASIAIOSFODNN7EXAMPLE, for ${awsArn('k1')}, is invalid`
  fake.failNext('/', awsFailure('AccessDeniedException', text))
  const { message } = await failureOf(() => service.open(unaborted))
  expect(message).toBe(`AccessDeniedException: The security token … of …, for ${awsArn('k1')}, is invalid`)
})

test.each([
  [{ keySpec: 'ECC_NIST_P256', keyUsage: 'SIGN_VERIFY' }, 'WRONG_CURVE'],
  [{ keySpec: 'ECC_SECG_P256K1', keyUsage: 'KEY_AGREEMENT' }, 'InvalidKeyUsageException'],
])('a key that can not sign for Ethereum is refused: %o', async (kind, code) => {
  fake.keys.set('k1', { key, state: 'Enabled', ...kind })
  expect(await failureOf(async () => (await open()).open(unaborted))).toMatchObject({ kind: 'permanent', code })
})

test('without the SDK the error has the command that helps', async () => {
  const settings = { id: 'kms', type: 'aws_kms', region: awsRegion, keyId: 'k1' } as const
  const missing = () => Promise.reject(Object.assign(new Error('gone'), { code: 'ERR_MODULE_NOT_FOUND' }))
  await expect(openAwsKms(settings, { clock: systemClock }, missing)).rejects.toThrow(
    'signer "kms": type "aws_kms" needs the package @aws-sdk/client-kms, which is not installed; run: npm install @aws-sdk/client-kms@^3.1162.0',
  )
})
