// Signers whose keys are in services: every form that the file may have loads, and each mistake has a place and a fix.
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { readSigner } from '../../src/config/read-signer.ts'
import { ConfigError } from '../../src/config/report.ts'
import { devAccount } from '../../tooling/dev-accounts.ts'
import { servedKey } from '../../tooling/key-services/served-key.ts'
import { env, load, rightFile } from './workplace.ts'

const { publicKey, address } = servedKey(devAccount(3).key)
const compressed = `${Number.parseInt(publicKey.slice(-1), 16) % 2 === 0 ? '02' : '03'}${publicKey.slice(4, 68)}`
const apiPublicKey = `02${'ab'.repeat(32)}`
const byName = (value: string) => ({ type: 'env', value })
const secrets = { A_SECRET: 'hidden-a', B_SECRET: 'hidden-b', C_SECRET: 'hidden-c' }
const [a, b, c] = [byName('A_SECRET'), byName('B_SECRET'), byName('C_SECRET')]

const account = {
  project_id: 'project-1',
  private_key_id: a,
  private_key: b,
  client_email: c,
  client_id: '1234567890',
  auth_uri: 'https://accounts.google.com/o/oauth2/auth',
  token_uri: 'https://oauth2.googleapis.com/token',
  auth_provider_x509_cert_url: 'https://www.googleapis.com/oauth2/v1/certs',
  client_x509_cert_url: 'https://www.googleapis.com/robot/v1/metadata/x509/relayer',
  universe_domain: 'googleapis.com',
}
const vault = { address: 'https://vault.example.com:8200', role_id: a, secret_id: b, key_name: 'payouts' }
const azure = { vault_url: 'https://kept.vault.azure.net', key_name: 'payouts' }
const login = { tenant_id: a, client_id: b, client_secret: c }
const google = { key_ring_id: 'relayers', key_id: 'payouts' }
const turnkey = { api_public_key: apiPublicKey, api_private_key: a, organization_id: 'org-1', private_key_id: 'key-1' }
const cdp = { api_key_id: 'api-1', api_key_secret: a, wallet_secret: b, account_address: address }
const hsm = { module: '/usr/lib/softhsm/libsofthsm2.so', token_label: 'relayers', key_label: 'payouts', pin: a }

async function signerOf(type: string, config: object, beside: object = {}, variables: object = {}) {
  const file = rightFile()
  const signer = { id: 'remote', type, config, ...beside }
  // A relayer names it, so that a fault is a refusal. No relayer can name a key of another curve.
  const named = type === 'vault_transit' ? {} : { signer_id: 'remote' }
  const relayers = file.relayers.map((relayer) => ({ ...relayer, ...named }))
  const content = { ...file, relayers, signers: [...(file.signers ?? []), signer] }
  const loaded = await load({ 'config/config.json': JSON.stringify(content) }, { ...env, ...secrets, ...variables })
  return loaded.signers.find(({ id }) => id === 'remote')
}

test.each([
  ['aws_kms', { region: 'eu-central-1', key_id: 'alias/payouts' }, { settings: { keyId: 'alias/payouts' } }],
  [
    'google_cloud_kms',
    { service_account: account, key: google },
    { settings: { key: { location: 'global', keyVersion: 1 } } },
  ],
  [
    'google_cloud_kms',
    { service_account: { project_id: 'project-1' }, key: { ...google, location: 'europe-west3', key_version: 7 } },
    { settings: { universeDomain: 'googleapis.com', key: { location: 'europe-west3', keyVersion: 7 } } },
  ],
  [
    'azure_key_vault',
    { ...azure, ...login, key_version: null },
    { settings: { authentication: { kind: 'client_secret' } } },
  ],
  [
    'azure_key_vault',
    { ...azure, auth_type: 'managed_identity', key_version: 'v1' },
    { settings: { keyVersion: 'v1', authentication: { kind: 'managed_identity' } } },
  ],
  [
    'azure_key_vault',
    { ...azure, auth_type: 'workload_identity', tenant_id: a, client_id: b, federated_token_file: c },
    { settings: { authentication: { kind: 'workload_identity' } } },
  ],
  ['vault', vault, { settings: { mountPoint: 'secret', authentication: { kind: 'approle', mount: 'approle' } } }],
  [
    'vault',
    { ...vault, namespace: 'team', mount_point: 'keys' },
    { settings: { namespace: 'team', mountPoint: 'keys' } },
  ],
  ['vault', { address: vault.address, key_name: 'a/b', token: a }, { settings: { authentication: { kind: 'token' } } }],
  [
    'vault',
    { address: vault.address, key_name: 'a', kubernetes_role: 'relayer' },
    { settings: { authentication: { kind: 'kubernetes', role: 'relayer', mount: 'kubernetes' } } },
  ],
  ['vault_transit', { ...vault, pubkey: 'AAAA' }, { settings: { mountPoint: 'transit' } }],
  ['turnkey', { ...turnkey, public_key: compressed }, { settings: { publicKey } }],
  ['turnkey', { ...turnkey, public_key: publicKey.slice(2) }, { settings: { publicKey } }],
  [
    'turnkey',
    { ...turnkey, api_public_key: `${apiPublicKey}\n`, public_key: ` ${compressed}\n` },
    { settings: { publicKey, apiPublicKey }, shown: { public_key: compressed } },
  ],
  ['cdp', cdp, { settings: { accountAddress: address } }],
  ['web3signer', { url: 'http://127.0.0.1:9000', public_key: publicKey }, { settings: { publicKey } }],
  [
    'web3signer',
    { url: 'https://w', public_key: compressed, tls: { ca_file: 'ca.pem', certificate_file: 'c', key_file: 'k' } },
    { settings: { publicKey, tls: { caFile: expect.stringMatching(/^\/.*\/ca\.pem$/) } } },
  ],
  ['pkcs11', hsm, { settings: { tokenLabel: 'relayers' } }],
])('%s loads: %#', async (type, config, expected) => {
  const signer = await signerOf(type, config)
  expect(signer).toMatchObject({ type, ...expected })
  expect(inspect(signer, { depth: null })).not.toMatch(/hidden-/)
})

test('a managed identity is that of App Service where its variables are set', async () => {
  const config = { ...azure, auth_type: 'managed_identity' }
  const set = (variables: object) => signerOf('azure_key_vault', config, {}, variables)
  const endpoint = 'http://127.0.0.1:41741/msi/token'
  const signer = await set({ IDENTITY_ENDPOINT: endpoint, IDENTITY_HEADER: 'hidden-header' })
  expect(signer).toMatchObject({ settings: { authentication: { platform: { endpoint } } } })
  expect(inspect(signer, { depth: null })).not.toMatch(/hidden-/)
  // Azure Arc sets the endpoint alone.
  for (const variables of [{}, { IDENTITY_ENDPOINT: endpoint }, { IDENTITY_HEADER: 'h' }]) {
    expect(await set(variables)).toMatchObject({ settings: { authentication: { kind: 'managed_identity' } } })
    expect(await set(variables)).not.toHaveProperty('settings.authentication.platform')
  }
  const wrong = set({ IDENTITY_ENDPOINT: 'http://user:hidden-a@host', IDENTITY_HEADER: 'h' })
  await expect(wrong).rejects.toThrow(/config\.auth_type: reads IDENTITY_ENDPOINT, which is no http or https URL/)
})

test('an expected address is read beside the type', async () => {
  const signer = await signerOf('aws_kms', { region: 'eu-central-1', key_id: 'k' }, { address: address.toLowerCase() })
  expect(signer).toMatchObject({ settings: { address } })
})

test.each([
  ['aws_kms', { region: 'eu-central-1', keyid: 'k' }, /config\.keyid: is not a known member; did you mean "key_id"\?/],
  ['aws_kms', { region: 'EU!', key_id: 'k' }, /config\.region: is "EU!"; write a region such as/],
  [
    'google_cloud_kms',
    { service_account: { ...account, client_email: undefined }, key: google },
    /client_email: is missing/,
  ],
  [
    'google_cloud_kms',
    { service_account: account, key: { ...google, key_version: 0 } },
    /key\.key_version: is 0; write a whole/,
  ],
  ['azure_key_vault', { ...azure, auth_type: 'password' }, /auth_type: is "password"; write "client_secret"/],
  ['azure_key_vault', { ...azure, ...login, client_secret: undefined }, /client_secret: is missing/],
  ['azure_key_vault', { ...azure, ...login, vault_url: 'http://kept.vault.azure.net' }, /vault_url: is not https/],
  ['vault', { ...vault, token: a }, /config\.token: is a second way to log in beside "role_id"/],
  ['vault', { ...vault, address: 'vault:8200' }, /config\.address: is no plain http or https URL/],
  ['vault', { ...vault, key_name: '../sys/seal' }, /config\.key_name: is "\.\.\/sys\/seal"/],
  ['vault', { ...vault, secret_id: 'in-the-clear' }, /secret_id: is a text \(not shown/],
  ['turnkey', { ...turnkey, public_key: `04${'11'.repeat(64)}` }, /public_key: is no public key of secp256k1/],
  [
    'turnkey',
    { ...turnkey, api_public_key: 'xy', public_key: compressed },
    /api_public_key: is "xy"; write 66 hex digits/,
  ],
  ['cdp', { ...cdp, account_address: address.replace(/[a-f]/, 'A') }, /account_address: names/],
  [
    'web3signer',
    { url: 'http://w', public_key: compressed, tls: { key_file: 'k' } },
    /tls\.certificate_file: is missing/,
  ],
  ['pkcs11', { ...hsm, pin: undefined }, /config\.pin: is missing/],
  ['pkcs11', { ...hsm, pin: '1234' }, /config\.pin: is a text \(not shown/],
])('%s is refused: %#', async (type, config, message) => {
  const error = await signerOf(type, config).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(ConfigError)
  expect(String(error)).toMatch(message)
  expect(String(error)).not.toMatch(/hidden-|in-the-clear|1234/)
})

test('a relayer can not use keys of another curve', async () => {
  const file = rightFile()
  const signers = [
    ...(file.signers ?? []),
    { id: 'remote', type: 'vault_transit', config: { ...vault, pubkey: 'AAAA' } },
  ]
  const [first] = file.relayers ?? []
  const content = JSON.stringify({ ...file, signers, relayers: [{ ...first, signer_id: 'remote' }] })
  const loading = load({ 'config/config.json': content }, { ...env, ...secrets })
  await expect(loading).rejects.toThrow(/relayers\[0\]\.signer_id: names "remote", a signer of type "vault_transit"/)
})

test.each([
  ['vault', { ...vault, role_id: 'r', secret_id: 's' }, undefined],
  [
    'vault',
    { address: vault.address, key_name: 'a', kubernetes_role: 'r' },
    /kubernetes_role: would send a token of this machine/,
  ],
  [
    'web3signer',
    { url: 'http://w', public_key: compressed, tls: { ca_file: '/etc/passwd' } },
    /tls\.ca_file: names a file/,
  ],
  ['pkcs11', { ...hsm, pin: '1' }, undefined],
  ['pkcs11', { ...hsm, module: '/tmp/evil.so', pin: '1' }, /module: is a library that requests may not name/],
  [
    'google_cloud_kms',
    { service_account: { project_id: 'p', universe_domain: 'evil.example' }, key: google },
    /universe_domain: would send the credentials of this machine elsewhere/,
  ],
  [
    'azure_key_vault',
    { ...azure, auth_type: 'workload_identity', tenant_id: 't', client_id: 'c', federated_token_file: '/etc/passwd' },
    /federated_token_file: names a file of this machine/,
  ],
  ['aws_kms', { region: 5, key_id: 'k' }, /config\.region: is 5/],
  [
    'cdp',
    { ...cdp, api_key_secret: { type: 'env', value: 'PATH' }, wallet_secret: 's' },
    /api_key_secret: is an object/,
  ],
])('a request: %s %#', (type, config, refusal) => {
  const read = readSigner('remote', { type, config }, { pkcs11Modules: [hsm.module] })
  const texts =
    'problems' in read ? read.problems.map(({ place, message }) => `${place}: ${message}`).join() : undefined
  if (refusal) expect(texts).toMatch(refusal)
  else expect(texts).toBeUndefined()
})
