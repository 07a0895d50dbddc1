// Vault: the key is read once, by each way to log in, and signs in this process.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { secret } from '../../../src/ops/secret.ts'
import { viemCurve } from '../../../src/signers/curve.ts'
import type { ServiceAccess } from '../../../src/signers/exchange.ts'
import type { VaultAuthentication } from '../../../src/signers/settings.ts'
import { openVaultKey } from '../../../src/signers/vault-key.ts'
import { type FakeVault, startFakeVault, vaultFailure } from '../../../tooling/key-services/fake-vault.ts'
import { servedKey } from '../../../tooling/key-services/served-key.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { type Access, accessTo, expectSignatures, failureOf, someDigest, unaborted } from './support.ts'

let fake: FakeVault
let access: Access
let folder: string
const key = servedKey()
const appRole = { kind: 'approle', mount: 'approle', roleId: secret('role-1'), secretId: secret('secret-1') } as const

beforeAll(async () => {
  fake = await startFakeVault()
  access = accessTo()
  folder = await mkdtemp(join(tmpdir(), 'rescind-vault-'))
})
afterAll(async () => {
  await fake[Symbol.asyncDispose]()
  await access[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})
beforeEach(() => {
  fake.tokens.clear()
  fake.roles.set('role-1', 'secret-1')
  fake.secrets.set('secret/payouts', { version: 3, data: { value: key.privateKey } })
  delete fake.namespace.required
})

function open(authentication: VaultAuthentication = appRole, namespace?: string, through: ServiceAccess = access) {
  const named = namespace === undefined ? {} : { namespace }
  const place = { url: fake.url, mountPoint: 'secret', keyName: 'payouts', authentication, ...named }
  return openVaultKey({ id: 'vault', type: 'vault', ...place }, through, viemCurve)
}

test.each([key.privateKey, key.privateKey.slice(2), `${key.privateKey}\n`])('signs with AppRole: %#', async (value) => {
  fake.secrets.set('secret/payouts', { version: 3, data: { value } })
  const service = open()
  const [signature] = await expectSignatures(service, key)
  expect(signature).toMatchObject({ encoding: 'compact' })
  expect(await service.open(unaborted)).toMatchObject({ keyVersion: '3' })
  const before = fake.requests.length
  await service.sign(someDigest, unaborted)
  expect(fake.requests.length).toBe(before)
  expect(inspect(service, { depth: null, showHidden: true })).not.toContain(key.privateKey.slice(2, 20))
})

test('signs with a token, in a namespace', async () => {
  fake.namespace.required = 'teams/payouts'
  fake.tokens.add('hvs.given')
  await expectSignatures(open({ kind: 'token', token: secret('hvs.given') }, 'teams/payouts'), key)
  const failure = await failureOf(() => open({ kind: 'token', token: secret('hvs.given') }).open(unaborted))
  expect(failure).toMatchObject({ kind: 'credentials', code: 'read HTTP_403' })
})

test('signs with Kubernetes, and reads a renewed token file', async () => {
  const tokenFile = join(folder, 'token')
  await writeFile(tokenFile, 'jwt-1\n')
  fake.serviceAccounts.set('relayer', 'jwt-2')
  const service = open({ kind: 'kubernetes', mount: 'kubernetes', role: 'relayer', tokenFile })
  expect(await failureOf(() => service.open(unaborted))).toMatchObject({ kind: 'credentials', code: 'login HTTP_403' })
  await writeFile(tokenFile, 'jwt-2')
  await expectSignatures(service, key)
  await rm(tokenFile)
  expect(await failureOf(() => service.open(unaborted))).toMatchObject({ kind: 'credentials', code: 'TOKEN_FILE' })
})

test('a refused read is tried once more after a new login', async () => {
  fake.failNext('/data/', vaultFailure(403, 'permission denied'))
  await expectSignatures(open(), key)
  fake.failNext('/data/', vaultFailure(403), vaultFailure(403))
  const before = fake.requests.length
  expect(await failureOf(() => open().open(unaborted))).toMatchObject({ kind: 'permanent', code: 'read HTTP_403' })
  expect(fake.requests.slice(before).map(({ path }) => path)).toEqual(
    [1, 2].flatMap(() => ['/v1/auth/approle/login', '/v1/secret/data/payouts']),
  )
})

test('a read that AppRole may not do is permanent: another try needs another login', async () => {
  const service = open()
  fake.failNext('/data/', vaultFailure(403), vaultFailure(403))
  expect(await failureOf(() => service.open(unaborted))).toMatchObject({ kind: 'permanent', code: 'read HTTP_403' })
  expect(service.countsLogins).toBe(true)
  expect(open({ kind: 'token', token: secret('hvs.given') }).countsLogins).toBe(false)
})

test('a login whose read fails is used again: a secret id may be good for one login', async () => {
  const service = open()
  fake.failNext('/data/', vaultFailure(503))
  expect(await failureOf(() => service.open(unaborted))).toMatchObject({ kind: 'transient' })
  fake.roles.delete('role-1')
  await expectSignatures(service, key)
})

test('a login whose lease has ended, or whose token is refused, is replaced', async () => {
  const clock = manualClock()
  const logins = (from: number) => fake.requests.slice(from).filter(({ path }) => path.includes('/login')).length
  const service = open(appRole, undefined, { ...access, clock })
  const before = fake.requests.length
  fake.failNext('/data/', vaultFailure(503))
  await failureOf(() => service.open(unaborted))
  clock.advance(3_600_001)
  await service.open(unaborted)
  expect(logins(before)).toBe(2)
})

test.each([
  ['/login', 429, 'throttled'],
  ['/data/', 429, 'throttled'],
  ['/login', 503, 'transient'],
  ['/data/', 503, 'transient'],
  ['/login', 500, 'transient'],
  ['/data/', 502, 'transient'],
  ['/data/', 412, 'transient'],
  ['/data/', 307, 'transient'],
  ['/login', 400, 'permanent'],
  ['/data/', 404, 'permanent'],
])('%s answers %i: %s', async (where, status, kind) => {
  fake.failNext(where, vaultFailure(status, 'as ordered'))
  expect(await failureOf(() => open().open(unaborted))).toMatchObject({ kind })
})

test.each([
  ['no value', {}],
  ['no hexadecimal', { value: 'z'.repeat(64) }],
  ['zero', { value: '0'.repeat(64) }],
])('a secret without a key is refused, unseen: %s', async (_, data) => {
  fake.secrets.set('secret/payouts', { version: 1, data })
  const failure = await failureOf(() => open().open(unaborted))
  expect(failure).toMatchObject({ kind: 'permanent', code: 'INVALID_SECRET' })
  expect(inspect(failure)).not.toMatch(/zzzz|0000/)
})

test('a wrong secret id is permanent, as no further try of it is free, and not shown', async () => {
  const failure = await failureOf(() => open({ ...appRole, secretId: secret('not-this') }).open(unaborted))
  expect(failure).toMatchObject({ kind: 'permanent', code: 'login HTTP_400' })
  expect(inspect(failure)).not.toContain('not-this')
})

test('a connection that breaks is transient, and nothing signs before the key is read', async () => {
  fake.failNext('/login', 'drop')
  const service = open()
  expect(await failureOf(() => service.open(unaborted))).toMatchObject({ kind: 'transient' })
  expect(await failureOf(() => service.sign(someDigest, unaborted))).toMatchObject({ kind: 'transient' })
})
