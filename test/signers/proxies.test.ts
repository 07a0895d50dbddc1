// Key services behind a proxy: all of their clients go through it, and never for metadata, loopback or link-local addresses.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { parseProxies } from '../../src/config/parse-proxies.ts'
import { openReport } from '../../src/config/report.ts'
import { systemClock } from '../../src/ops/clock.ts'
import { systemRandom } from '../../src/ops/random.ts'
import { openAwsKms } from '../../src/signers/aws-kms.ts'
import { openGoogleCloudKms } from '../../src/signers/google-cloud-kms.ts'
import { isNeverProxied, proxyDispatcher } from '../../src/signers/proxies.ts'
import { openWeb3signer } from '../../src/signers/web3signer.ts'
import { type ConnectProxy, startConnectProxy } from '../../tooling/key-services/connect-proxy.ts'
import { startFakeGoogleCloudKms } from '../../tooling/key-services/fake-google-cloud-kms.ts'
import { startFakeWeb3signer } from '../../tooling/key-services/fake-web3signer.ts'
import { servedKey } from '../../tooling/key-services/served-key.ts'
import { expectSignatures, failureOf, unaborted } from './key-services/support.ts'

let proxy: ConnectProxy
const key = servedKey()

beforeEach(async () => {
  proxy = await startConnectProxy()
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await proxy[Symbol.asyncDispose]()
})

function parsed(env: Readonly<Record<string, string>>) {
  const report = openReport()
  const proxies = parseProxies(env, report)
  return { proxies, conclude: report.conclude }
}

function proxiesOf(env: Readonly<Record<string, string>>) {
  const { proxies } = parsed(env)
  if (!proxies) throw new Error('no proxy')
  return proxies
}

function web3signer(env: Readonly<Record<string, string>>, url: string) {
  const proxies = proxiesOf(env)
  const access = { clock: systemClock, random: systemRandom(), proxies, dispatcher: proxyDispatcher(proxies) }
  return openWeb3signer({ type: 'web3signer', id: 'w3s', url, publicKey: key.publicKey }, access)
}

test.each(['HTTP_PROXY', 'http_proxy'])('%s leads requests through the proxy, with its credentials', async (name) => {
  await using fake = await startFakeWeb3signer()
  fake.keys.push(key)
  proxy.lead('signer.internal:9000', fake.url)
  const url = proxy.url.replace('//', '//relay:secret@')
  await expectSignatures(await web3signer({ [name]: url }, 'http://signer.internal:9000'), key)
  const authorization = `Basic ${Buffer.from('relay:secret').toString('base64')}`
  expect(proxy.tunnels[0]).toEqual({ target: 'signer.internal:9000', authorization })
})

test('HTTPS_PROXY does nothing for http, and loopback is reached directly', async () => {
  await using fake = await startFakeWeb3signer()
  fake.keys.push(key)
  await expectSignatures(await web3signer({ HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url }, fake.url), key)
  const outside = await web3signer({ HTTPS_PROXY: proxy.url }, 'http://signer.internal:9000')
  expect(await failureOf(() => outside.open(unaborted))).toMatchObject({ kind: 'transient' })
  expect(proxy.tunnels).toEqual([])
})

test.each([
  ...['internal', '.internal', '*.internal', 'signer.internal', 'signer.internal:9000', 'other, signer.internal', '*'],
])('NO_PROXY %s: no tunnel', async (noProxy) => {
  const service = await web3signer({ HTTP_PROXY: proxy.url, NO_PROXY: noProxy }, 'http://signer.internal:9000')
  await failureOf(() => service.open(unaborted))
  expect(proxy.tunnels).toEqual([])
})

test('another port than that of NO_PROXY goes through the proxy', async () => {
  const service = await web3signer(
    { HTTP_PROXY: proxy.url, NO_PROXY: 'signer.internal:1' },
    'http://signer.internal:9000',
  )
  await failureOf(() => service.open(unaborted))
  expect(proxy.tunnels).toHaveLength(1)
})

test.each([
  [{}, ['kms.eu-central-1.amazonaws.com:443']],
  [{ NO_PROXY: 'amazonaws.com' }, []],
  [{ NO_PROXY: '.amazonaws.com' }, []],
])('the SDK of AWS follows the variables: %o', async (env, tunnels) => {
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAFAKE')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'the-secret')
  const proxies = proxiesOf({ HTTPS_PROXY: proxy.url, ...env })
  const settings = { id: 'kms', type: 'aws_kms', region: 'eu-central-1', keyId: 'k1' } as const
  const service = await openAwsKms(settings, { clock: systemClock, proxies })
  await service.open(AbortSignal.timeout(1_500)).catch(() => undefined)
  expect(proxy.tunnels.map(({ target }) => target)).toEqual(tunnels)
})

test("Google's library reaches the metadata service directly, whatever the environment says", async () => {
  await using fake = await startFakeGoogleCloudKms()
  for (const name of ['HTTPS_PROXY', 'HTTP_PROXY']) vi.stubEnv(name, proxy.url)
  vi.stubEnv('GCE_METADATA_HOST', fake.url.replace('http://', ''))
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', undefined)
  vi.stubEnv('CLOUDSDK_CONFIG', '/nonexistent')
  const proxies = proxiesOf({ HTTPS_PROXY: proxy.url })
  const settings = { id: 'g', type: 'google_cloud_kms', projectId: 'p', universeDomain: 'googleapis.com' } as const
  const named = { location: 'global', keyRingId: 'r', keyId: 'k', keyVersion: 1 }
  const access = { clock: systemClock, random: systemRandom(), proxies, dispatcher: proxyDispatcher(proxies) }
  const service = await openGoogleCloudKms({ ...settings, key: named }, access)
  await failureOf(() => service.open(unaborted))
  expect(fake.requests.map(({ path }) => path.split('?')[0])).toContain(
    '/computeMetadata/v1/instance/service-accounts/default/token',
  )
  expect(proxy.tunnels.map(({ target }) => target)).toEqual(['cloudkms.googleapis.com:443'])
})

test.each([
  ...['169.254.169.254', '169.254.170.2', 'metadata.google.internal', 'METADATA.google.internal.', '[fd00:ec2::254]'],
  ...['127.0.0.1', '127.3.2.1', 'localhost', 'a.localhost', '[::1]', '[fe80::1]'],
])('%s is never reached through a proxy', (host) => {
  expect(isNeverProxied(host)).toBe(true)
})

test.each([
  'kms.eu-central-1.amazonaws.com',
  '10.0.0.1',
  '169.255.0.1',
  '[fd00::1]',
  'metadata.google.internal.example',
])('%s is reached through a proxy', (host) => {
  expect(isNeverProxied(host)).toBe(false)
})

test('variables without a value name no proxy, and small letters come first', () => {
  expect(parsed({ HTTPS_PROXY: '', NO_PROXY: 'a' }).proxies).toBeUndefined()
  expect(parsed({ https_proxy: 'http://a:1', HTTPS_PROXY: 'http://b:1' }).proxies?.https?.reveal()).toBe('http://a:1')
})

test.each(['proxy.example:3128', 'socks5://proxy:1080', 'nonsense'])('%s is refused at start', (url) => {
  expect(() => parsed({ HTTPS_PROXY: url }).conclude()).toThrow(
    'HTTPS_PROXY: is no http or https URL; write it as http://proxy.example:3128',
  )
})
