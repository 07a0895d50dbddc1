// The profile of each network that has a name here, written down by family; and what a file changes of it.
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { namedNetworks } from '../../src/config/named-networks.ts'
import type { Address } from '../../src/domain/ids.ts'
import { profileOf } from '../../src/domain/network-profiles.ts'
import { ethereumProfile, type ProfileOverrides, profileTable } from '../../src/domain/profile.ts'
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
const nitro = { ...inGas, pool: 'fcfs', keepsFutureNonceMs: 1_000 } as const
const opStack = { ...rollup, l1Fee: 'op_stack' } as const
const scrollOracle = '0x5300000000000000000000000000000000000002' as Address
const day = { finalityStalledAfterMs: 86_400_000 } as const
const ownGas = { noOpGas: 'estimated', floorGas: false } as const
const gwei = 1_000_000_000n

/** Every other name is as Ethereum. */
const differing: Readonly<Record<string, ProfileOverrides>> = {
  ...all(nitro, 'arbitrum-one', 'arbitrum-sepolia', 'arbitrum-nova'),
  ...all(opStack, 'optimism', 'optimism-sepolia', 'base', 'base-sepolia', 'unichain', 'unichain-sepolia'),
  ...all(opStack, 'world-chain', 'world-chain-sepolia'),
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
  ...all({ tipFloor: gwei / 20n }, 'binance-smart-chain', 'binance-smart-chain-testnet'),
  ...all({ tipFloor: 25n * gwei }, 'polygon', 'polygon-amoy'),
  ...all({ tipFloor: 3n * gwei, maxTransactionGas: 16_777_216 }, 'mainnet', 'sepolia', 'holesky'),
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
  expect(profileOf(42_161, ['mine'])).toMatchObject(nitro)
  expect(profileOf(42_161, [])).toMatchObject(nitro)
  expect(profileOf(1, ['arbitrum-based'])).toMatchObject({ pool: 'public', noOpGas: 'constant' })
})

test('a chain that is in no table is what its tags say, and a rollup of unknown make has its no-op estimated', () => {
  expect(profileOf(7, ['arbitrum-based', 'rollup', 'no-mempool'])).toMatchObject(nitro)
  expect(profileOf(7, ['rollup', 'optimism-based'])).toMatchObject({ ...opStack, noOpGas: 'constant', floorGas: true })
  expect(profileOf(7, ['rollup'])).toMatchObject({ ...rollup, noOpGas: 'estimated' })
  expect(profileOf(7, ['no-mempool'])).toEqual({ ...ethereumProfile, pool: 'private' })
  expect(profileOf(7, [])).toEqual(ethereumProfile)
})

test('a file sets each field over what is known, and a network inherits a profile as a whole', async () => {
  const rpc_urls = ['https://rpc.example']
  const profile = {
    ...{ pool: 'public', no_op_gas: 'constant', floor_gas: true, l1_fee: 'op_stack', tip_floor: 5 },
    ...{ price_source: 'linea_estimate_gas', charges: 'gas_limit', keeps_future_nonce_ms: 0, finality: 64 },
    ...{ finality_stalled_after_ms: 60_000, max_transaction_bytes: 95_000, max_transaction_gas: 30_000_000 },
    ...{ witness: 'transaction', send_sync: true, send_conditional: true },
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
    ...{ replacement: { measure: 'effectivePrice', percent: 25n } },
  }
  expect(config.networks.map((each) => each.profile)).toEqual([parsed, parsed])
})
