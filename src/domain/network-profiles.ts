// The profiles of chains that differ from Ethereum: by chain id, by the list of rollups, by what a chain shows, and by tag.
import type { Address } from './ids.ts'
import { listedMakes } from './listed-makes.ts'
import { ethereumProfile, type NetworkProfile, type ProfileOverrides, withOverrides } from './profile.ts'
import { developmentChains } from './published-accounts.ts'

const gwei = 1_000_000_000n

/** A sequencer's pool. Blocks of the rollup are final with those of L1. */
const rollup: ProfileOverrides = { pool: 'private', finality: 'finalized' }
const opStack: ProfileOverrides = { ...rollup, l1Fee: 'op_stack' }
/** The most gas of a transaction since the fork Osaka (EIP-7825). Others adopt it by forks of their own, and not all do. */
const osakaGas: Pick<ProfileOverrides, 'maxTransactionGas'> = { maxTransactionGas: 2 ** 24 }
/** Since the fork Karst (docs.optimism.io, "Upgrade 19"), or Azul, Base's own (docs.base.org). */
const cappedOpStack: ProfileOverrides = { ...opStack, ...osakaGas }
/** The gas of a no-op holds a part for L1. With 21,000 the sequencer refuses it: intrinsic gas too low. */
const l1InGas: ProfileOverrides = { ...rollup, l1Fee: 'in_gas', noOpGas: 'estimated', floorGas: false }
/**
 * Nitro keeps a nonce that is too high for about a second (execution/gethexec). Only the answer with a receipt shows that a
 * transaction is ordered: Arbitrum announced that a hash will come before that.
 */
const nitro: ProfileOverrides = { ...l1InGas, pool: 'fcfs', keepsFutureNonceMs: 1_000, sendSync: true }
/** Chains that are final once a proof is on L1, which takes hours. */
const provenLater: ProfileOverrides = { finalityStalledAfterMs: 24 * 3_600_000 }
const zkStack: ProfileOverrides = { ...l1InGas, ...provenLater }
const linea: ProfileOverrides = { ...rollup, ...provenLater, priceSource: 'linea_estimate_gas' }
const zkEvm: ProfileOverrides = { ...rollup, ...provenLater }
/** Scroll's oracle has `getL1Fee(bytes)` of the OP stack (docs.scroll.io, "Transaction Fees on Scroll"). */
const scrollOracle = '0x5300000000000000000000000000000000000002' as Address
const scroll: ProfileOverrides = { ...zkEvm, l1Fee: 'op_stack', l1FeeOracle: scrollOracle }
/** A builder of geth's may require 2 gwei (`--miner.gasprice`) and say so nowhere. */
const ethereum: ProfileOverrides = { tipFloor: 3n * gwei, ...osakaGas }
/** Polygon's validators take no tip below 25 gwei (docs.polygon.technology). Final by its milestones (PIP-11). */
const polygon: ProfileOverrides = { tipFloor: 25n * gwei, finality: 'finalized' }
/** Gas: BEP-652, since the fork Mendel. Final by votes (BEP-126): one validator makes eight blocks in a row and more. */
const bsc: ProfileOverrides = { tipFloor: gwei / 20n, finality: 'finalized', ...osakaGas }
/** Monad executes a block three blocks after it orders it (docs.monad.xyz, "Reserve Balance"). */
const monad: ProfileOverrides = { charges: 'gas_limit', reserveBalance: 10n ** 19n, balanceLagBlocks: 3 }
/** Gas there is not that of the EVM: a transfer has a price of its own. */
const ownGas: ProfileOverrides = { noOpGas: 'estimated', floorGas: false }
/** A transfer takes 60,000 gas there (docs.megaeth.com). */
const megaEth: ProfileOverrides = { ...opStack, ...ownGas }
/** A chain of its own. */
const asEthereum: ProfileOverrides = {}

/** HyperEVM: a small block a second and a large one a minute, so no header shows what a later block holds. */
export const chainsOfTwoBlocks: readonly number[] = [999, 998]

/** How a rollup is made. `rollup`: in a way that is unknown. */
type Make = 'opStack' | 'nitro' | 'zkStack' | 'rollup'
/** The make that a chain shows. `none`: no sign of any. */
export type ShownMake = Exclude<Make, 'rollup'> | 'none'

/** An estimate holds wherever 21,000 does. */
const unknownRollup: ProfileOverrides = { ...rollup, ...ownGas }

const byMake: Readonly<Record<Make, ProfileOverrides>> = {
  opStack: { ...opStack, noOpGas: 'constant', floorGas: true },
  nitro,
  zkStack,
  rollup: unknownRollup,
}

const makeById: ReadonlyMap<number, Make> = new Map([
  ...listedMakes.opStack.map((id) => [id, 'opStack'] as const),
  ...listedMakes.zkStack.map((id) => [id, 'zkStack'] as const),
  ...listedMakes.rollup.map((id) => [id, 'rollup'] as const),
])

/** A chain that is in the table has the profile of the table, whatever tags a file gives it. */
const byChainId: ReadonlyMap<number, ProfileOverrides> = new Map(
  rows(
    // Ethereum, Sepolia, Holesky and Hoodi.
    [ethereum, 1, 11_155_111, 17_000, 560_048],
    // Arbitrum One, Nova and Sepolia.
    [nitro, 42_161, 42_170, 421_614],
    // Plume, ApeChain, Corn and B3, and their testnets: Arbitrum Orbit.
    [nitro, 98_866, 98_865, 98_867, 33_139, 33_111, 21_000_000, 21_000_001, 8_333, 1_993],
    // OP Mainnet, Base, Unichain, World Chain, Zora, Mode, Ink, Soneium, and their testnets on Sepolia.
    [cappedOpStack, 10, 8_453, 130, 480, 7_777_777, 34_443, 57_073, 1_868],
    [cappedOpStack, 11_155_420, 84_532, 1_301, 4_801, 999_999_999, 919, 763_373, 1_946],
    // Lisk, Metal, Ethernity and Binary.
    [cappedOpStack, 1_135, 1_750, 183, 624],
    // Lisk Sepolia: no page says when it adopts Karst.
    [opStack, 4_202],
    // ZKsync Era, Abstract and Sophon.
    [zkStack, 324, 300, 2_741, 11_124, 50_104, 531_050_104],
    [linea, 59_144, 59_141],
    // Scroll and Polygon zkEVM.
    [scroll, 534_352, 534_351],
    [zkEvm, 1_101, 2_442],
    [megaEth, 4_326, 6_343],
    // Celo, which has no such fee.
    [rollup, 42_220, 44_787, 62_320, 11_142_220],
    // Mantle and Etherlink.
    [{ ...l1InGas, ...provenLater }, 5_000, 5_003, 42_793, 128_123],
    // Polygon PoS and Amoy.
    [polygon, 137, 80_002],
    [bsc, 56, 97],
    [monad, 143, 10_143],
    // Polkadot Hub.
    [ownGas, 420_420_419, 420_420_422],
    // Gnosis, Fantom, Avalanche, Moonbeam, Moonriver, Fuse, Japan Open Chain, peaq, Sei, Aurora, and their testnets.
    [asEthereum, 100, 10_200, 250, 4_002, 43_114, 43_113, 1_284, 1_285, 1_287, 122, 123, 81, 10_081, 3_338, 9_990],
    [asEthereum, 1_329, 1_328, 1_313_161_554, 1_313_161_555],
  ),
)

/** Facts by tag, for chains that are not in the table: the later row counts before the earlier. */
const byTag: readonly (readonly [tag: string, facts: ProfileOverrides])[] = [
  ['polygon-zkevm-based', zkEvm],
  ['polkadot-based', ownGas],
  ['optimism-based', byMake.opStack],
  ['arbitrum-based', nitro],
]
/** Tags that say nothing of how a chain is made. */
const generalTags: readonly (readonly [tag: string, facts: ProfileOverrides])[] = [
  ['rollup', unknownRollup],
  ['no-mempool', { pool: 'private' }],
]

/**
 * The source of a profile: `table`, the chain id in the table above; `list`, a rollup on viem's list; `shown`, the chain itself;
 * `tags`, those of the file; `none`: nothing says how the chain differs from Ethereum.
 */
export type ProfileBasis = 'table' | 'list' | 'shown' | 'tags' | 'none'

/** The facts that a chain shows of itself. Absent members were not read. */
export interface Shown {
  readonly make?: ShownMake | undefined
  /** Whether it orders transactions by their tips, where others of its make order them as they come. */
  readonly collectsTips?: boolean | undefined
}

/** The facts by which a profile is found. */
export interface ChainFacts {
  readonly chainId: number
  readonly tags: readonly string[]
  readonly shown?: Shown
}

export function profileOf(chain: ChainFacts, overrides: ProfileOverrides = {}): NetworkProfile {
  const profile = unreadProfileOf(chain)
  // A round of 125 ms has an order by tips, so a higher price can win for as long as a transaction waits.
  const isByTips = profile.pool === 'fcfs' && chain.shown?.collectsTips === true
  return withOverrides(isByTips ? { ...profile, pool: 'private' } : profile, overrides)
}

/** Whether the chain itself shows if it orders by tips. */
export function isOrderShown(chain: ChainFacts): boolean {
  return unreadProfileOf(chain).pool === 'fcfs'
}

/** The profile before the chain's order is read, and without overrides. */
function unreadProfileOf(chain: ChainFacts): NetworkProfile {
  return factsOf(chain).facts.reduce(withOverrides, ethereumProfile)
}

export function basisOf(chain: ChainFacts): ProfileBasis {
  return factsOf(chain).basis
}

/** Whether only the chain itself can show how it is made. */
export function isMakeUnknown({ chainId, tags }: ChainFacts): boolean {
  if (byChainId.has(chainId) || developmentChains.includes(chainId)) return false
  return (makeById.get(chainId) ?? 'rollup') === 'rollup' && !byTag.some(([tag]) => tags.includes(tag))
}

/** The later facts count before the earlier. */
function factsOf({ chainId, tags, shown = {} }: ChainFacts): {
  basis: ProfileBasis
  facts: readonly ProfileOverrides[]
} {
  const ofChain = byChainId.get(chainId)
  if (ofChain) return { basis: 'table', facts: [ofChain] }
  const ofTags = (table: typeof byTag) => table.filter(([tag]) => tags.includes(tag)).map(([, facts]) => facts)
  const [general, specific] = [ofTags(generalTags), ofTags(byTag)]
  const listed = makeById.get(chainId)
  const read = shown.make === 'none' ? undefined : shown.make
  const make = listed === undefined || listed === 'rollup' ? (read ?? listed) : listed
  const made = make ? [byMake[make]] : []
  return { basis: basisBy(specific, make, listed, general), facts: [...general, ...made, ...specific] }
}

function basisBy(
  specific: readonly unknown[],
  make: Make | undefined,
  listed: Make | undefined,
  general: readonly unknown[],
): ProfileBasis {
  if (specific.length > 0) return 'tags'
  if (make !== undefined) return make === listed ? 'list' : 'shown'
  return general.length > 0 ? 'tags' : 'none'
}

function* rows(
  ...each: readonly (readonly [facts: ProfileOverrides, ...chainIds: number[]])[]
): Iterable<readonly [number, ProfileOverrides]> {
  for (const [facts, ...chainIds] of each) for (const chainId of chainIds) yield [chainId, facts]
}
