// Schedules the search for the spenders of spent nonces that no receipt explains yet. A receipt mostly comes with its
// block or one block later, but some nodes take many blocks, and some never have it. So the pauses grow.
import type { Address } from '../../domain/ids.ts'
import type { Inclusion } from '../../domain/transaction.ts'
import type { BlockNumber, Nonce } from '../../domain/units.ts'

export interface Unexplained {
  /** Whether a search for the spender is due. Always so before the first search. */
  isDue(address: Address, nonce: Nonce, head: BlockNumber): boolean
  /** The lowest head at which a search found nothing. The nonce was spent by then. */
  since(address: Address, nonce: Nonce): BlockNumber | undefined
  /** The inclusion that a block's body has shown, while it has no receipt. */
  shown(address: Address, nonce: Nonce): Inclusion | undefined
  /** A search at `head` found no spender, or found one without a receipt. */
  lookedFor(address: Address, nonce: Nonce, head: BlockNumber, shown: Inclusion | undefined): void
  /** The spender is found, or the nonce is unspent. */
  forget(address: Address, nonce: Nonce): void
}

interface Search {
  readonly since: BlockNumber
  readonly lookedAt: BlockNumber
  readonly shown?: Inclusion
}

/** The pauses double up to this: searches run 0, 1, 2, 4, 8, 16, 24, … blocks after the first. */
const pauseBlocksMax = 8
/** The most searches: with more, all are forgotten and start again. */
const searchesMax = 10_000

/** `reorgs` grows with each reorganization. After one, every search starts again. */
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
      // Under the first head a search is always due: where blocks are made on demand, the next head may never come.
      if (!search || head <= search.since || head < search.lookedAt) return true
      const pause = Math.min(pauseBlocksMax, Math.max(1, search.lookedAt - search.since))
      return head >= search.lookedAt + pause
    },
    since: (address, nonce) => recall(address, nonce)?.since,
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
