// Turnkey: stamped requests against a fake that verifies each stamp, and that Turnkey's own client accepts.
import { ECDH } from 'node:crypto'
import { inspect } from 'node:util'
import { ApiKeyStamper } from '@turnkey/api-key-stamper'
import { TurnkeyClient } from '@turnkey/http'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { secret } from '../../../src/ops/secret.ts'
import { KeyServiceError, type KeySignature } from '../../../src/signers/key-service.ts'
import { openTurnkey } from '../../../src/signers/turnkey.ts'
import {
  type FakeTurnkey,
  startFakeTurnkey,
  turnkeyFailure,
  turnkeyOrganization,
} from '../../../tooling/key-services/fake-turnkey.ts'
import { servedKey } from '../../../tooling/key-services/served-key.ts'
import {
  type Access,
  accessTo,
  apiKeyPair,
  expectSignatures,
  failureOf,
  signersOf,
  someDigest,
  unaborted,
} from './support.ts'

let fake: FakeTurnkey
let access: Access
const key = servedKey()
const api = apiKeyPair()

beforeAll(async () => {
  fake = await startFakeTurnkey()
  access = accessTo({ 'https://api.turnkey.com': fake.url })
})
afterAll(async () => {
  await fake[Symbol.asyncDispose]()
  await access[Symbol.asyncDispose]()
})
beforeEach(() => {
  fake.keys.set('key-1', key)
  fake.apiKeys.add(api.publicKey)
  delete fake.next.status
  delete fake.next.pending
})

function open(apiPrivateKey = api.privateKey) {
  const names = { organizationId: turnkeyOrganization, privateKeyId: 'key-1', apiPublicKey: api.publicKey }
  const { publicKey } = key
  const keys = { apiPrivateKey: secret(apiPrivateKey), publicKey }
  return openTurnkey({ id: 'turnkey', type: 'turnkey', ...names, ...keys }, access)
}

test('signs, also when an activity takes a while', async () => {
  const service = open()
  const [signature] = await expectSignatures(service, key)
  expect(signature).toMatchObject({ encoding: 'compact', requestId: expect.any(String) })
  fake.next.pending = 3
  await expectSignatures(service, key)
  expect(service).toMatchObject({ quotaDomain: `turnkey:${turnkeyOrganization}`, quota: { perSecond: 10 } })
})

test.each([
  { meanwhile: 'between two reads', failures: [] },
  { meanwhile: 'while a read hangs', failures: ['hang'] as const },
])('an activity that does not end in time is pending, $meanwhile', async ({ failures }) => {
  fake.next.pending = 1_000
  fake.failNext('query/get_activity', ...failures)
  const aborting = new AbortController()
  const signing = failureOf(() => open().sign(someDigest, aborting.signal))
  const before = fake.requests.length
  await expect.poll(() => fake.requests.length).toBeGreaterThan(before + 1)
  aborting.abort()
  expect(await signing).toMatchObject({ kind: 'pending', code: 'ACTIVITY_STATUS_PENDING' })
})

const submitted = (from: number) => fake.requests.slice(from).filter(({ path }) => path.includes('/submit/')).length

test('an activity that takes longer than a try is continued by the next, and never submitted twice', async () => {
  fake.next.pending = 25
  const [service, before] = [open(), fake.requests.length]
  const first = await failureOf(() => service.sign(someDigest, unaborted))
  expect(first).toMatchObject({
    kind: 'pending',
    message: expect.stringMatching(/^activity [0-9a-f-]{36} has not ended yet/),
    activity: expect.stringMatching(/^[0-9a-f-]{36}$/),
  })
  // How many tries it takes depends on the machine's speed.
  const again = async (): Promise<KeySignature> => {
    const signed = await service.sign(someDigest, unaborted).catch((error: unknown) => error)
    return signed instanceof KeyServiceError && signed.kind === 'pending' ? again() : (signed as KeySignature)
  }
  expect(await signersOf(someDigest.digest, await again())).toContain(key.address)
  expect(submitted(before)).toBe(1)
  // It has ended, so the same digest is another activity.
  fake.next.pending = 0
  await service.sign(someDigest, unaborted)
  expect(submitted(before)).toBe(2)
})

test('an activity that people have to approve is looked at again, and used once it is approved', async () => {
  fake.next.status = 'ACTIVITY_STATUS_CONSENSUS_NEEDED'
  const [service, before] = [open(), fake.requests.length]
  const waiting = await failureOf(() => service.sign(someDigest, unaborted))
  expect(waiting).toMatchObject({ kind: 'approval', code: 'ACTIVITY_STATUS_CONSENSUS_NEEDED' })
  expect(waiting.message).toContain(waiting.activity)
  expect(waiting.message).toMatch(/^activity [0-9a-f-]{36} waits for the approval of people/)
  await failureOf(() => service.sign(someDigest, unaborted))
  fake.approveAll()
  const signature = await service.sign(someDigest, unaborted)
  expect(await signersOf(someDigest.digest, signature)).toContain(key.address)
  expect(submitted(before)).toBe(1)
})

test('an activity that no longer exists is forgotten, and the next try submits another', async () => {
  fake.next.status = 'ACTIVITY_STATUS_CONSENSUS_NEEDED'
  const [service, before] = [open(), fake.requests.length]
  await failureOf(() => service.sign(someDigest, unaborted))
  fake.failNext('/get_activity', turnkeyFailure(404, 'ACTIVITY_NOT_FOUND'))
  expect(await failureOf(() => service.sign(someDigest, unaborted))).toMatchObject({ code: 'ACTIVITY_NOT_FOUND' })
  delete fake.next.status
  expect(await signersOf(someDigest.digest, await service.sign(someDigest, unaborted))).toContain(key.address)
  expect(submitted(before)).toBe(2)
})

test.each([
  [429, 'RATE_LIMITED', 'throttled'],
  [503, 'UNAVAILABLE', 'transient'],
  [404, 'ACTIVITY_NOT_FOUND', 'permanent'],
])('an activity under way whose state answers %i %s is %s', async (status, code, kind) => {
  fake.next.pending = 2
  fake.failNext('/get_activity', turnkeyFailure(status, code))
  expect(await failureOf(() => open().sign(someDigest, unaborted))).toMatchObject({ kind, code })
})

test.each([
  [429, 'RATE_LIMITED', 'throttled'],
  [500, 'INTERNAL', 'transient'],
  [502, 'BAD_GATEWAY', 'transient'],
  [503, 'UNAVAILABLE', 'transient'],
  [404, 'PRIVATE_KEY_NOT_FOUND', 'permanent'],
  [400, 'BAD_REQUEST', 'permanent'],
])('%i %s is %s', async (status, code, kind) => {
  fake.failNext('/sign_raw_payload', turnkeyFailure(status, code))
  expect(await failureOf(() => open().sign(someDigest, unaborted))).toMatchObject({ kind, code })
})

test.each([401, 403])('%i is tried once more, once a try', async (status) => {
  const refused = turnkeyFailure(status, 'SIGNATURE_INVALID')
  fake.failNext('/sign_raw_payload', refused)
  await open().sign(someDigest, unaborted)
  fake.failNext('/sign_raw_payload', refused, refused)
  const before = fake.requests.length
  const failure = await failureOf(() => open().sign(someDigest, unaborted))
  expect(failure).toMatchObject({ kind: 'credentials', code: 'SIGNATURE_INVALID' })
  const stamps = fake.requests.slice(before).map(({ headers }) => headers['x-stamp'])
  expect(new Set(stamps).size).toBe(2)
})

test.each(['ACTIVITY_STATUS_FAILED', 'ACTIVITY_STATUS_REJECTED'])('%s is for the operator', async (status) => {
  fake.next.status = status
  const failure = await failureOf(() => open().sign(someDigest, unaborted))
  expect(failure).toMatchObject({ kind: 'permanent', code: status })
})

test('a connection that breaks is transient', async () => {
  fake.failNext('/sign_raw_payload', 'drop')
  expect(await failureOf(() => open().sign(someDigest, unaborted))).toMatchObject({ kind: 'transient' })
})

test('the fake refuses another key, and an invalid key is refused, unseen', async () => {
  fake.apiKeys.clear()
  expect(await failureOf(() => open().sign(someDigest, unaborted))).toMatchObject({ code: 'API_KEY_INVALID' })
  for (const wrong of ['12ab', apiKeyPair().privateKey]) {
    const error = await Promise.resolve()
      .then(() => open(wrong))
      .catch((reason: unknown) => reason)
    expect(inspect(error)).toMatch(/signer "turnkey": its .*api_private_key/)
    expect(inspect(error)).not.toContain(wrong)
  }
})

test("Turnkey's own client signs with the fake", async () => {
  const stamper = new ApiKeyStamper({ apiPublicKey: api.publicKey, apiPrivateKey: api.privateKey })
  const client = new TurnkeyClient({ baseUrl: fake.url }, stamper)
  const { activity } = await client.signRawPayload({
    type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2',
    timestampMs: String(Date.now()),
    organizationId: turnkeyOrganization,
    parameters: {
      signWith: 'key-1',
      payload: someDigest.digest.slice(2),
      encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
      hashFunction: 'HASH_FUNCTION_NO_OP',
    },
  })
  const result = activity.result.signRawPayloadResult
  expect(await signersOf(someDigest.digest, { encoding: 'compact', bytes: `0x${result?.r}${result?.s}` })).toContain(
    key.address,
  )
  expect(ECDH.convertKey(api.publicKey, 'prime256v1', 'hex', 'hex', 'compressed')).toBe(api.publicKey)
})
