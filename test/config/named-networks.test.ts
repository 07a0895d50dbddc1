// Each name of OpenZeppelin Relayer's networks is resolved, with endpoints and nothing else: by a list of ids of its own.
import { expect, test } from 'vitest'
import { namedNetworks } from '../../src/config/named-networks.ts'
import { loadFile, rightFile } from './workplace.ts'

/** Written down a second time, so that a wrong id in the table can't pass. */
const chainIds: Readonly<Record<string, number>> = {
  abstract: 2_741,
  'abstract-sepolia': 11_124,
  'arbitrum-one': 42_161,
  'arbitrum-sepolia': 421_614,
  'arbitrum-nova': 42_170,
  'binance-smart-chain': 56,
  'binance-smart-chain-testnet': 97,
  mainnet: 1,
  sepolia: 11_155_111,
  holesky: 17_000,
  linea: 59_144,
  'linea-sepolia': 59_141,
  'localhost-anvil-docker': 31_337,
  'localhost-anvil': 31_337,
  mantle: 5_000,
  'mantle-sepolia': 5_003,
  optimism: 10,
  'optimism-sepolia': 11_155_420,
  base: 8_453,
  'base-sepolia': 84_532,
  unichain: 130,
  'unichain-sepolia': 1_301,
  'world-chain': 480,
  'world-chain-sepolia': 4_801,
  gnosis: 100,
  'gnosis-chiado': 10_200,
  fantom: 250,
  'fantom-testnet': 4_002,
  moonbeam: 1_284,
  moonriver: 1_285,
  moonbase: 1_287,
  avalanche: 43_114,
  'avalanche-fuji': 43_113,
  celo: 42_220,
  'celo-alfajores': 44_787,
  'celo-baklava': 62_320,
  aurora: 1_313_161_554,
  'aurora-testnet': 1_313_161_555,
  fuse: 122,
  'fuse-spark': 123,
  'japan-open-chain': 81,
  'japan-open-chain-testnet': 10_081,
  'peaq-mainnet': 3_338,
  'peaq-agung': 9_990,
  'polkadot-hub': 420_420_419,
  'polkadot-hub-testnet': 420_420_422,
  polygon: 137,
  'polygon-amoy': 80_002,
  'polygon-zkevm': 1_101,
  'polygon-zkevm-testnet': 2_442,
  scroll: 534_352,
  'scroll-sepolia': 534_351,
  'sei-mainnet': 1_329,
  'sei-atlantic-2': 1_328,
  sophon: 50_104,
  'sophon-testnet': 531_050_104,
  'zk-sync': 324,
  'zk-sync-testnet': 300,
}

const resolved = (networks: object[]) => loadFile({ ...rightFile(), relayers: [], networks })
const withEndpoints = (network: string) => ({ network, rpc_urls: ['https://rpc.example'] })

test('the table has these names and no others', () => {
  expect(namedNetworks.map(({ name }) => name).sort()).toEqual(Object.keys(chainIds).sort())
})

test.each(Object.entries(chainIds))('%s is chain %i, with the facts of the table', async (name, chainId) => {
  const facts = namedNetworks.find((each) => each.name === name)
  const { networks } = await resolved([withEndpoints(name)])
  expect(networks).toMatchObject([
    {
      name,
      chainId,
      eip1559: facts?.eip1559,
      features: facts?.eip1559 ? ['eip1559'] : [],
      tags: facts?.tags,
      isTestnet: facts?.isTestnet,
      averageBlockTimeMs: facts?.averageBlockTimeMs,
      // The engine measures it, and does not blame the operator.
      isBlockTimeGiven: false,
    },
  ])
})

test('the defaults of a network where the table and the other list differ, or only one of them has a name', async () => {
  const names = [
    'arbitrum-one',
    'binance-smart-chain',
    'linea',
    'polygon-zkevm-testnet',
    'peaq-mainnet',
    'hoodi',
    'ink',
  ]
  const { networks } = await resolved(names.map(withEndpoints))
  expect(networks.map(({ chainId, symbol, eip1559, tags }) => [chainId, symbol, eip1559, tags])).toEqual([
    [42161, 'ETH', true, ['arbitrum-based', 'rollup', 'no-mempool']],
    [56, 'BNB', false, []],
    [59144, 'ETH', true, ['rollup']],
    [2442, 'ETH', false, ['polygon-zkevm-based']],
    [3338, 'PEAQ', true, []],
    [560048, 'ETH', true, []],
    [57073, 'ETH', true, []],
  ])
})

test('what the file says of a named network counts before the table', async () => {
  const given = { ...withEndpoints('optimism'), features: [], tags: ['mine'], average_blocktime_ms: 7, symbol: 'OP' }
  const { networks } = await resolved([given, { ...withEndpoints('base'), tags: [] }])
  expect(networks).toMatchObject([
    { chainId: 10, eip1559: false, features: [], tags: ['mine'], averageBlockTimeMs: 7, isBlockTimeGiven: true },
    { chainId: 8453, eip1559: true, tags: [] },
  ])
  expect(networks[0]?.symbol).toBe('OP')
})

test('deprecated networks are one line of the log', async () => {
  const { warnings } = await resolved(['mainnet', 'holesky', 'celo-baklava'].map(withEndpoints))
  expect(warnings.filter((line) => line.startsWith('networks'))).toEqual([
    'networks: marked as deprecated: holesky, celo-baklava; move their relayers before they end',
  ])
  expect((await resolved([withEndpoints('sepolia')])).warnings.join()).not.toContain('deprecated')
})
