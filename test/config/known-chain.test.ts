// One definition is read by its file's name: that holds for every chain on viem's list, or this fails.

import * as chains from 'viem/chains'
import { expect, test } from 'vitest'
import { knownChain } from '../../src/config/known-chain.ts'
import { namedNetworks } from '../../src/config/named-networks.ts'
import { explorerPage, isPage } from '../../src/domain/explorer-page.ts'
import { loadFile, rightFile } from './workplace.ts'

interface Listed {
  readonly id: number
  readonly blockExplorers?: { readonly default: { readonly url: string } }
}

test('the names that people use are found with the id of the list', async () => {
  const listed = Object.entries(chains as unknown as Record<string, { id?: number }>)
  const found = await Promise.all(listed.map(async ([name]) => [name, (await knownChain(name))?.chainId] as const))
  const differing = found.filter(([name, chainId]) => chainId !== undefined && chainId !== byName(name)?.id)
  // Another chain had this name before; it ended in 2024.
  expect(differing).toEqual([['polygonZkEvmTestnet', 2442]])
  const missing = found.filter(([name, chainId]) => chainId === undefined && byName(name)?.id !== undefined)
  // Some 37 are exported from a file of another name; the message that requests their id is good enough for them.
  expect(missing.length).toBeLessThan(40)
  const people = ['mainnet', 'sepolia', 'holesky', 'hoodi', 'base', 'optimism', 'arbitrum', 'polygon', 'bsc', 'gnosis']
  for (const name of people) expect(await knownChain(name)).toMatchObject({ chainId: byName(name)?.id })
})

test('every name of the incumbent has the explorer of the list, but for chains that the list lacks', async () => {
  const found = await Promise.all(namedNetworks.map(async ({ name }) => ({ name, known: await knownChain(name) })))
  const without = found.filter(({ known }) => !known?.explorer || !isPage(known.explorer)).map(({ name }) => name)
  expect(without).toEqual([
    ...['localhost-anvil-docker', 'localhost-anvil', 'celo-baklava', 'polkadot-hub', 'polkadot-hub-testnet'],
  ])
  const explorers = Object.values(chains as unknown as Record<string, Listed>).map((chain) => [
    ...[chain.id, chain.blockExplorers?.default.url],
  ])
  for (const { known } of found) {
    if (known?.explorer !== undefined) expect(explorers).toContainEqual([known.chainId, known.explorer])
  }
})

test('a network gets it by name and id, where the file names no page', async () => {
  const explorersOf = async (network: object) => {
    const base = { type: 'evm', rpc_urls: ['http://127.0.0.1:9'], ...network }
    const { networks } = await loadFile({ ...rightFile(), networks: [...rightFile().networks, base] })
    const { explorerUrls, listedExplorer } = networks[1] ?? {}
    return { urls: explorerUrls, page: explorerPage(explorerUrls ?? [], listedExplorer) }
  }
  const listed = 'https://sepolia.etherscan.io'
  const api = 'https://api-sepolia.scan.example/api'
  const own = 'https://scan.example'
  expect(await explorersOf({ network: 'sepolia' })).toEqual({ urls: [listed], page: listed })
  expect(await explorersOf({ network: 'sepolia', chain_id: 11_155_111 })).toEqual({ urls: [listed], page: listed })
  expect(await explorersOf({ network: 'sepolia', explorer_urls: [api, own] })).toEqual({ urls: [api, own], page: own })
  expect(await explorersOf({ network: 'sepolia', explorer_urls: [api] })).toEqual({ urls: [api], page: listed })
  expect(await explorersOf({ network: 'sepolia', explorer_urls: [] })).toEqual({ urls: [] })
  // A fork of it under its name, with an id of its own.
  expect(await explorersOf({ network: 'sepolia', chain_id: 31_338 })).toEqual({ urls: [] })
  expect(await explorersOf({ network: 'own', chain_id: 11_155_111 })).toEqual({ urls: [] })
})

test.each(['localhost', 'nowhere', '', '../../mainnet', 'constructor'])('"%s" is in no list', async (name) => {
  expect(await knownChain(name)).toBeUndefined()
})

function byName(name: string): { id?: number } | undefined {
  return (chains as unknown as Record<string, { id?: number }>)[name]
}
