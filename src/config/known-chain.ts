// What viem's chain list knows of a network, by name.
import { readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

export interface KnownChain {
  readonly chainId: number
  readonly symbol: string
  readonly isTestnet: boolean
  readonly averageBlockTimeMs?: number
}

/** Names of other services' network files that differ from the list's. */
const aliases = new Map([
  ['ethereum', 'mainnet'],
  ['ethereummainnet', 'mainnet'],
  ['ethereumsepolia', 'sepolia'],
  ['arbitrumone', 'arbitrum'],
])

/** The list's "localhost" is 1337, but every development node's default is 31337: better asked than guessed. */
const ambiguous = ['localhost', 'local', 'devnet']

/**
 * Undefined for a name that the list doesn't have. One definition is loaded, not the list of 740: that takes 400 ms and
 * 44 MB, and this takes 5 ms.
 */
export async function knownChain(name: string): Promise<KnownChain | undefined> {
  const slug = slugOf(name)
  if (ambiguous.includes(slug)) return undefined
  const require = createRequire(import.meta.url)
  const folder = join(dirname(require.resolve('viem/chains')), 'definitions')
  const wanted = aliases.get(slug) ?? slug
  const file = (await readdir(folder)).find((entry) => entry.endsWith('.js') && slugOf(entry.slice(0, -3)) === wanted)
  if (file === undefined) return undefined
  const definitions: Readonly<Record<string, Definition>> = require(join(folder, file))
  const chain = Object.entries(definitions).find(([exported]) => slugOf(exported) === wanted)?.[1]
  if (chain === undefined) return undefined
  return {
    chainId: chain.id,
    symbol: chain.nativeCurrency.symbol,
    isTestnet: chain.testnet ?? false,
    ...(chain.blockTime !== undefined && { averageBlockTimeMs: chain.blockTime }),
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
}
