// Signers over the providers' own clients and stand-ins that behave as reports say: tokens that come slowly, valid tokens
// that are refused, a redirect. All signatures come, and nobody has to act.
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { afterAll, expect, test, vi } from 'vitest'
import { secret } from '../../../src/ops/secret.ts'
import { openAzureKeyVault } from '../../../src/signers/azure-key-vault.ts'
import { openCdp } from '../../../src/signers/cdp.ts'
import { viemCurve } from '../../../src/signers/curve.ts'
import { openGoogleCloudKms } from '../../../src/signers/google-cloud-kms.ts'
import { openVaultKey } from '../../../src/signers/vault-key.ts'
import { openWeb3signer } from '../../../src/signers/web3signer.ts'
import { certificateAuthority } from '../../../tooling/key-services/certificate.ts'
import { azureTenant, startFakeAzureKeyVault } from '../../../tooling/key-services/fake-azure-key-vault.ts'
import { cdpFailure, startFakeCdp } from '../../../tooling/key-services/fake-cdp.ts'
import { startFakeGoogleCloudKms } from '../../../tooling/key-services/fake-google-cloud-kms.ts'
import { startFakeVault, vaultFailure } from '../../../tooling/key-services/fake-vault.ts'
import { startFakeWeb3signer } from '../../../tooling/key-services/fake-web3signer.ts'
import { key, requests, sign, signerOver, signOverToken, slowClock } from './over-service.ts'
import { accessTo } from './support.ts'

afterAll(() => vi.unstubAllEnvs())

test('a new token of Google takes 2.4 seconds: ten signatures wait for it, and share it', async () => {
  await using fake = await startFakeGoogleCloudKms()
  const path = 'projects/p/locations/global/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1'
  fake.versions.set(path, { key, algorithm: 'EC_SIGN_SECP256K1_SHA256' })
  vi.stubEnv('GCE_METADATA_HOST', fake.url.replace('http://', ''))
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', undefined)
  vi.stubEnv('CLOUDSDK_CONFIG', '/nonexistent')
  const named = { location: 'global', keyRingId: 'r', keyId: 'k', keyVersion: 1 }
  const settings = { type: 'google_cloud_kms', projectId: 'p', universeDomain: 'googleapis.com', key: named } as const
  await using access = accessTo({ 'https://cloudkms.googleapis.com': fake.url })
  using clock = slowClock()
  const { signer, warnings } = await signerOver(await openGoogleCloudKms({ id: 'key', ...settings }, access), clock)
  const before = requests(fake, '/token')
  fake.tokens.clear()
  await signOverToken({ signer, clock, fake, where: '/token' }, 10)
  expect(requests(fake, '/token') - before).toBe(1)
  expect(warnings).toEqual([])
})

test.each([240])(
  'a new token of Azure takes 2.4 seconds, and is good for %i: forty signatures share it',
  async (seconds) => {
    const authority = certificateAuthority()
    await using fake = await startFakeAzureKeyVault(authority.issue('kept.vault.azure.net'))
    fake.keys.set('k/v1', { key, crv: 'P-256K', enabled: true, operations: ['sign'] })
    fake.latest.set('k', 'v1')
    fake.clients.set('c', 's')
    fake.granted.seconds = seconds
    const hosts = ['https://kept.vault.azure.net', 'https://login.microsoftonline.com']
    await using access = accessTo(Object.fromEntries(hosts.map((host) => [host, fake.url])), { ca: authority.cert })
    const named = { tenantId: secret(azureTenant), clientId: secret('c'), clientSecret: secret('s') }
    const authentication = { kind: 'client_secret', ...named } as const
    const vaultUrl = 'https://kept.vault.azure.net'
    const service = openAzureKeyVault({ type: 'azure_key_vault', vaultUrl, keyName: 'k', authentication }, access)
    using clock = slowClock()
    const { signer, warnings } = await signerOver(service, clock)
    const before = requests(fake, '/oauth2/')
    fake.tokens.clear()
    await signOverToken({ signer, clock, fake, where: '/oauth2/' }, 40)
    await sign(signer, 40, clock)
    expect(requests(fake, '/oauth2/') - before).toBe(1)
    expect(warnings).toEqual([])
  },
)

test('CDP refuses valid tokens twice, with new ones each time: nobody has to act', async () => {
  await using fake = await startFakeCdp()
  const [api, wallet] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ec', { namedCurve: 'P-256' })]
  fake.accounts.set(key.address, key)
  fake.apiKeys.set('a', createPublicKey(api.privateKey))
  fake.wallet.key = createPublicKey(wallet.privateKey)
  const { d = '', x = '' } = api.privateKey.export({ format: 'jwk' })
  const apiKeySecret = secret(Buffer.concat([d, x].map((part) => Buffer.from(part, 'base64url'))).toString('base64'))
  const walletSecret = secret(wallet.privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'))
  await using access = accessTo({ 'https://api.cdp.coinbase.com': fake.url })
  const settings = { apiKeyId: 'a', apiKeySecret, walletSecret, accountAddress: key.address }
  const { signer, warnings } = await signerOver(openCdp({ id: 'key', type: 'cdp', ...settings }, access))
  const before = fake.requests.length
  fake.failNext('/sign', cdpFailure(401, 'unauthorized'), cdpFailure(401, 'unauthorized'))
  await sign(signer)
  const tokens = fake.requests.slice(before).map(({ headers }) => headers.authorization)
  expect(new Set(tokens).size).toBe(3)
  expect(warnings).toEqual([])
})

test('web3signer does not know its key once, while it loads its keys anew: nobody has to act', async () => {
  await using fake = await startFakeWeb3signer()
  fake.keys.push(key)
  await using access = accessTo()
  const settings = { id: 'key', type: 'web3signer', url: fake.url, publicKey: key.publicKey } as const
  const { signer, warnings } = await signerOver(await openWeb3signer(settings, access))
  fake.failNext('/sign', { status: 404, body: 'Public Key not found' })
  await sign(signer)
  expect(warnings).toEqual([])
})

test('a standby of Vault redirects: nothing follows with the token, and the active node is read later', async () => {
  await using active = await startFakeVault()
  await using standby = await startFakeVault()
  standby.roles.set('role', 'secret')
  standby.secrets.set('secret/k', { version: 1, data: { value: key.privateKey } })
  const location = `${active.url}/v1/secret/data/k`
  standby.failNext('/data/', { ...vaultFailure(307), headers: { location } })
  await using access = accessTo()
  const authentication = {
    kind: 'approle',
    mount: 'approle',
    roleId: secret('role'),
    secretId: secret('secret'),
  } as const
  const place = { url: standby.url, mountPoint: 'secret', keyName: 'k', authentication }
  const { signer } = await signerOver(openVaultKey({ id: 'key', type: 'vault', ...place }, access, viemCurve))
  await sign(signer)
  expect(active.requests).toEqual([])
  // The secret id was good for one login only.
  expect(requests(standby, '/login')).toBe(1)
})
