// The table of chains that differ from Ethereum: their profiles, by chain id and by tag.
import type { Address } from './ids.ts'
import { ethereumProfile, type NetworkProfile, type ProfileOverrides, withOverrides } from './profile.ts'

const gwei = 1_000_000_000n

/** A sequencer's pool. Blocks of the rollup are final with those of L1. */
const rollup: ProfileOverrides = { pool: 'private', finality: 'finalized' }
const opStack: ProfileOverrides = { ...rollup, l1Fee: 'op_stack' }
/** The gas of a no-op holds a part for L1. With 21,000 the sequencer refuses it: intrinsic gas too low. */
const l1InGas: ProfileOverrides = { ...rollup, l1Fee: 'in_gas', noOpGas: 'estimated', floorGas: false }
/** Orders a transaction as soon as it accepts it. It keeps a nonce that is too high for about a second (Nitro, execution/gethexec). */
const nitro: ProfileOverrides = { ...l1InGas, pool: 'fcfs', keepsFutureNonceMs: 1_000 }
/** Final once a proof is on L1, which takes hours. */
const provenLater: ProfileOverrides = { finalityStalledAfterMs: 24 * 3_600_000 }
const zkStack: ProfileOverrides = { ...l1InGas, ...provenLater }
const linea: ProfileOverrides = { ...rollup, ...provenLater, priceSource: 'linea_estimate_gas' }
const zkEvm: ProfileOverrides = { ...rollup, ...provenLater }
/** Its oracle has `getL1Fee(bytes)` of the OP stack (docs.scroll.io, "Transaction Fees on Scroll"). */
const scrollOracle = '0x5300000000000000000000000000000000000002' as Address
const scroll: ProfileOverrides = { ...zkEvm, l1Fee: 'op_stack', l1FeeOracle: scrollOracle }
/** A builder of geth's may require 2 gwei (`--miner.gasprice`) and say so nowhere. Gas: EIP-7825, since the fork Osaka. */
const ethereum: ProfileOverrides = { tipFloor: 3n * gwei, maxTransactionGas: 2 ** 24 }
/** Its validators take no tip below 25 gwei (docs.polygon.technology). */
const polygon: ProfileOverrides = { tipFloor: 25n * gwei }
const bsc: ProfileOverrides = { tipFloor: gwei / 20n }
const monad: ProfileOverrides = { charges: 'gas_limit' }
/** Gas there is not that of the EVM: a transfer has a price of its own. */
const ownGas: ProfileOverrides = { noOpGas: 'estimated', floorGas: false }

/** A chain that is in the table has the profile of the table, whatever tags a file gives it. */
const byChainId: ReadonlyMap<number, ProfileOverrides> = new Map(
  rows(
    // Ethereum, Sepolia, Holesky and Hoodi.
    [ethereum, 1, 11_155_111, 17_000, 560_048],
    // Arbitrum One, Nova and Sepolia.
    [nitro, 42_161, 42_170, 421_614],
    // OP Mainnet, Base, Unichain, World Chain, Zora, Mode, Ink, Soneium, Lisk, and their testnets on Sepolia.
    [opStack, 10, 8_453, 130, 480, 7_777_777, 34_443, 57_073, 1_868, 1_135],
    [opStack, 11_155_420, 84_532, 1_301, 4_801, 999_999_999, 919, 763_373, 1_946, 4_202],
    // ZKsync Era, Abstract and Sophon.
    [zkStack, 324, 300, 2_741, 11_124, 50_104, 531_050_104],
    [linea, 59_144, 59_141],
    // Scroll and Polygon zkEVM.
    [scroll, 534_352, 534_351],
    [zkEvm, 1_101, 2_442],
    // Celo, which has no such fee.
    [rollup, 42_220, 44_787, 62_320],
    // Mantle and Etherlink.
    [{ ...l1InGas, ...provenLater }, 5_000, 5_003, 42_793, 128_123],
    // Polygon PoS and Amoy.
    [polygon, 137, 80_002],
    [bsc, 56, 97],
    [monad, 143, 10_143],
    // Polkadot Hub.
    [ownGas, 420_420_419, 420_420_422],
  ),
)

/** For chains that are not in the table: the later row counts before the earlier. */
const byTag: readonly (readonly [tag: string, facts: ProfileOverrides])[] = [
  // A rollup of unknown make: an estimate holds wherever 21,000 does.
  ['rollup', { ...rollup, noOpGas: 'estimated', floorGas: false }],
  ['no-mempool', { pool: 'private' }],
  ['polygon-zkevm-based', zkEvm],
  ['polkadot-based', ownGas],
  ['optimism-based', { ...opStack, noOpGas: 'constant', floorGas: true }],
  ['arbitrum-based', nitro],
]

export function profileOf(chainId: number, tags: readonly string[], overrides: ProfileOverrides = {}): NetworkProfile {
  const ofTags = byTag.filter(([tag]) => tags.includes(tag)).map(([, facts]) => facts)
  const ofChain = byChainId.get(chainId)
  return [...(ofChain ? [ofChain] : ofTags), overrides].reduce(withOverrides, ethereumProfile)
}

function* rows(
  ...each: readonly (readonly [facts: ProfileOverrides, ...chainIds: number[]])[]
): Iterable<readonly [number, ProfileOverrides]> {
  for (const [facts, ...chainIds] of each) for (const chainId of chainIds) yield [chainId, facts]
}
