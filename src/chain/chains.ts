// Opens this process's chains by name, reopens them over other nodes, and closes them at the end.
import type { Chain, Chains } from './chain.ts'
import { type ReplaceableChain, replaceable } from './replaceable.ts'

export function openChains<Settings>(open: (settings: Settings) => Chain): Chains<Settings> {
  const chains = new Map<string, ReplaceableChain>()
  return {
    get: (name) => chains.get(name)?.chain,
    put(name, settings) {
      const known = chains.get(name)
      if (known) known.replace(open(settings))
      else chains.set(name, replaceable(open(settings)))
    },
    drop(name) {
      const known = chains.get(name)
      chains.delete(name)
      known?.retire()
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...chains.values()].map(({ chain }) => chain.close()))
    },
  }
}
