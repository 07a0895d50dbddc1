// Azure Key Vault: over TLS, with each way to a token, against a fake that Azure's own client accepts.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { CryptographyClient } from '@azure/keyvault-keys'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { secret } from '../../../src/ops/secret.ts'
import { openAzureKeyVault } from '../../../src/signers/azure-key-vault.ts'
import type { ServiceAccess } from '../../../src/signers/exchange.ts'
import type { AzureKeyVaultSettings } from '../../../src/signers/settings.ts'
import { certificateAuthority } from '../../../tooling/key-services/certificate.ts'
import {
  azureFailure,
  azureTenant,
  type FakeAzureKeyVault,
  startFakeAzureKeyVault,
} from '../../../tooling/key-services/fake-azure-key-vault.ts'
import { servedKey } from '../../../tooling/key-services/served-key.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { type Access, accessTo, expectSignatures, failureOf, signersOf, someDigest, unaborted } from './support.ts'

let fake: FakeAzureKeyVault
let access: Access
let folder: string
const authority = certificateAuthority()
const key = servedKey()
const tenantId = secret(azureTenant)
const clientId = secret('client-1')
const bySecret = { kind: 'client_secret', tenantId, clientId, clientSecret: secret('shh-1') } as const

beforeAll(async () => {
  fake = await startFakeAzureKeyVault(authority.issue('kept.vault.azure.net'))
  const hosts = [
    ...['https://kept.vault.azure.net', 'https://login.microsoftonline.com', 'http://169.254.169.254'],
    'http://127.0.0.1:41741',
  ]
  access = accessTo(Object.fromEntries(hosts.map((host) => [host, fake.url])), { ca: authority.cert })
  folder = await mkdtemp(join(tmpdir(), 'rescind-azure-'))
})
afterAll(async () => {
  await fake[Symbol.asyncDispose]()
  await access[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})
beforeEach(() => {
  fake.clients.set('client-1', 'shh-1')
  fake.keys.set('payouts/v1', { key, crv: 'P-256K', enabled: true, operations: ['sign', 'verify'] })
  fake.latest.set('payouts', 'v1')
})

function open(
  authentication: AzureKeyVaultSettings['authentication'] = bySecret,
  keyVersion?: string,
  through: ServiceAccess = access,
) {
  const vaultUrl = 'https://kept.vault.azure.net/'
  const version = keyVersion === undefined ? {} : { keyVersion }
  return openAzureKeyVault(
    { type: 'azure_key_vault', vaultUrl, keyName: 'payouts', authentication, ...version },
    through,
  )
}

test('signs with a client secret, and gets one token for it all', async () => {
  const before = fake.requests.length
  const service = open(bySecret, 'v1')
  const [signature] = await expectSignatures(service, key)
  expect(signature).toMatchObject({ encoding: 'compact', requestId: expect.any(String) })
  expect(service.quotaDomain).toBe('azure_key_vault:kept.vault.azure.net')
  expect(fake.requests.slice(before).filter(({ path }) => path.includes('/token'))).toHaveLength(1)
})

test.each([{ kind: 'managed_identity' }, { kind: 'managed_identity', clientId }] as const)(
  'signs with a managed identity: %#',
  async (authentication) => {
    await expectSignatures(open(authentication), key)
  },
)

test.each([undefined, clientId])('signs with the managed identity of App Service: %#', async (named) => {
  const clock = manualClock()
  const platform = { endpoint: 'http://127.0.0.1:41741/msi/token', header: secret('h-1') }
  const authentication = { kind: 'managed_identity', platform, ...(named && { clientId: named }) } as const
  Object.assign(fake.platform, { header: 'h-1', expiresOn: Math.floor(clock.now() / 1000) + 3600 })
  const before = fake.requests.length
  const logins = () => fake.requests.slice(before).filter(({ path }) => path.startsWith('/msi/token'))
  const service = open(authentication, undefined, { ...access, clock })
  await expectSignatures(service, key)
  expect(logins().map(({ path }) => path.includes('client_id=client-1'))).toEqual([named !== undefined])
  // Five minutes before its end the token is renewed.
  clock.advance(3_301_000)
  fake.platform.expiresOn += 3600
  await service.sign(someDigest, unaborted)
  await service.sign(someDigest, unaborted)
  expect(logins()).toHaveLength(2)
  fake.platform.header = 'h-2'
  fake.tokens.clear()
  const failure = await failureOf(() => service.sign(someDigest, unaborted))
  expect(failure).toMatchObject({ kind: 'credentials', code: 'token HTTP_401' })
  expect(inspect(failure)).not.toContain('h-1')
})

test('a token file that is renewed while the service runs is read for each new token', async () => {
  const file = join(folder, 'renewed')
  await writeFile(file, 'jwt-1')
  fake.federated.set('client-1', 'jwt-1')
  const clock = manualClock()
  const authentication = { kind: 'workload_identity', tenantId, clientId, federatedTokenFile: secret(file) } as const
  const service = open(authentication, undefined, { ...access, clock })
  const before = fake.requests.length
  await expectSignatures(service, key)
  // The token of Entra ID ends.
  await writeFile(file, 'jwt-2')
  fake.federated.set('client-1', 'jwt-2')
  clock.advance(3_600_000)
  await service.sign(someDigest, unaborted)
  // The vault refuses it before its end.
  await writeFile(file, 'jwt-3')
  fake.federated.set('client-1', 'jwt-3')
  fake.tokens.clear()
  await service.sign(someDigest, unaborted)
  // Entra ID refuses the file that is not renewed yet.
  fake.federated.set('client-1', 'jwt-4')
  fake.tokens.clear()
  const failure = await failureOf(() => service.sign(someDigest, unaborted))
  expect(failure).toMatchObject({ kind: 'credentials', code: 'token invalid_client AADSTS7000215' })
  await rm(file)
  expect(await failureOf(() => service.sign(someDigest, unaborted))).toMatchObject({ code: 'TOKEN_FILE' })
  await writeFile(file, 'jwt-4')
  await service.sign(someDigest, unaborted)
  const assertions = fake.requests
    .slice(before)
    .flatMap(({ body }) => /client_assertion=(jwt-\d)/.exec(body.toString())?.[1] ?? [])
  expect([...new Set(assertions)]).toEqual(['jwt-1', 'jwt-2', 'jwt-3', 'jwt-4'])
})

test.each([
  [404, 'transient'],
  [410, 'transient'],
  [429, 'throttled'],
  [500, 'transient'],
  [400, 'credentials'],
  [403, 'credentials'],
] as const)('a metadata service that answers %i is %s', async (status, kind) => {
  const service = open({ kind: 'managed_identity' })
  fake.failNext('/metadata', { status, body: { error: 'as_ordered' } })
  const failure = await failureOf(() => service.open(unaborted))
  expect(failure).toMatchObject({ kind, code: 'token as_ordered' })
  await expectSignatures(service, key)
})

test('the latest version is pinned when the signer opens', async () => {
  const service = open()
  expect(await service.open(unaborted)).toMatchObject({
    keyVersion: 'https://kept.vault.azure.net/keys/payouts/v1',
  })
  fake.keys.set('payouts/v2', { key: servedKey(), crv: 'P-256K', enabled: true, operations: ['sign'] })
  fake.latest.set('payouts', 'v2')
  await expectSignatures(service, key)
})

test.each([
  [429, 'Throttled', undefined, 'throttled'],
  [500, 'InternalServerError', undefined, 'transient'],
  [503, 'ServiceUnavailable', undefined, 'transient'],
  [403, 'Forbidden', 'ForbiddenByPolicy', 'credentials'],
  [403, 'Forbidden', undefined, 'credentials'],
  [404, 'KeyNotFound', undefined, 'permanent'],
] as const)('%i %s (%s) is %s', async (status, code, inner, kind) => {
  const service = open()
  await service.open(unaborted)
  fake.failNext('/sign', azureFailure(status, code, inner))
  const failure = await failureOf(() => service.sign(someDigest, unaborted))
  expect(failure).toMatchObject({ kind, code: inner ?? code })
  expect(failure.retryAfterMs).toBe(status === 429 ? 2000 : undefined)
})

test.each(['P-256K', 'SECP256K1'])('the curve may be called %s', async (crv) => {
  fake.keys.set('payouts/v1', { key, crv, enabled: true, operations: ['sign', 'verify'] })
  await expectSignatures(open(), key)
})

test('a refused token is renewed once a try', async () => {
  const service = open()
  await service.open(unaborted)
  fake.tokens.clear()
  await service.sign(someDigest, unaborted)
  const denied = azureFailure(401, 'Unauthorized')
  fake.failNext('/sign', denied, denied)
  expect(await failureOf(() => service.sign(someDigest, unaborted))).toMatchObject({ kind: 'credentials' })
})

test.each([
  [429, 'throttled'],
  [500, 'transient'],
  [503, 'transient'],
  [400, 'credentials'],
  [403, 'credentials'],
] as const)('a login that answers %i is %s', async (status, kind) => {
  fake.failNext('/oauth2/', azureFailure(status, 'x'))
  expect(await failureOf(() => open().open(unaborted))).toMatchObject({ kind })
})

test.each(['/oauth2/', '/keys/', '/sign'])('a connection to %s that breaks is transient', async (where) => {
  const service = open()
  if (where === '/sign') await service.open(unaborted)
  fake.failNext(where, 'drop')
  const trying = () => (where === '/sign' ? service.sign(someDigest, unaborted) : service.open(unaborted))
  expect(await failureOf(trying)).toMatchObject({ kind: 'transient' })
  await expectSignatures(service, key)
})

test('a try that is aborted is transient', async () => {
  const service = open()
  await service.open(unaborted)
  fake.failNext('/sign', 'hang')
  const [aborting, before] = [new AbortController(), fake.requests.length]
  const hanging = failureOf(() => service.sign(someDigest, aborting.signal))
  await expect.poll(() => fake.requests.length).toBe(before + 1)
  aborting.abort()
  expect(await hanging).toMatchObject({ kind: 'transient' })
})

test('a wrong client secret is not shown', async () => {
  const failure = await failureOf(() => open({ ...bySecret, clientSecret: secret('not-this') }).open(unaborted))
  expect(failure).toMatchObject({ kind: 'credentials', code: 'token invalid_client AADSTS7000215' })
  expect(inspect(failure)).not.toContain('not-this')
})

test('a client secret that has expired is told apart by the number of the error', async () => {
  const description = "AADSTS7000222: The provided client secret keys for app 'client-1' are expired."
  const expired = {
    status: 401,
    body: { error: 'invalid_client', error_description: description, error_codes: [7000222] },
  }
  fake.failNext('/oauth2/', expired, expired)
  const failure = await failureOf(() => open(bySecret).open(unaborted))
  expect(failure).toMatchObject({ kind: 'credentials', message: 'HTTP 401: token invalid_client AADSTS7000222' })
})

test('a key that is disabled, may not sign, or is of another curve is for the operator', async () => {
  const kept = { key, crv: 'P-256K', enabled: true, operations: ['sign'] }
  fake.keys.set('payouts/v1', { ...kept, enabled: false })
  const service = open()
  await service.open(unaborted)
  const disabled = await failureOf(() => service.sign(someDigest, unaborted))
  expect(disabled).toMatchObject({ kind: 'credentials', code: 'KeyDisabled' })
  fake.keys.set('payouts/v1', { ...kept, operations: ['verify'] })
  expect(await failureOf(() => open().open(unaborted))).toMatchObject({ code: 'KEY_OPERATIONS' })
  fake.keys.set('payouts/v1', { ...kept, crv: 'P-256' })
  expect(await failureOf(() => open().open(unaborted))).toMatchObject({ code: 'WRONG_CURVE' })
})

test('a certificate that nobody trusts is refused before a token leaves', async () => {
  await using strict = accessTo({ 'https://login.microsoftonline.com': fake.url })
  const [settings, before] = [{ vaultUrl: 'https://kept.vault.azure.net', keyName: 'payouts' }, fake.requests.length]
  const service = openAzureKeyVault({ type: 'azure_key_vault', ...settings, authentication: bySecret }, strict)
  expect(await failureOf(() => service.open(unaborted))).toMatchObject({ kind: 'transient' })
  expect(fake.requests.length).toBe(before)
})

test("Azure's own client signs with the fake", async () => {
  await open().open(unaborted)
  const token = [...fake.tokens][0] ?? ''
  const credential = { getToken: async () => ({ token, expiresOnTimestamp: Date.now() + 60_000 }) }
  const client = new CryptographyClient(`${fake.url}/keys/payouts/v1`, credential, {
    disableChallengeResourceVerification: true,
    tlsOptions: { ca: authority.cert },
  })
  const { result } = await client.sign('ES256K', Buffer.from(someDigest.digest.slice(2), 'hex'))
  expect(
    await signersOf(someDigest.digest, { encoding: 'compact', bytes: `0x${Buffer.from(result).toString('hex')}` }),
  ).toContain(key.address)
})
