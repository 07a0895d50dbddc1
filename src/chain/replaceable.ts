// A chain whose nodes can be replaced while it is in use. The old nodes still answer the calls that they received.
// And the chains of this process by name.
import type { Address } from '../domain/ids.ts'
import type { Head } from '../domain/observation.ts'
import type { Chain, Chains } from './chain.ts'

interface ReplaceableChain {
  /** One object for ever: its calls go to the newest nodes. */
  readonly chain: Chain
  /** The old nodes are closed once no call waits for their answer. */
  replace(next: Chain): void
  /** No more calls will come: the nodes are closed once no call waits for an answer. */
  retire(): void
}

interface ChainInUse {
  readonly chain: Chain
  open: number
  retired: boolean
}

interface Follower {
  readonly onHead: (head: Head) => void
  /** Ends the current subscription. */
  leave: AbortController
}

export function replaceable(first: Chain): ReplaceableChain {
  let current: ChainInUse = { chain: first, open: 0, retired: false }
  const followers = new Set<Follower>()
  const announced = new Set<Address>()

  async function withChain<T>(question: (chain: Chain) => Promise<T>): Promise<T> {
    const used = current
    used.open += 1
    try {
      return await question(used.chain)
    } finally {
      used.open -= 1
      if (used.retired && used.open === 0) void used.chain.close()
    }
  }

  function retire(used: ChainInUse): void {
    used.retired = true
    if (used.open === 0) void used.chain.close()
  }

  return {
    chain: {
      observe: (inquiry, changed) => withChain((chain) => chain.observe(inquiry, changed)),
      announce(address) {
        announced.add(address)
        current.chain.announce(address)
      },
      broadcast: (requests) => withChain((chain) => chain.broadcast(requests)),
      balance: (address) => withChain((chain) => chain.balance(address)),
      pooled: (address) => withChain((chain) => chain.pooled(address)),
      confirmedCount: (...question) => withChain((chain) => chain.confirmedCount(...question)),
      spending: (...question) => withChain((chain) => chain.spending(...question)),
      gasFigures: () => current.chain.gasFigures(),
      price: () => current.chain.price(),
      market: () => current.chain.market(),
      split: () => current.chain.split(),
      singleWitness: () => current.chain.singleWitness(),
      wrongChains: () => current.chain.wrongChains(),
      anchorReplaced: () => withChain((chain) => chain.anchorReplaced()),
      nodes: () => current.chain.nodes(),
      lookAtNodes: () => withChain((chain) => chain.lookAtNodes()),
      collectsTips: () => withChain((chain) => chain.collectsTips()),
      shownMake: () => withChain((chain) => chain.shownMake()),
      check: () => withChain((chain) => chain.check()),
      read: (read) => withChain((chain) => chain.read(read)),
      forward: (read) => withChain((chain) => chain.forward(read)),
      follow(onHead, signal) {
        if (signal.aborted) return
        const follower: Follower = { onHead, leave: new AbortController() }
        followers.add(follower)
        signal.addEventListener(
          'abort',
          () => {
            followers.delete(follower)
            follower.leave.abort()
          },
          { once: true },
        )
        current.chain.follow(onHead, follower.leave.signal)
      },
      close: () => current.chain.close(),
    },
    replace(next) {
      const old = current
      current = { chain: next, open: 0, retired: false }
      for (const address of announced) next.announce(address)
      for (const follower of followers) {
        follower.leave.abort()
        follower.leave = new AbortController()
        next.follow(follower.onHead, follower.leave.signal)
      }
      retire(old)
    },
    retire: () => retire(current),
  }
}

/** Opens this process's chains by name, reopens them over other nodes, and closes them at the end. */
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
