// What a configuration that is right comes to.
import { readFile } from 'node:fs/promises'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { publishedKeys } from '../../src/config/environment.ts'
import { apiKey, env, load, loadFile, passphrase, privateKey, refusal, rightFile, signingKey } from './workplace.ts'

test('a file and the environment become plain values', async () => {
  const config = await loadFile(rightFile())
  expect(config.server).toMatchObject({
    host: '127.0.0.1',
    port: 8080,
    metrics: { host: '127.0.0.1', port: 8081 },
    rateLimit: { requestsPerSecond: 100, burst: 300 },
    rpcAnswerBytesMax: 1_048_576,
  })
  expect(config.server.apiKey.reveal()).toBe(apiKey)
  expect(config.logLevel).toBe('info')
  expect(config.database).toEqual({ kind: 'sqlite', path: expect.stringMatching(/^\/.*\/data\/rescind\.db$/) })
  expect(config.relayers).toEqual([
    {
      id: 'local',
      name: 'Local',
      network: 'localhost',
      signerId: 'dev',
      notificationId: 'hook',
      paused: false,
      policies: { minBalance: 0n, gasPriceCap: 100_000_000_000n, eip1559Pricing: true },
    },
  ])
  const [local, plain] = config.signers
  expect(local?.type === 'local' && local.path).toMatch(/^\/.*\/config\/keys\/dev\.json$/)
  expect(local?.type === 'local' && local.passphrase.reveal()).toBe(passphrase)
  expect(plain?.type === 'plain' && plain.key.reveal()).toBe(privateKey)
  expect(config.notifications[0]?.url.reveal()).toBe('http://127.0.0.1:9000/hook')
  expect(config.notifications[0]?.signingKey?.reveal()).toBe(signingKey)
  expect(config.networks).toMatchObject([
    { name: 'localhost', chainId: 31337, requiredConfirmations: 1, averageBlockTimeMs: 1000, eip1559: true },
  ])
  expect(config.networks[0]?.rpcUrls[0]?.url.reveal()).toBe('http://127.0.0.1:8545/')
  expect(config.warnings).toEqual([])
})

test.each([
  ['1e21', 10n ** 21n],
  ['1E+21', 10n ** 21n],
  ['1.000000000000000001e18', 10n ** 18n + 1n],
  ['12345678901234567890.0', 12_345_678_901_234_567_890n],
  ['123456789012345678900e-1', 12_345_678_901_234_567_890n],
  ['9007199254740993', 2n ** 53n + 1n],
  ['1.5e3', 1_500n],
])('an amount of wei may be written as the number %s without a loss', async (written, wei) => {
  const text = JSON.stringify(rightFile()).replace('"min_balance":0', `"min_balance":${written}`)
  const config = await load({ 'config/config.json': text })
  expect(config.relayers[0]?.policies.minBalance).toBe(wei)
})

test.each(['0.5', '1.5e-3', '-1e21', '1e78', '1e999', '9007199254740993.5'])(
  'no amount of wei: %s',
  async (written) => {
    const text = JSON.stringify(rightFile()).replace('"min_balance":0', `"min_balance":${written}`)
    const { problems } = await refusal(load({ 'config/config.json': text }))
    expect(problems).toMatchObject([
      { place: 'relayers[0].policies.min_balance', message: expect.stringContaining('write a whole number of wei') },
    ])
  },
)

test('no secret shows in a configuration that is logged, however it is logged', async () => {
  const file = rightFile()
  file.networks[0] = { ...file.networks[0], rpc_urls: ['https://user:pass-in-url@rpc.example/v2/key-in-path?k=q'] }
  const config = await loadFile(file)
  const json = JSON.stringify(config, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
  const spread = inspect({ ...config.server.apiKey }, { showHidden: true, depth: null })
  const shown = [json, inspect(config, { depth: null, showHidden: true }), `${config.server.apiKey}`, spread].join('\n')
  for (const secret of [apiKey, privateKey, passphrase, signingKey, 'pass-in-url', 'key-in-path', '/hook']) {
    expect(shown).not.toContain(secret)
  }
  expect(json).toContain('"url":"rpc.example"')
  expect(json).toContain('"apiKey":"[secret]"')
})

test('.env is read, the real environment wins, and an empty variable counts as not set', async () => {
  const files = {
    'elsewhere/relayers.json': JSON.stringify(rightFile()),
    '.env': 'APP_PORT=9001\nMETRICS_PORT=9002\nHOST="0.0.0.0"\nCONFIG_DIR=elsewhere\nCONFIG_FILE_NAME=relayers.json\n',
  }
  const config = await load(files, { ...env, METRICS_PORT: '9100', LOG_LEVEL: '', DATABASE_URL: 'sqlite:///srv/r.db' })
  expect(config.server).toMatchObject({ host: '0.0.0.0', port: 9001, metrics: { host: '0.0.0.0', port: 9100 } })
  expect(config.logLevel).toBe('info')
  expect(config.server.idleConnectionMs).toBe(650_000)
  expect(config.database).toEqual({ kind: 'sqlite', path: '/srv/r.db' })
})

test('a port that Kubernetes sets for a Service of its name is ignored, with a warning', async () => {
  const files = { 'config/config.json': JSON.stringify(rightFile()) }
  const linked = { ...env, APP_PORT: 'tcp://10.96.0.7:80', METRICS_PORT: 'udp://[fd00::7]:9090' }
  const { server, warnings } = await load(files, linked)
  expect(server).toMatchObject({ port: 8080, metrics: { port: 8081 } })
  expect(warnings).toEqual([
    expect.stringMatching(/^APP_PORT: is "tcp:\/\/10\.96\.0\.7:80".* the port is 8080; set enableServiceLinks: false$/),
    expect.stringMatching(/^METRICS_PORT: is "udp:.* the port is 8081/),
  ])
})

test('a role is given where a server is shared', async () => {
  const files = { 'config/config.json': JSON.stringify(rightFile()) }
  const shared = { ...env, DATABASE_URL: 'postgres://rescind:word@db.internal/rescind' }
  expect((await load(files)).role).toBe('both')
  expect((await load(files, { ...env, ROLE: 'Both' })).role).toBe('both')
  expect((await load(files, { ...shared, ROLE: 'API' })).role).toBe('api')
  expect((await load(files, { ...shared, ROLE: 'worker' })).role).toBe('worker')
})

test('metrics are served unless METRICS_ENABLED says no', async () => {
  const files = { 'config/config.json': JSON.stringify(rightFile()) }
  expect((await load(files, { ...env, METRICS_HOST: '10.0.0.7' })).server.metrics?.host).toBe('10.0.0.7')
  expect((await load(files, { ...env, METRICS_ENABLED: 'true' })).server.metrics?.port).toBe(8081)
  expect((await load(files, { ...env, METRICS_ENABLED: 'False' })).server).not.toHaveProperty('metrics')
})

test('the policies that limit what a send may be', async () => {
  const file = rightFile()
  const [token, friend] = ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8', '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC']
  const policies = {
    whitelist_receivers: [token.toLowerCase(), friend],
    whitelist_selectors: { [token.toLowerCase()]: ['0xA9059CBB', '0x'] },
    value_cap: '1000000000000000000',
    gas_limit_estimation: false,
  }
  file.relayers[0] = { ...file.relayers[0], policies }
  const config = await loadFile(file)
  expect(config.relayers[0]?.policies).toEqual({
    minBalance: 0n,
    eip1559Pricing: true,
    gasLimitEstimation: false,
    whitelistReceivers: [token, friend],
    whitelistSelectors: [{ receiver: token, selectors: ['0xa9059cbb', '0x'] }],
    valueCap: 1_000_000_000_000_000_000n,
  })
})

test('an empty list of receivers means nobody, and says so', async () => {
  const file = rightFile()
  file.relayers[0] = { ...file.relayers[0], policies: { whitelist_receivers: [] } }
  const config = await loadFile(file)
  expect(config.relayers[0]?.policies).toHaveProperty('whitelistReceivers', [])
  expect(config.warnings).toContainEqual(
    expect.stringContaining('whitelist_receivers: is empty, so sends may go to nobody'),
  )
})

test('what other services name and we need not do is accepted, with a warning', async () => {
  const file = rightFile()
  const policies = { private_transactions: false, include_revert_data: true }
  file.relayers[0] = { ...file.relayers[0], policies, custom_rpc_urls: null }
  const status_check = { initial_delay_seconds: 5, retry_delay_seconds: 2 }
  file.networks[0] = {
    ...{ ...file.networks[0], gas_price_cache: { enabled: true }, status_check, tags: ['dev'], explorer_urls: [] },
  }
  file.plugins = []
  const config = await loadFile(file, { ...env, REPOSITORY_STORAGE_TYPE: 'redis' })
  const places = config.warnings.map((warning) => warning.split(':')[0])
  expect(places.sort()).toEqual([
    ...['environment', 'gas_price_cache', 'relayers[0].policies.include_revert_data', 'status_check'],
  ])
})

test('a network on the chain list needs only endpoints', async () => {
  const file = rightFile()
  const names = ['mainnet', 'sepolia', 'arbitrum', 'arbitrum-one', 'base', 'optimism-sepolia', 'polygon', 'anvil']
  file.networks = names.map((network) => ({ network, rpc_urls: ['https://rpc.example'] }))
  file.relayers = []
  const { networks } = await loadFile(file)
  expect(networks.map(({ chainId }) => chainId)).toEqual([1, 11155111, 42161, 42161, 8453, 11155420, 137, 31337])
  expect(networks[0]).toMatchObject({
    symbol: 'ETH',
    isTestnet: false,
    averageBlockTimeMs: 12_000,
    eip1559: true,
    requiredConfirmations: 12,
  })
  expect(networks[1]).toMatchObject({ isTestnet: true })
  expect(networks[6]).toMatchObject({ symbol: 'POL' })
})

test('a tip to raise to is Ethereum’s on its own chains and on unknown ones, Polygon’s on Polygon, and what a profile says', async () => {
  const file = rightFile()
  const rpc_urls = ['https://rpc.example']
  const ours = { network: 'ours', chain_id: 7, rpc_urls }
  const named = ['mainnet', 'sepolia', 'base', 'polygon'].map((network) => ({ network, rpc_urls }))
  const profile = { tip_floor: '26000000000' }
  file.networks = [
    ...named,
    { network: 'polygon-amoy', rpc_urls, profile },
    ours,
    { network: 'mine', from: 'ours', chain_id: 8, profile },
  ]
  file.relayers = []
  const { networks } = await loadFile(file)
  const gwei = 1_000_000_000n
  expect(networks.map(({ name, profile }) => [name, profile.tipFloor])).toEqual([
    ['mainnet', 3n * gwei],
    ['sepolia', 3n * gwei],
    ['base', undefined],
    ['polygon', 25n * gwei],
    ['polygon-amoy', 26n * gwei],
    ['ours', 3n * gwei],
    ['mine', 26n * gwei],
  ])
})

test('networks come from a directory, and inherit', async () => {
  const parent = {
    network: 'base-net',
    type: 'evm',
    chain_id: 7,
    rpc_urls: ['http://a'],
    features: ['eip1559'],
    tags: ['a'],
  }
  const child = { network: 'child', from: 'base-net', type: 'evm', chain_id: 8, tags: ['b'], required_confirmations: 2 }
  const grandchild = { network: 'grandchild', from: 'child', rpc_urls: [{ url: 'http://c', weight: 7 }] }
  const file = { ...rightFile(), networks: './nets', relayers: [] }
  const files = {
    'nets/one.json': JSON.stringify({ networks: [grandchild, child] }),
    'nets/two.json': JSON.stringify({ networks: [parent] }),
    'nets/README.md': 'not a network',
    'config/networks/unused.json': '{',
  }
  const { networks } = await load({ ...files, 'config/config.json': JSON.stringify(file) })
  expect(networks.find(({ name }) => name === 'grandchild')).toMatchObject({
    chainId: 8,
    requiredConfirmations: 2,
    eip1559: true,
    tags: ['a', 'b'],
  })
  const urls = networks.map(({ name, rpcUrls }) => [name, rpcUrls.map(({ url, weight }) => [url.reveal(), weight])])
  expect(Object.fromEntries(urls)).toEqual({
    'base-net': [['http://a/', 100]],
    child: [['http://a/', 100]],
    grandchild: [['http://c/', 7]],
  })
})

test('without the member "networks", the directory beside the file is read', async () => {
  const { networks, ...file } = rightFile()
  const config = await load({
    'config/config.json': JSON.stringify(file),
    'config/networks/local.json': JSON.stringify({ networks }),
  })
  expect(config.networks.map(({ name }) => name)).toEqual(['localhost'])
})

test('a relayer’s custom_rpc_urls stand in for its network’s endpoints, or make a listed network usable', async () => {
  const file = rightFile()
  const second = { id: 'sep', name: 'S', network: 'sepolia', network_type: 'evm', paused: true, signer_id: 'raw' }
  file.relayers = [
    { ...file.relayers[0], custom_rpc_urls: ['http://own'] },
    { ...second, custom_rpc_urls: [{ type: 'env', value: 'SEPOLIA_URL' }] },
  ]
  const { networks } = await loadFile(file, { ...env, SEPOLIA_URL: 'https://sepolia.example/key' })
  const urls = networks.map(({ name, chainId, rpcUrls }) => [name, chainId, rpcUrls[0]?.url.reveal()])
  expect(urls).toEqual([
    ['localhost', 31337, 'http://own/'],
    ['sepolia', 11155111, 'https://sepolia.example/key'],
  ])
})

test('an empty list of custom_rpc_urls is none', async () => {
  const file = rightFile()
  file.relayers = [
    { ...file.relayers[0], custom_rpc_urls: [] },
    { ...file.relayers[0], id: 'two', signer_id: 'raw' },
  ]
  const { networks } = await loadFile(file)
  expect(networks[0]?.rpcUrls.map(({ url }) => url.reveal())).toEqual(['http://127.0.0.1:8545/'])
  file.relayers[1] = { ...file.relayers[1], custom_rpc_urls: ['http://own'] }
  expect((await refusal(loadFile(file))).message).toMatch(
    /relayers\[1\]\.custom_rpc_urls: differs from that of another/,
  )
})

test('old rows stay unless the file gives them an age', async () => {
  expect((await loadFile(rightFile())).retention).toEqual({})
  const retention = { transactions_days: 90, idempotency_keys_days: 180, archive: 'data/archive' }
  expect((await loadFile({ ...rightFile(), retention })).retention).toEqual({
    ...{ transactionsDays: 90, idempotencyKeysDays: 180 },
    archive: expect.stringMatching(/^\/.*\/data\/archive$/),
  })
})

test('an endpoint may name its provider, in 1 to 64 characters', async () => {
  const file = rightFile()
  const providersOf = async (provider: unknown) => {
    file.networks[0] = { ...file.networks[0], rpc_urls: [{ url: 'http://a', provider }, 'http://b'] }
    const { networks } = await loadFile(file)
    return networks[0]?.rpcUrls.map((each) => each.provider)
  }
  expect(await providersOf(' one ')).toEqual(['one', undefined])
  for (const wrong of ['', ' ', 7]) await expect(providersOf(wrong)).rejects.toThrow('rpc_urls[0].provider')
  await expect(providersOf('x'.repeat(65))).rejects.toThrow('rpc_urls[0].provider: has 65 characters')
})

test('endpoints of weight 0 are out of use', async () => {
  const file = rightFile()
  file.networks[0] = { ...file.networks[0], rpc_urls: [{ url: 'http://a', weight: 0 }, 'http://b'] }
  const { networks } = await loadFile(file)
  expect(networks[0]?.rpcUrls.map(({ url }) => url.reveal())).toEqual(['http://b/'])
})

test('the other key of a rotation is of the same form as API_KEY, and another one', async () => {
  const other = 'the-key-before-or-after-this-one-'
  expect((await loadFile(rightFile())).server).not.toHaveProperty('apiKeyPrevious')
  const { server } = await loadFile(rightFile(), { ...env, API_KEY_PREVIOUS: other })
  expect([server.apiKey.reveal(), server.apiKeyPrevious?.reveal()]).toEqual([env.API_KEY, other])
  for (const [value, text] of [
    ['too short', 'API_KEY_PREVIOUS: has 9 characters; it needs 32 or more'],
    [`${other} é`, 'API_KEY_PREVIOUS: holds a space or a character outside ASCII'],
    [env.API_KEY, 'API_KEY_PREVIOUS: is API_KEY as well'],
  ] as const) {
    const { message } = await refusal(loadFile(rightFile(), { ...env, API_KEY_PREVIOUS: value }))
    expect(message).toContain(text)
  }
})

test('the keys of stored secrets are base64 of 32 bytes, the present one and those before it', async () => {
  const [key, old] = [Buffer.alloc(32, 1).toString('base64'), Buffer.alloc(32, 2).toString('base64')]
  const set = { ...env, STORAGE_ENCRYPTION_KEY: key, STORAGE_ENCRYPTION_KEYS_PREVIOUS: ` ${old}, ${old} ` }
  const { encryption } = await loadFile(rightFile(), set)
  expect(encryption.current?.reveal()).toBe(key)
  expect(encryption.previous.map((each) => each.reveal())).toEqual([old, old])
  expect((await loadFile(rightFile())).encryption).toEqual({ previous: [] })
  for (const name of ['STORAGE_ENCRYPTION_KEY', 'STORAGE_ENCRYPTION_KEYS_PREVIOUS']) {
    const short = Buffer.alloc(31, 3).toString('base64')
    const { message } = await refusal(loadFile(rightFile(), { ...env, [name]: short }))
    expect(message).toContain(`${name}: is not base64 of 32 bytes; make a key with "openssl rand -base64 32"`)
    expect(message).not.toContain(short)
  }
})

test('webhooks may reach internal hosts that are named, each a host name, an address or a range', async () => {
  const allowed = (hosts: string) => loadFile(rightFile(), { ...env, WEBHOOK_ALLOWED_HOSTS: hosts })
  const { webhooks } = await allowed(' hooks.internal, 10.0.0.0/8,127.0.0.1 ,fd00::/8, localhost')
  expect(webhooks).toEqual({ allowedHosts: ['hooks.internal', '10.0.0.0/8', '127.0.0.1', 'fd00::/8', 'localhost'] })
  expect((await loadFile(rightFile())).webhooks).toEqual({ allowedHosts: [] })
  for (const wrong of ['http://hook', '10.0.0.0/33', '*', 'a b', '10.0.0', 'hooks.internal/8', 'a..b', '-a']) {
    const { message } = await refusal(allowed(wrong))
    expect(message, wrong).toContain(`WEBHOOK_ALLOWED_HOSTS: "${wrong}" is no host name, address or range`)
  }
})

test('a key of the examples serves a trial on this machine, and nobody else', async () => {
  for (const key of publishedKeys) {
    for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost']) {
      expect(
        (await load({ 'config/config.json': JSON.stringify(rightFile()) }, { ...env, API_KEY: key, HOST: host })).server
          .host,
      ).toBe(host)
    }
    for (const host of ['0.0.0.0', '::', '10.0.0.7']) {
      const refused = load({ 'config/config.json': JSON.stringify(rightFile()) }, { ...env, API_KEY: key, HOST: host })
      await expect(refused).rejects.toThrow(/API_KEY: is published in the documents, and HOST is .*openssl rand/)
    }
  }
})

test('the examples publish no other key', async () => {
  const names = [
    'README.md',
    'config/.env.example',
    'deploy/compose.env.example',
    'deploy/kubernetes/examples/secret.yaml',
  ]
  const texts = await Promise.all(names.map((name) => readFile(name, 'utf8')))
  const found = texts.flatMap((text) => [...text.matchAll(/\bAPI_KEY[=:] ?([\w-]{8,})/g)].map(([, key]) => key))
  expect(new Set(found)).toEqual(new Set(publishedKeys))
})

test('white space around URLs and hex keys is no part of them', async () => {
  const file = rightFile()
  file.networks[0] = {
    ...file.networks[0],
    rpc_urls: [' http://a', { url: 'http://b\n', weight: 50 }, { type: 'env', value: 'RPC_URL' }],
  }
  file.notifications[0] = { ...file.notifications[0], url: '\thttp://127.0.0.1:9000/hook ' }
  const variables = { ...env, RPC_URL: 'http://c/key\r\n', DEV_PRIVATE_KEY: `\n${privateKey}\n` }
  const config = await loadFile(file, variables)
  expect(config.networks[0]?.rpcUrls.map(({ url }) => url.reveal())).toEqual(['http://a/', 'http://b/', 'http://c/key'])
  expect(config.notifications[0]?.url.reveal()).toBe('http://127.0.0.1:9000/hook')
  const plain = config.signers[1]
  expect(plain?.type === 'plain' && plain.key.reveal()).toBe(privateKey)
  expect(config.warnings).toEqual([])
})

test('passphrases and signing keys are taken as they are, and white space around them is a warning', async () => {
  const variables = { ...env, KEYSTORE_PASSPHRASE: ` ${passphrase}`, WEBHOOK_SIGNING_KEY: `${signingKey}\n` }
  const config = await loadFile(rightFile(), variables)
  const [local] = config.signers
  expect(local?.type === 'local' && local.passphrase.reveal()).toBe(` ${passphrase}`)
  expect(config.notifications[0]?.signingKey?.reveal()).toBe(`${signingKey}\n`)
  const counts =
    'begins or ends with white space, which counts as part of it; remove the white space if it does not belong'
  expect(config.warnings).toEqual([
    `signers[0].config.passphrase: ${counts}`,
    `notifications[0].signing_key: ${counts}`,
  ])
  expect(config.warnings.join()).not.toContain(passphrase)
})
