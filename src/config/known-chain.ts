// What is known of a network by its name alone: from the table of names beside this file, and from viem's chain list.
import { readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { namedNetworks } from './named-networks.ts'

interface KnownChain {
  readonly chainId: number
  readonly symbol: string
  readonly isTestnet: boolean
  readonly eip1559: boolean
  readonly tags: readonly string[]
  readonly averageBlockTimeMs?: number
  /** The URL of viem's explorer. */
  readonly explorer?: string
}

/** Names that people use, and what viem's list calls the same chain. */
const aliases = new Map([
  ['abstractsepolia', 'abstracttestnet'],
  ['ethereum', 'mainnet'],
  ['ethereummainnet', 'mainnet'],
  ['ethereumsepolia', 'sepolia'],
  ['arbitrumone', 'arbitrum'],
  ['binancesmartchain', 'bsc'],
  ['binancesmartchaintestnet', 'bsctestnet'],
  ['fusespark', 'fusesparknet'],
  ['japanopenchain', 'jocmainnet'],
  ['japanopenchaintestnet', 'joctestnet'],
  ['localhostanvil', 'anvil'],
  ['localhostanvildocker', 'anvil'],
  ['mantlesepolia', 'mantlesepoliatestnet'],
  ['moonbase', 'moonbasealpha'],
  ['peaqagung', 'agungtestnet'],
  ['peaqmainnet', 'peaq'],
  ['polygonzkevmtestnet', 'polygonzkevmcardona'],
  ['seiatlantic2', 'seitestnet'],
  ['seimainnet', 'sei'],
  ['zksynctestnet', 'zksyncsepoliatestnet'],
])

/** Currencies of chains that are in the table, and not on viem's list. */
const symbols = new Map([
  ['celobaklava', 'CELO'],
  ['polkadothub', 'DOT'],
  ['polkadothubtestnet', 'PAS'],
])

/** The list's "localhost" is 1337, but every development node's default is 31337: better asked than guessed. */
const ambiguous = ['localhost', 'local', 'devnet']

const named = new Map(namedNetworks.map((network) => [slugOf(network.name), network]))

/**
 * The chain of a name; undefined if neither the table nor viem's list has it. Where both have it, the table counts: it is what
 * such a configuration meant.
 */
export async function knownChain(name: string): Promise<KnownChain | undefined> {
  const slug = slugOf(name)
  if (ambiguous.includes(slug)) return undefined
  const ours = named.get(slug)
  const listed = await listedChain(aliases.get(slug) ?? slug)
  if (!ours) return listed
  const { chainId, averageBlockTimeMs, eip1559, isTestnet, tags } = ours
  const { symbol = symbols.get(slug) ?? 'ETH', explorer } = listed?.chainId === chainId ? listed : {}
  return { chainId, averageBlockTimeMs, eip1559, isTestnet, tags, symbol, ...(explorer !== undefined && { explorer }) }
}

/** One definition is loaded, not the list of 740: that takes 400 ms and 44 MB, and this takes 5 ms. */
async function listedChain(slug: string): Promise<KnownChain | undefined> {
  const require = createRequire(import.meta.url)
  const folder = join(dirname(require.resolve('viem/chains')), 'definitions')
  const file = (await readdir(folder)).find((entry) => entry.endsWith('.js') && slugOf(entry.slice(0, -3)) === slug)
  if (file === undefined) return undefined
  const definitions: Readonly<Record<string, Definition>> = require(join(folder, file))
  const chain = Object.entries(definitions).find(([exported]) => slugOf(exported) === slug)?.[1]
  if (chain === undefined) return undefined
  return {
    chainId: chain.id,
    symbol: chain.nativeCurrency.symbol,
    isTestnet: chain.testnet ?? false,
    eip1559: true,
    tags: [],
    ...(chain.blockTime !== undefined && { averageBlockTimeMs: chain.blockTime }),
    ...(chain.blockExplorers && { explorer: chain.blockExplorers.default.url }),
  }
}

/** `arbitrum-sepolia`, `arbitrumSepolia` and `Arbitrum Sepolia` are one name. */
function slugOf(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, '')
}

interface Definition {
  readonly id: number
  readonly nativeCurrency: { readonly symbol: string }
  readonly testnet?: boolean
  readonly blockTime?: number
  readonly blockExplorers?: { readonly default: { readonly url: string } }
}
