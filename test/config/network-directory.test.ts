// A directory of networks as OpenZeppelin Relayer keeps them, with those of other chain families beside them.
import { expect, test } from 'vitest'
import { type ConfigFile, load, refusal, rightFile } from './workplace.ts'

const ember = {
  type: 'evm',
  network: 'ember',
  chain_id: 77001,
  is_testnet: false,
  required_confirmations: 3,
  rpc_urls: ['https://one.ember.example', { url: 'https://two.ember.example/v1/key', weight: 30 }],
  explorer_urls: ['https://scan.ember.example'],
  average_blocktime_ms: 2000,
  symbol: 'EMB',
  features: ['eip1559'],
  tags: ['rollup', 'optimism-based'],
  gas_price_cache: { enabled: true, stale_after_ms: 20000, expire_after_ms: 45000 },
}
const emberTest = {
  from: 'ember',
  type: 'evm',
  network: 'ember-test',
  chain_id: 77002,
  is_testnet: true,
  rpc_urls: ['https://test.ember.example'],
  tags: ['deprecated'],
}
const cinder = {
  type: 'evm',
  network: 'cinder',
  from: 'ember-test',
  chain_id: 77003,
  features: [],
  tags: ['no-mempool'],
  rpc_urls: ['https://cinder.example'],
}
const rpc = ['https://rpc.example']
const sol = { type: 'solana', network: 'sol-one', rpc_urls: rpc, explorer_urls: rpc, symbol: 'SOL', is_testnet: false }
const solTest = { from: 'sol-one', type: 'solana', network: 'sol-two', rpc_urls: rpc, is_testnet: true }
const lumen = {
  ...{ type: 'stellar', network: 'lumen', rpc_urls: rpc, horizon_url: 'https://horizon.example' },
  ...{ passphrase: 'A public network', average_blocktime_ms: 5000, is_testnet: true },
}

/** `networks`: files of the directory, by name. */
function loadDirectory(networks: Readonly<Record<string, object[]>>, relayer: object = {}) {
  const right: ConfigFile = rightFile()
  const relayers = [{ ...right.relayers[0], network: 'ember', ...relayer }]
  const files = Object.entries(networks).map(([name, list]) => [
    `config/networks/${name}.json`,
    JSON.stringify({ networks: list }),
  ])
  return load({
    'config/config.json': JSON.stringify({ ...right, relayers, networks: './config/networks' }),
    ...Object.fromEntries(files),
  })
}

test('a whole directory is loaded, and skipped files are one line a family', async () => {
  const families = { solana: [sol, solTest], stellar: [lumen] }
  const { networks, warnings } = await loadDirectory({ cinder: [cinder], ember: [ember, emberTest], ...families })
  expect(networks.map(({ name, chainId, tags, features }) => [name, chainId, tags, features])).toEqual([
    ['cinder', 77003, ['rollup', 'optimism-based', 'deprecated', 'no-mempool'], ['eip1559']],
    ['ember', 77001, ['rollup', 'optimism-based'], ['eip1559']],
    ['ember-test', 77002, ['rollup', 'optimism-based', 'deprecated'], ['eip1559']],
  ])
  expect(networks[1]).toMatchObject({
    ...{ requiredConfirmations: 3, averageBlockTimeMs: 2000, isBlockTimeGiven: true, symbol: 'EMB', isTestnet: false },
    ...{ eip1559: true, explorerUrls: ['https://scan.ember.example'] },
  })
  expect(networks[1]?.rpcUrls.map(({ url, weight }) => [url.reveal(), weight])).toEqual([
    ['https://one.ember.example/', 100],
    ['https://two.ember.example/v1/key', 30],
  ])
  expect(networks[2]).toMatchObject({ requiredConfirmations: 3, symbol: 'EMB', isTestnet: true })
  expect(warnings).toEqual([
    'networks: those of type solana are skipped, as only evm is served: sol-one, sol-two',
    'networks: those of type stellar are skipped, as only evm is served: lumen',
    'gas_price_cache: has no effect on any network: prices are read once a block, for all relayers',
    'networks: marked as deprecated: cinder, ember-test; move their relayers before they end',
  ])
})

test.each<[string, Readonly<Record<string, object[]>>, object, RegExp]>([
  [
    'a relayer on a network that is skipped',
    { ember: [ember], stellar: [lumen] },
    { network: 'lumen' },
    /relayers\[0\]\.network: relayer "local" uses "lumen", which is of type stellar, .*name an evm network, or remove/,
  ],
  [
    'a relayer with endpoints of its own on a network that is skipped',
    { stellar: [lumen] },
    { network: 'lumen', custom_rpc_urls: rpc },
    /relayers\[0\]\.network: relayer "local" uses "lumen", which is of type stellar/,
  ],
  [
    'a parent that is nowhere',
    { ember: [ember, { ...cinder, from: 'embr' }] },
    { network: 'cinder' },
    /ember\.json\.networks\[1\]\.from: "embr", which is not defined; name an evm network/,
  ],
  [
    'a parent of another family',
    { ember: [ember, { ...cinder, from: 'lumen' }], stellar: [lumen] },
    { network: 'cinder' },
    /ember\.json\.networks\[1\]\.from: "lumen", which is of type stellar; name an evm network/,
  ],
  [
    'a name in two files',
    { a: [ember], b: [ember] },
    {},
    /b\.json\.networks\[0\]\.network: "ember" is defined twice; remove or rename one of the two/,
  ],
])('%s is refused', async (_, networks, relayer, message) => {
  const error = await refusal(loadDirectory(networks, relayer))
  expect(error.problems).toHaveLength(1)
  expect(error.message).toMatch(message)
})

test('parents that inherit from each other across files are refused, each by its place', async () => {
  const files = { a: [{ ...ember, from: 'cinder' }], b: [{ ...cinder, from: 'ember' }] }
  const { problems } = await refusal(loadDirectory(files))
  expect(problems.map(({ place, message }) => `${place}: ${message}`).sort()).toEqual([
    'a.json.networks[0].from: "cinder", which inherits from it in turn; name an evm network that stands on its own',
    'b.json.networks[0].from: "ember", which inherits from it in turn; name an evm network that stands on its own',
  ])
})

test('a network of another family may share its name with one of EVM', async () => {
  const { networks } = await loadDirectory({ ember: [ember], solana: [{ ...sol, network: 'ember' }] })
  expect(networks.map(({ name }) => name)).toEqual(['ember'])
})

test('relayers of other families are skipped, with one warning, whatever they hold', async () => {
  const right = rightFile()
  const stellar = {
    ...{ id: 'lumens', name: 'L', network: 'lumen', network_type: 'stellar', paused: false, signer_id: 'none' },
    policies: { fee_payment_strategy: 'user', min_balance: -1 },
  }
  const solana = { id: 'sun', network: 'sol-one', network_type: 'solana', signer_id: 'dev', custom_rpc_urls: rpc }
  const files = {
    'config/config.json': JSON.stringify({ ...right, relayers: [stellar, ...right.relayers, solana] }),
  }
  const { relayers, warnings } = await load(files)
  expect(relayers.map(({ id }) => id)).toEqual(['local'])
  expect(warnings).toEqual(['relayers: skipped, as only evm is served: lumens (stellar), sun (solana)'])

  const none = JSON.stringify({ ...right, relayers: [stellar] })
  expect((await load({ 'config/config.json': none })).warnings).toEqual([
    'relayers: skipped, as only evm is served: lumens (stellar)',
    'relayers: there is none, so nothing can be sent',
  ])
})
