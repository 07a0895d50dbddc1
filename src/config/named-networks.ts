// The EVM networks that OpenZeppelin Relayer 1.8 has names for, as facts: a configuration that names one needs only endpoints.

interface NamedNetwork {
  readonly name: string
  readonly chainId: number
  readonly averageBlockTimeMs: number
  readonly eip1559: boolean
  readonly isTestnet: boolean
  readonly tags: readonly string[]
}

type Row = readonly [
  name: string,
  chainId: number,
  averageBlockTimeMs: number,
  fees: 'eip1559' | 'legacy',
  kind: 'main' | 'test',
  ...tags: string[],
]

const rows: readonly Row[] = [
  ['abstract', 2_741, 1_000, 'eip1559', 'main'],
  ['abstract-sepolia', 11_124, 1_000, 'eip1559', 'test'],
  ['arbitrum-one', 42_161, 260, 'eip1559', 'main', 'arbitrum-based', 'rollup', 'no-mempool'],
  ['arbitrum-sepolia', 421_614, 260, 'eip1559', 'test', 'arbitrum-based', 'deprecated', 'rollup', 'no-mempool'],
  ['arbitrum-nova', 42_170, 260, 'eip1559', 'main', 'arbitrum-based', 'rollup', 'no-mempool'],
  ['binance-smart-chain', 56, 3_000, 'legacy', 'main'],
  ['binance-smart-chain-testnet', 97, 3_000, 'legacy', 'test', 'deprecated'],
  ['mainnet', 1, 12_000, 'eip1559', 'main'],
  ['sepolia', 11_155_111, 12_000, 'eip1559', 'test'],
  ['holesky', 17_000, 12_000, 'eip1559', 'test', 'deprecated'],
  ['linea', 59_144, 12_000, 'eip1559', 'main', 'rollup'],
  ['linea-sepolia', 59_141, 12_000, 'eip1559', 'test', 'deprecated', 'rollup'],
  ['localhost-anvil-docker', 31_337, 1_000, 'eip1559', 'test'],
  ['localhost-anvil', 31_337, 1_000, 'eip1559', 'test'],
  ['mantle', 5_000, 2_000, 'eip1559', 'main', 'rollup'],
  ['mantle-sepolia', 5_003, 2_000, 'eip1559', 'test', 'deprecated', 'rollup'],
  ['optimism', 10, 2_000, 'eip1559', 'main', 'rollup', 'optimism-based'],
  ['optimism-sepolia', 11_155_420, 2_000, 'eip1559', 'test', 'deprecated', 'rollup', 'optimism-based'],
  ['base', 8_453, 2_000, 'eip1559', 'main', 'rollup', 'optimism-based'],
  ['base-sepolia', 84_532, 2_000, 'eip1559', 'test', 'deprecated', 'rollup', 'optimism-based'],
  ['unichain', 130, 1_000, 'eip1559', 'main', 'rollup', 'optimism-based'],
  ['unichain-sepolia', 1_301, 1_000, 'eip1559', 'test', 'deprecated', 'rollup', 'optimism-based'],
  ['world-chain', 480, 2_000, 'eip1559', 'main', 'rollup', 'optimism-based'],
  ['world-chain-sepolia', 4_801, 2_000, 'eip1559', 'test', 'deprecated', 'rollup', 'optimism-based'],
  ['gnosis', 100, 5_000, 'eip1559', 'main'],
  ['gnosis-chiado', 10_200, 5_000, 'eip1559', 'test'],
  ['fantom', 250, 1_200, 'legacy', 'main'],
  ['fantom-testnet', 4_002, 1_200, 'legacy', 'test', 'deprecated'],
  ['moonbeam', 1_284, 12_500, 'eip1559', 'main'],
  ['moonriver', 1_285, 12_500, 'eip1559', 'main'],
  ['moonbase', 1_287, 5_600, 'eip1559', 'test'],
  ['avalanche', 43_114, 2_000, 'eip1559', 'main'],
  ['avalanche-fuji', 43_113, 2_000, 'eip1559', 'test', 'deprecated'],
  ['celo', 42_220, 5_000, 'legacy', 'main'],
  ['celo-alfajores', 44_787, 5_000, 'legacy', 'test', 'deprecated'],
  ['celo-baklava', 62_320, 5_000, 'legacy', 'test', 'deprecated'],
  ['aurora', 1_313_161_554, 1_100, 'legacy', 'main'],
  ['aurora-testnet', 1_313_161_555, 1_100, 'legacy', 'test', 'deprecated'],
  ['fuse', 122, 5_000, 'eip1559', 'main'],
  ['fuse-spark', 123, 5_000, 'eip1559', 'test'],
  ['japan-open-chain', 81, 5_000, 'eip1559', 'main'],
  ['japan-open-chain-testnet', 10_081, 5_000, 'eip1559', 'test'],
  ['peaq-mainnet', 3_338, 6_000, 'eip1559', 'main'],
  ['peaq-agung', 9_990, 6_000, 'eip1559', 'test'],
  ['polkadot-hub', 420_420_419, 2_400, 'legacy', 'main', 'polkadot-based'],
  ['polkadot-hub-testnet', 420_420_422, 6_000, 'legacy', 'test', 'polkadot-based'],
  ['polygon', 137, 2_100, 'eip1559', 'main'],
  ['polygon-amoy', 80_002, 2_100, 'eip1559', 'test'],
  ['polygon-zkevm', 1_101, 5_000, 'legacy', 'main', 'polygon-zkevm-based'],
  ['polygon-zkevm-testnet', 2_442, 5_000, 'legacy', 'test', 'polygon-zkevm-based'],
  ['scroll', 534_352, 3_000, 'eip1559', 'main'],
  ['scroll-sepolia', 534_351, 3_000, 'eip1559', 'test'],
  ['sei-mainnet', 1_329, 400, 'eip1559', 'main'],
  ['sei-atlantic-2', 1_328, 400, 'eip1559', 'test'],
  ['sophon', 50_104, 1_000, 'legacy', 'main'],
  ['sophon-testnet', 531_050_104, 1_000, 'legacy', 'test'],
  ['zk-sync', 324, 5_000, 'legacy', 'main', 'rollup'],
  ['zk-sync-testnet', 300, 5_000, 'legacy', 'test', 'deprecated', 'rollup'],
]

export const namedNetworks: readonly NamedNetwork[] = rows.map(
  ([name, chainId, averageBlockTimeMs, fees, kind, ...tags]) => ({
    ...{ name, chainId, averageBlockTimeMs, tags },
    eip1559: fees === 'eip1559',
    isTestnet: kind === 'test',
  }),
)
