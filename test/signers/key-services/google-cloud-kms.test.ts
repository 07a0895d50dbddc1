// Google Cloud KMS: tokens of Google's library against a fake that verifies them, and the check sums.
import { inspect } from 'node:util'
import { gcpMetadata } from 'google-auth-library'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { secret } from '../../../src/ops/secret.ts'
import { crc32c, openGoogleCloudKms } from '../../../src/signers/google-cloud-kms.ts'
import {
  type FakeGoogleCloudKms,
  googleFailure,
  googleServiceAccount,
  startFakeGoogleCloudKms,
} from '../../../tooling/key-services/fake-google-cloud-kms.ts'
import { servedKey } from '../../../tooling/key-services/served-key.ts'
import { type Access, accessTo, expectSignatures, failureOf, someDigest, unaborted } from './support.ts'

let fake: FakeGoogleCloudKms
let access: Access
const key = servedKey()
const account = googleServiceAccount('relayer@project-1.iam.gserviceaccount.com')
const version = 'projects/project-1/locations/europe-west3/keyRings/relayers/cryptoKeys/payouts/cryptoKeyVersions/2'

beforeAll(async () => {
  fake = await startFakeGoogleCloudKms()
  access = accessTo({ 'https://cloudkms.googleapis.com': fake.url })
  vi.stubEnv('GCE_METADATA_HOST', fake.url.replace('http://', ''))
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', undefined)
  vi.stubEnv('CLOUDSDK_CONFIG', '/nonexistent')
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await fake[Symbol.asyncDispose]()
  await access[Symbol.asyncDispose]()
})
beforeEach(() => {
  fake.versions.set(version, { key, algorithm: 'EC_SIGN_SECP256K1_SHA256' })
  fake.accounts.set(account.email, account)
})

function open(pem: string | undefined = account.pem) {
  const { keyId, email } = account
  const serviceAccount = { clientEmail: secret(email), privateKeyId: secret(keyId), privateKey: secret(pem) }
  return openGoogleCloudKms({ ...settings, serviceAccount }, access)
}

const settings = {
  id: 'google',
  type: 'google_cloud_kms',
  projectId: 'project-1',
  universeDomain: 'googleapis.com',
  key: { location: 'europe-west3', keyRingId: 'relayers', keyId: 'payouts', keyVersion: 2 },
} as const

test('the check sum is CRC-32C', () => {
  // RFC 3720 §B.4.
  expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283)
  expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa)
})

test.each([account.pem, account.pem.replaceAll('\n', '\\n')])('signs with a service account: %#', async (pem) => {
  const service = await open(pem)
  const [signature] = await expectSignatures(service, key)
  expect(signature).toMatchObject({ encoding: 'der', requestId: expect.any(String) })
  expect(await service.open(unaborted)).toMatchObject({ keyVersion: version })
  expect(service.quotaDomain).toBe('google_cloud_kms:project-1:europe-west3')
  expect(fake.requests.some(({ path }) => path.includes('/token'))).toBe(false)
})

test('signs with workload identity', async () => {
  const service = await openGoogleCloudKms(settings, access)
  await expectSignatures(service, key)
  const tokens = fake.tokens.size
  // A token that is over is renewed once.
  fake.tokens.clear()
  await service.sign(someDigest, unaborted)
  expect([tokens, fake.tokens.size]).toEqual([1, 1])
})

test.each([
  [429, 'RESOURCE_EXHAUSTED', 'throttled'],
  [500, 'INTERNAL', 'transient'],
  [503, 'UNAVAILABLE', 'transient'],
  [504, 'DEADLINE_EXCEEDED', 'transient'],
  [403, 'PERMISSION_DENIED', 'credentials'],
  [400, 'FAILED_PRECONDITION', 'permanent'],
  [404, 'NOT_FOUND', 'permanent'],
] as const)('%i %s is %s', async (status, code, kind) => {
  const service = await open()
  fake.failNext(':asymmetricSign', googleFailure(status, code))
  const failure = await failureOf(() => service.sign(someDigest, unaborted))
  expect(failure).toMatchObject({ kind, code })
  expect(failure.retryAfterMs).toBe(kind === 'throttled' ? 1000 : undefined)
})

test('credentials that are refused are made anew once a try', async () => {
  const service = await open()
  const denied = googleFailure(401, 'UNAUTHENTICATED')
  fake.failNext('/publicKey', denied)
  await service.open(unaborted)
  fake.failNext('/publicKey', denied, denied)
  const failure = await failureOf(() => service.open(unaborted))
  expect(failure).toMatchObject({ kind: 'credentials', code: 'UNAUTHENTICATED' })
})

test.each([400, 403, 404])('a metadata service that answers %i for a token', async (status) => {
  const service = await openGoogleCloudKms(settings, access)
  fake.failNext('/token', { status, body: 'as ordered' })
  const failure = await failureOf(() => service.open(unaborted))
  expect(failure).toMatchObject({ kind: 'credentials', code: `TOKEN_HTTP_${status}` })
  await expectSignatures(service, key)
})

test.each([
  [429, 'throttled'],
  [503, 'transient'],
] as const)('a metadata service that goes on to answer %i for a token: %s', async (status, kind) => {
  const service = await openGoogleCloudKms(settings, access)
  // Google's library tries by itself three times more.
  const busy = { status, body: 'as ordered' }
  fake.failNext('/token', busy, busy, busy, busy)
  const failure = await failureOf(() => service.open(unaborted))
  expect(failure).toMatchObject({ kind, code: `TOKEN_HTTP_${status}` })
  await expectSignatures(service, key)
})

test('a metadata server that does not answer yet, as after the start of a pod, is found later', async () => {
  gcpMetadata.resetIsAvailableCache()
  const service = await openGoogleCloudKms(settings, access)
  const accept = fake.refuse()
  for (const _ of [1, 2]) expect(await failureOf(() => service.open(unaborted))).toMatchObject({ kind: 'transient' })
  accept()
  await expectSignatures(service, key)
})

test('the fake refuses the key of another account, and a key that is none is not shown', async () => {
  const other = await open(googleServiceAccount('other').pem)
  expect(await failureOf(() => other.open(unaborted))).toMatchObject({ code: 'UNAUTHENTICATED' })
  const none = await open('-----BEGIN PRIVATE KEY-----\\nc2VjcmV0\\n-----END PRIVATE KEY-----')
  const failure = await failureOf(() => none.open(unaborted))
  expect(failure).toMatchObject({ kind: 'credentials', code: 'NO_CREDENTIALS' })
  expect(inspect(failure)).not.toContain('c2VjcmV0')
})

test.each([{ digest: true }, { signature: true }])(
  'bytes that changed on the way are transient: %o',
  async (damage) => {
    const service = await open()
    Object.assign(fake.damage, damage)
    const failure = await failureOf(() => service.sign(someDigest, unaborted))
    for (const name of Object.keys(damage)) Object.assign(fake.damage, { [name]: false })
    expect(failure).toMatchObject({ kind: 'transient', code: 'CRC32C_MISMATCH' })
  },
)

test('a connection that breaks, and an aborted try, are transient', async () => {
  const service = await openGoogleCloudKms(settings, access)
  fake.failNext('/publicKey', 'drop')
  expect(await failureOf(() => service.open(unaborted))).toMatchObject({ kind: 'transient' })
  fake.failNext('/publicKey', 'hang')
  const aborting = new AbortController()
  const [hanging, before] = [failureOf(() => service.open(aborting.signal)), fake.requests.length]
  await expect.poll(() => fake.requests.length, { interval: 5 }).toBe(before + 1)
  aborting.abort()
  expect(await hanging).toMatchObject({ kind: 'transient' })
})

test('a key of another curve is refused', async () => {
  fake.versions.set(version, { key, algorithm: 'EC_SIGN_P256_SHA256' })
  expect(await failureOf(async () => (await open()).open(unaborted))).toMatchObject({ code: 'WRONG_CURVE' })
})

test('without the library the error has the command that helps', async () => {
  const missing = () => Promise.reject(Object.assign(new Error('gone'), { code: 'ERR_MODULE_NOT_FOUND' }))
  await expect(openGoogleCloudKms(settings, access, missing)).rejects.toThrow(
    'run: npm install google-auth-library@^11.3.4',
  )
})
