// Schedules the search for the spenders of spent nonces that no receipt explains yet. A receipt mostly comes with its
// block or one block later, but some nodes take many blocks, and some never have it. So the pauses grow.
import type { Address } from '../../domain/ids.ts'
import { isOver, type Moment, type Patience } from '../../domain/patience.ts'
import type { Inclusion } from '../../domain/transaction.ts'
import type { BlockNumber, Nonce } from '../../domain/units.ts'

export interface Unexplained {
  /** Whether a search for the spender is due. Always so before the first search. */
  isDue(address: Address, nonce: Nonce, head: BlockNumber): boolean
  /** The lowest head at which a search found nothing. The nonce was spent by then. */
  since(address: Address, nonce: Nonce): BlockNumber | undefined
  /** Whether so much has passed: blocks above `block`, and time since the first search. */
  hasWaited(patience: Patience, address: Address, nonce: Nonce, block: BlockNumber, head: BlockNumber): boolean
  /** The inclusion that a block's body has shown, while it has no receipt. */
  shown(address: Address, nonce: Nonce): Inclusion | undefined
  /** A search at `head` found no spender, or found one without a receipt. */
  lookedFor(address: Address, nonce: Nonce, head: BlockNumber, shown: Inclusion | undefined): void
  /** The spender is found, or the nonce is unspent. */
  forget(address: Address, nonce: Nonce): void
}

interface Search {
  readonly since: Moment
  readonly lookedAt: Moment
  readonly shown?: Inclusion
}

/** The pauses double up to this: of slow blocks, searches run 0, 1, 2, 4, 8, 16, 24, … after the first. Short ones then double in time. */
const pauseMax: Patience = { blocks: 8, ms: 10_000 }
/** The most searches: with more, all are forgotten and start again. */
const searchesMax = 10_000

/** `reorgs` grows with each reorganization. After one, every search starts again. */
export function rememberUnexplained(reorgs: () => number, elapsed: () => number): Unexplained {
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
      if (!search || head <= search.since.block || head < search.lookedAt.block) return true
      const { since, lookedAt } = search
      const blocks = Math.min(pauseMax.blocks, Math.max(1, lookedAt.block - since.block))
      // Of the time half, as blocks come unevenly: none is missed by a moment.
      const ms = blocks < pauseMax.blocks ? 0 : Math.min(pauseMax.ms, (lookedAt.ms - since.ms) / 2)
      return isOver({ blocks, ms }, lookedAt, { block: head, ms: elapsed() })
    },
    since: (address, nonce) => recall(address, nonce)?.since.block,
    hasWaited(patience, address, nonce, block, head) {
      const since = recall(address, nonce)?.since
      return since !== undefined && isOver(patience, { block, ms: since.ms }, { block: head, ms: elapsed() })
    },
    shown: (address, nonce) => recall(address, nonce)?.shown,
    lookedFor(address, nonce, head, shown) {
      const at = { block: head, ms: elapsed() }
      const { since } = recall(address, nonce) ?? { since: at }
      searches.set(keyOf(address, nonce), {
        ...{ since: since.block <= head ? since : at, lookedAt: at },
        ...(shown && { shown }),
      })
    },
    forget(address, nonce) {
      searches.delete(keyOf(address, nonce))
    },
  }
}

function keyOf(address: Address, nonce: Nonce): string {
  return `${address} ${nonce}`
}
