// Spent nonces of which no receipt tells yet by what: when to look again. A receipt is mostly there with its block, or one
// block later; some nodes take many blocks, and some never have it. So each is asked for ever more rarely.
import type { Address } from '../../domain/ids.ts'
import type { Inclusion } from '../../domain/transaction.ts'
import type { BlockNumber, Nonce } from '../../domain/units.ts'

export interface Unexplained {
  /** Whether to look for what spent it: also where nobody has looked yet. */
  isDue(address: Address, nonce: Nonce, head: BlockNumber): boolean
  /** What the body of a block has shown, while there is no receipt of it. */
  shown(address: Address, nonce: Nonce): Inclusion | undefined
  /** It was looked for at `head`, in vain, or no receipt tells of what was found. */
  lookedFor(address: Address, nonce: Nonce, head: BlockNumber, shown: Inclusion | undefined): void
  /** What spent it is known, or it is not spent at all. */
  forget(address: Address, nonce: Nonce): void
}

interface Search {
  readonly since: BlockNumber
  readonly lookedAt: BlockNumber
  readonly shown?: Inclusion
}

/** The pauses double up to this: 0, 1, 2, 4, 8, 16, 24, … blocks after it was first looked for. */
const pauseBlocksMax = 8
/** Beyond it all is asked anew. */
const searchesMax = 10_000

/** `reorgs` grows with each reorganization: after it everything is looked for anew. */
export function rememberUnexplained(reorgs: () => number): Unexplained {
  const searches = new Map<string, Search>()
  let asOf = reorgs()

  function recall(address: Address, nonce: Nonce): Search | undefined {
    if (asOf !== reorgs() || searches.size > searchesMax) searches.clear()
    asOf = reorgs()
    return searches.get(keyOf(address, nonce))
  }

  return {
    isDue(address, nonce, head) {
      const search = recall(address, nonce)
      // Under its first head as often as somebody looks: where blocks are made on demand, the next may never come.
      if (!search || head <= search.since || head < search.lookedAt) return true
      const pause = Math.min(pauseBlocksMax, Math.max(1, search.lookedAt - search.since))
      return head >= search.lookedAt + pause
    },
    shown: (address, nonce) => recall(address, nonce)?.shown,
    lookedFor(address, nonce, head, shown) {
      const { since } = recall(address, nonce) ?? { since: head }
      searches.set(keyOf(address, nonce), { since: Math.min(since, head), lookedAt: head, ...(shown && { shown }) })
    },
    forget(address, nonce) {
      searches.delete(keyOf(address, nonce))
    },
  }
}

function keyOf(address: Address, nonce: Nonce): string {
  return `${address} ${nonce}`
}
