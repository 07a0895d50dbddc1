// Coinbase Developer Platform: both tokens of each request against a fake that verifies them.
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { inspect } from 'node:util'
import { getAddress } from 'viem'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { secret } from '../../../src/ops/secret.ts'
import { openCdp } from '../../../src/signers/cdp.ts'
import { cdpFailure, type FakeCdp, startFakeCdp } from '../../../tooling/key-services/fake-cdp.ts'
import { servedKey } from '../../../tooling/key-services/served-key.ts'
import { type Access, accessTo, expectSignatures, failureOf, someDigest, unaborted } from './support.ts'

let fake: FakeCdp
let access: Access
const key = servedKey()
const ed25519 = generateKeyPairSync('ed25519')
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const wallet = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const { d = '', x = '' } = ed25519.privateKey.export({ format: 'jwk' })
const apiKeySecret = Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]).toString('base64')
const walletSecret = wallet.privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64')

beforeAll(async () => {
  fake = await startFakeCdp()
  access = accessTo({ 'https://api.cdp.coinbase.com': fake.url })
})
afterAll(async () => {
  await fake[Symbol.asyncDispose]()
  await access[Symbol.asyncDispose]()
})
beforeEach(() => {
  fake.accounts.set(key.address, key)
  fake.apiKeys.set('api-1', createPublicKey(ed25519.privateKey))
  fake.wallet.key = createPublicKey(wallet.privateKey)
})

function open(given: { apiKeySecret?: string; walletSecret?: string; account?: `0x${string}` } = {}) {
  const secrets = {
    apiKeySecret: secret(given.apiKeySecret ?? apiKeySecret),
    walletSecret: secret(given.walletSecret ?? walletSecret),
  }
  const accountAddress = given.account ?? key.address
  return openCdp({ id: 'cdp', type: 'cdp', apiKeyId: 'api-1', accountAddress, ...secrets }, access)
}

test('signs with a key of Ed25519, and finds the public key of its account', async () => {
  const service = open()
  const [signature] = await expectSignatures(service, key)
  expect(signature).toMatchObject({ encoding: 'compact', requestId: expect.stringMatching(/^cdp-/) })
})

test('signs with a key of P-256', async () => {
  fake.apiKeys.set('api-1', createPublicKey(p256.privateKey))
  const pem = p256.privateKey.export({ type: 'sec1', format: 'pem' }).toString()
  await expectSignatures(open({ apiKeySecret: pem.replaceAll('\n', '\\n') }), key)
})

test('an account whose key signs for another address is refused', async () => {
  const other = getAddress(`0x${'12'.repeat(20)}`)
  fake.accounts.set(other, key)
  const failure = await failureOf(() => open({ account: other }).open(unaborted))
  expect(failure).toMatchObject({ kind: 'permanent', code: 'WRONG_KEY' })
})

test.each([
  [429, 'rate_limit_exceeded', 'throttled'],
  [500, 'internal_server_error', 'transient'],
  [502, 'bad_gateway', 'transient'],
  [503, 'service_unavailable', 'transient'],
  [400, 'invalid_request', 'permanent'],
  [404, 'not_found', 'permanent'],
  [401, 'unauthorized', 'transient'],
  [403, 'forbidden', 'credentials'],
])('%i %s is %s', async (status, code, kind) => {
  fake.failNext('/sign', cdpFailure(status, code))
  expect(await failureOf(() => open().sign(someDigest, unaborted))).toMatchObject({ kind, code })
})

test('a connection that breaks is transient', async () => {
  fake.failNext('/sign', 'drop')
  expect(await failureOf(() => open().sign(someDigest, unaborted))).toMatchObject({ kind: 'transient' })
})

test('the fake refuses the tokens of other keys', async () => {
  fake.wallet.key = createPublicKey(p256.privateKey)
  expect(await failureOf(() => open().open(unaborted))).toMatchObject({ code: 'wallet_auth_invalid' })
  fake.apiKeys.set('api-1', createPublicKey(generateKeyPairSync('ed25519').privateKey))
  expect(await failureOf(() => open().open(unaborted))).toMatchObject({ code: 'unauthorized' })
})

test.each([{ apiKeySecret: 'not-a-secret-1' }, { walletSecret: 'not-a-secret-2' }])(
  'a secret that is no key is refused, unseen: %#',
  async (given) => {
    const error = await Promise.resolve()
      .then(() => open(given))
      .catch((reason: unknown) => reason)
    expect(inspect(error)).toMatch(/signer "cdp": its (api_key_secret|wallet_secret) is no key/)
    expect(inspect(error)).not.toContain('not-a-secret')
  },
)
