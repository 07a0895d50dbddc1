// web3signer: the preimage goes out, over TLS with a client's certificate where it is demanded.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWeb3signer } from '../../../src/signers/web3signer.ts'
import { certificateAuthority } from '../../../tooling/key-services/certificate.ts'
import { type FakeWeb3signer, startFakeWeb3signer } from '../../../tooling/key-services/fake-web3signer.ts'
import { servedKey } from '../../../tooling/key-services/served-key.ts'
import { type Access, accessTo, expectSignatures, failureOf, someDigest, unaborted } from './support.ts'

let fake: FakeWeb3signer
let access: Access
let folder: string
const key = servedKey()
const named = { id: 'web3signer', type: 'web3signer', publicKey: key.publicKey } as const

beforeAll(async () => {
  fake = await startFakeWeb3signer()
  fake.keys.push(servedKey(), key)
  access = accessTo()
  folder = await mkdtemp(join(tmpdir(), 'rescind-web3signer-'))
})
afterAll(async () => {
  await fake[Symbol.asyncDispose]()
  await access[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

test('signs the preimage', async () => {
  const service = await openWeb3signer({ ...named, url: `${fake.url}/` }, access)
  const [signature] = await expectSignatures(service, key)
  expect(signature).toMatchObject({ encoding: 'compact' })
  expect(service.quotaDomain).toBe(`web3signer:${fake.url}`)
})

test('signs over TLS, with a certificate of its own', async () => {
  const authority = certificateAuthority()
  const [server, client] = [authority.issue('server'), authority.issue('rescind')]
  await using secured = await startFakeWeb3signer({ ...server, clientCa: authority.cert })
  secured.keys.push(key)
  const file = async (name: string, text: string) => {
    await writeFile(join(folder, name), text)
    return join(folder, name)
  }
  const caFile = await file('ca.pem', authority.cert)
  const own = { certificateFile: await file('cert.pem', client.cert), keyFile: await file('key.pem', client.key) }
  const service = await openWeb3signer({ ...named, url: secured.url, tls: { caFile, ...own } }, access)
  await expectSignatures(service, key)
  expect(secured.requests.every(({ hasCertificate }) => hasCertificate)).toBe(true)
  await service.close?.()
  const bare = await openWeb3signer({ ...named, url: secured.url, tls: { caFile } }, access)
  expect(await failureOf(() => bare.open(unaborted))).toMatchObject({ kind: 'transient' })
  await bare.close?.()
  const missing = openWeb3signer({ ...named, url: secured.url, tls: { caFile: join(folder, 'none') } }, access)
  await expect(missing).rejects.toThrow(`signer "web3signer": a file of its tls can't be read (ENOENT)`)
})

test('a list without keys is transient: it answers before its keys are loaded', async () => {
  await using loading = await startFakeWeb3signer()
  const service = await openWeb3signer({ ...named, url: loading.url }, access)
  expect(await failureOf(() => service.open(unaborted))).toMatchObject({ kind: 'transient', code: 'NO_KEYS' })
  loading.keys.push(key)
  await expectSignatures(service, key)
})

test('a host that it does not allow is for the operator, with the option that allows it', async () => {
  const service = await openWeb3signer({ ...named, url: fake.url }, access)
  fake.failNext('/publicKeys', { status: 403, body: { message: 'Host not authorized.' } })
  expect(await failureOf(() => service.open(unaborted))).toMatchObject({
    ...{ kind: 'permanent', code: 'HOST_NOT_AUTHORIZED' },
    message: 'it refuses the host of its url; name the host in its --http-host-allowlist',
  })
})

test.each([
  [429, 'throttled'],
  [500, 'transient'],
  [503, 'transient'],
  [408, 'transient'],
  [400, 'permanent'],
  [403, 'credentials'],
  [404, 'transient'],
] as const)('%i is %s', async (status, kind) => {
  const service = await openWeb3signer({ ...named, url: fake.url }, access)
  fake.failNext('/sign/', { status, body: 'as ordered' })
  const failure = await failureOf(() => service.sign(someDigest, unaborted))
  expect(failure).toMatchObject({ kind, code: `HTTP_${status}` })
})

test('a key that it does not hold is for the operator, and an answer that is no signature is transient', async () => {
  const other = await openWeb3signer({ ...named, publicKey: servedKey().publicKey, url: fake.url }, access)
  expect(await failureOf(() => other.open(unaborted))).toMatchObject({ kind: 'permanent', code: 'KEY_NOT_FOUND' })
  const service = await openWeb3signer({ ...named, url: fake.url }, access)
  fake.failNext('/sign/', { status: 200, body: 'hello' }, 'drop')
  expect(await failureOf(() => service.sign(someDigest, unaborted))).toMatchObject({ code: 'MALFORMED_ANSWER' })
  expect(await failureOf(() => service.sign(someDigest, unaborted))).toMatchObject({ kind: 'transient' })
})
