// The profile of each network that has a name here, written down by family; and what a file changes of it.
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { namedNetworks } from '../../src/config/named-networks.ts'
import type { Address } from '../../src/domain/ids.ts'
import { listedMakes } from '../../src/domain/listed-makes.ts'
import { basisOf, isMakeUnknown, isOrderShown, profileOf, type ShownMake } from '../../src/domain/network-profiles.ts'
import { ethereumProfile, type ProfileOverrides, profileTable } from '../../src/domain/profile.ts'
import { listMakes } from '../../tooling/list-makes.ts'
import { loadFile, rightFile } from './workplace.ts'

test('the table of fields in docs/chains.md has each field of a profile, and no other', async () => {
  const page = await readFile(new URL('../../docs/chains.md', import.meta.url), 'utf8')
  const table = page.slice(page.indexOf('| field | values |'))
  const documented = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
  expect(documented.sort()).toEqual(
    Object.values(profileTable)
      .map(({ name }) => name)
      .sort(),
  )
})

const rollup = { pool: 'private', finality: 'finalized' } as const
const inGas = { ...rollup, noOpGas: 'estimated', floorGas: false, l1Fee: 'in_gas' } as const
const nitro = { ...inGas, pool: 'fcfs', keepsFutureNonceMs: 1_000, sendSync: true } as const
const opStack = { ...rollup, l1Fee: 'op_stack' } as const
const capped = { maxTransactionGas: 16_777_216 } as const
const scrollOracle = '0x5300000000000000000000000000000000000002' as Address
const day = { finalityStalledAfterMs: 86_400_000 } as const
const ownGas = { noOpGas: 'estimated', floorGas: false } as const
const gwei = 1_000_000_000n

/** Every other name is as Ethereum. */
const differing: Readonly<Record<string, ProfileOverrides>> = {
  ...all(nitro, 'arbitrum-one', 'arbitrum-sepolia', 'arbitrum-nova'),
  ...all({ ...opStack, ...capped }, 'optimism', 'optimism-sepolia', 'base', 'base-sepolia', 'unichain'),
  ...all({ ...opStack, ...capped }, 'unichain-sepolia', 'world-chain', 'world-chain-sepolia'),
  ...all(
    { ...inGas, ...day },
    'mantle',
    'mantle-sepolia',
    'zk-sync',
    'zk-sync-testnet',
    'abstract',
    'abstract-sepolia',
  ),
  ...all({ ...inGas, ...day }, 'sophon', 'sophon-testnet'),
  ...all({ ...rollup, ...day, priceSource: 'linea_estimate_gas' }, 'linea', 'linea-sepolia'),
  ...all({ ...rollup, ...day }, 'polygon-zkevm', 'polygon-zkevm-testnet'),
  ...all({ ...opStack, ...day, l1FeeOracle: scrollOracle }, 'scroll', 'scroll-sepolia'),
  ...all(rollup, 'celo', 'celo-alfajores', 'celo-baklava'),
  ...all(ownGas, 'polkadot-hub', 'polkadot-hub-testnet'),
  ...all(
    { tipFloor: gwei / 20n, finality: 'finalized', ...capped },
    'binance-smart-chain',
    'binance-smart-chain-testnet',
  ),
  ...all({ tipFloor: 25n * gwei, finality: 'finalized' }, 'polygon', 'polygon-amoy'),
  ...all({ tipFloor: 3n * gwei, ...capped }, 'mainnet', 'sepolia', 'holesky'),
}

function all(facts: ProfileOverrides, ...names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, facts]))
}

test.each(namedNetworks.map(({ name }) => name))('%s', async (name) => {
  const networks = [{ network: name, rpc_urls: ['https://rpc.example'] }]
  const config = await loadFile({ ...rightFile(), relayers: [], networks })
  expect(config.networks[0]?.profile).toEqual({ ...ethereumProfile, ...differing[name] })
})

test('an Arbitrum chain whose file has tags of its own is still Arbitrum', () => {
  expect(profileOf({ chainId: 42_161, tags: ['mine'] })).toMatchObject(nitro)
  expect(profileOf({ chainId: 42_161, tags: [] })).toMatchObject(nitro)
  expect(profileOf({ chainId: 1, tags: ['arbitrum-based'] })).toMatchObject({ pool: 'public', noOpGas: 'constant' })
})

test('Monad and its testnet keep a reserve, and count a payment late; no other chain does', () => {
  const rules = { charges: 'gas_limit', reserveBalance: 10n ** 19n, balanceLagBlocks: 3 }
  for (const chainId of [143, 10_143]) expect(profileOf(untagged(chainId))).toEqual({ ...ethereumProfile, ...rules })
  for (const chainId of [1, 7, 8_453, 42_161]) {
    expect(profileOf(untagged(chainId))).not.toHaveProperty('reserveBalance')
    expect(profileOf(untagged(chainId))).not.toHaveProperty('balanceLagBlocks')
  }
})

test('each chain whose fork is known to cap the gas of a transaction has the cap, and no other chain of the OP stack', () => {
  const karst = [10, 130, 480, 183, 624, 1_135, 1_750, 1_868, 34_443, 57_073, 7_777_777]
  const karstOfSepolia = [11_155_420, 1_301, 4_801, 919, 1_946, 763_373, 999_999_999]
  for (const chainId of [...karst, ...karstOfSepolia, 8_453, 84_532]) {
    expect(profileOf(untagged(chainId)), `${chainId}`).toEqual({ ...ethereumProfile, ...opStack, ...capped })
    expect(basisOf(untagged(chainId))).toBe('table')
  }
  // Lisk Sepolia, MegaETH, Celo, Blast, opBNB and one that only shows its make.
  for (const chain of [4_202, 4_326, 42_220, 81_457, 204].map(untagged)) {
    expect(profileOf(chain)).not.toHaveProperty('maxTransactionGas')
  }
  expect(profileOf({ ...untagged(7), shown: { make: 'opStack' } })).not.toHaveProperty('maxTransactionGas')
})

test('a chain that is in no table is what its tags say, and a rollup of unknown make has its no-op estimated', () => {
  expect(profileOf({ chainId: 7, tags: ['arbitrum-based', 'rollup', 'no-mempool'] })).toMatchObject(nitro)
  expect(profileOf({ chainId: 7, tags: ['rollup', 'optimism-based'] })).toMatchObject({
    ...opStack,
    noOpGas: 'constant',
    floorGas: true,
  })
  expect(profileOf({ chainId: 7, tags: ['rollup'] })).toMatchObject({ ...rollup, noOpGas: 'estimated' })
  expect(profileOf({ chainId: 7, tags: ['no-mempool'] })).toEqual({ ...ethereumProfile, pool: 'private' })
  expect(profileOf({ chainId: 7, tags: [] })).toEqual(ethereumProfile)
})

test('the list of makes is the one that viem has', () => {
  expect(Object.fromEntries(listMakes())).toEqual(listedMakes)
})

const untagged = (chainId: number) => ({ chainId, tags: [] })

test.each([
  { name: 'Blast', id: 81_457, facts: { ...opStack, noOpGas: 'constant' }, basis: 'list' },
  { name: 'opBNB', id: 204, facts: opStack, basis: 'list' },
  { name: 'Treasure', id: 61_166, facts: inGas, basis: 'list' },
  { name: 'ApeChain', id: 33_139, facts: nitro, basis: 'table' },
  { name: 'MegaETH', id: 4_326, facts: { ...opStack, noOpGas: 'estimated', floorGas: false }, basis: 'table' },
  // Only that a chain lies below it is listed.
  { name: 'Huddle01', id: 12_323, facts: { ...rollup, noOpGas: 'estimated', floorGas: false }, basis: 'list' },
  // HyperEVM and a testnet of Zora share an id.
  { name: 'HyperEVM', id: 999, facts: ethereumProfile, basis: 'none' },
  { name: 'Manta Pacific', id: 169, facts: ethereumProfile, basis: 'none' },
] as const)('$name ($id) by its id alone: by $basis', ({ id, facts, basis }) => {
  expect(profileOf(untagged(id))).toMatchObject(facts)
  expect(basisOf(untagged(id))).toBe(basis)
})

test('only where nothing else says how a chain is made, the chain itself does', () => {
  const known = [untagged(1), untagged(81_457), untagged(31_337), { chainId: 7, tags: ['optimism-based'] }]
  const unknown = [untagged(169), untagged(12_323), { chainId: 7, tags: ['rollup', 'no-mempool'] }]
  expect(known.map(isMakeUnknown)).toEqual([false, false, false, false])
  expect(unknown.map(isMakeUnknown)).toEqual([true, true, true])
  const shown = (make: ShownMake) => ({ ...untagged(12_323), shown: { make } })
  expect(profileOf(shown('nitro'))).toMatchObject(nitro)
  expect([basisOf(shown('nitro')), basisOf(shown('none'))]).toEqual(['shown', 'list'])
  expect(profileOf(shown('none'))).toEqual(profileOf(untagged(12_323)))
  // A general tag says less than what the chain shows, and a tag of a make says more.
  expect(profileOf({ chainId: 7, tags: ['rollup'], shown: { make: 'opStack' } })).toMatchObject({
    ...opStack,
    floorGas: true,
  })
  const tagged = { chainId: 7, tags: ['arbitrum-based'], shown: { make: 'opStack' } } as const
  expect([profileOf(tagged), basisOf(tagged)]).toMatchObject([nitro, 'tags'])
  // The list of rollups and the chain id count before it.
  expect(profileOf({ ...untagged(81_457), shown: { make: 'nitro' } })).toEqual(profileOf(untagged(81_457)))
  expect(profileOf({ ...untagged(1), shown: { make: 'nitro' } })).toEqual(profileOf(untagged(1)))
})

test('a chain that collects tips orders by them, unless a file says otherwise; on any other that says nothing', () => {
  const collects = { shown: { collectsTips: true } }
  expect(profileOf({ ...untagged(421_614), ...collects })).toEqual({ ...profileOf(untagged(421_614)), pool: 'private' })
  expect(profileOf({ ...untagged(421_614), ...collects }, { pool: 'fcfs' }).pool).toBe('fcfs')
  expect(profileOf({ ...untagged(421_614), shown: { collectsTips: false } })).toEqual(profileOf(untagged(421_614)))
  expect(profileOf({ ...untagged(1), ...collects })).toEqual(profileOf(untagged(1)))
  const all = [untagged(421_614), { ...untagged(7), shown: { make: 'nitro' } as const }, untagged(1), untagged(10)]
  expect(all.map(isOrderShown)).toEqual([true, true, false, false])
})

test('a file overrides each default field, and a network inherits a profile as a whole', async () => {
  const rpc_urls = ['https://rpc.example']
  const profile = {
    ...{ pool: 'public', no_op_gas: 'constant', floor_gas: true, l1_fee: 'op_stack', tip_floor: 5 },
    ...{ price_source: 'linea_estimate_gas', charges: 'gas_limit', keeps_future_nonce_ms: 0, finality: 64 },
    ...{ finality_stalled_after_ms: 60_000, max_transaction_bytes: 95_000, max_transaction_gas: 30_000_000 },
    ...{ witness: 'transaction', send_sync: true, send_conditional: true },
    ...{ reserve_balance: '20000000000000000000', balance_lag_blocks: 4 },
    ...{ replacement: { measure: 'effective_price', percent: 25 } },
  }
  const networks = [
    { network: 'arbitrum-one', rpc_urls, profile },
    { network: 'mine', from: 'arbitrum-one', chain_id: 42_170 },
  ]
  const config = await loadFile({ ...rightFile(), relayers: [], networks })
  const parsed = {
    ...{ pool: 'public', noOpGas: 'constant', floorGas: true, l1Fee: 'op_stack', tipFloor: 5n },
    ...{ priceSource: 'linea_estimate_gas', charges: 'gas_limit', keepsFutureNonceMs: 0, finality: 64 },
    ...{ finalityStalledAfterMs: 60_000, maxTransactionBytes: 95_000, maxTransactionGas: 30_000_000 },
    ...{ witness: 'transaction', sendSync: true, sendConditional: true },
    ...{ reserveBalance: 20n * 10n ** 18n, balanceLagBlocks: 4 },
    ...{ replacement: { measure: 'effectivePrice', percent: 25n } },
  }
  expect(config.networks.map((each) => each.profile)).toEqual([parsed, parsed])
})
