// Reads how many nonces of an account are spent in confirmed blocks, and which transaction spent one of them. No step waits for it.
import type { Address, Hash } from '../../domain/ids.ts'
import type { BlockNumber, Nonce } from '../../domain/units.ts'
import type { ReadCanonical } from '../heads/read-canonical.ts'
import type { HeadTracker, TrackedHead } from '../heads/track-head.ts'
import { type Endpoints, firstFitAnswer, othersThan } from '../nodes/endpoints.ts'
import { readNonce } from '../nodes/read-nonce.ts'
import type { FindSpender } from './find-spender.ts'
import { proveSpender } from './prove-spender.ts'
import { type LatestCounts, readFinalCount } from './read-final-count.ts'

interface ConfirmedSpendings {
  /** A count no higher than `above` costs one call. `isByTwo`: two providers count as many, or there is only one. */
  count(address: Address, confirmations: number, above: Nonce): Promise<{ count: Nonce; isByTwo: boolean } | undefined>
  /** The transaction that spent the nonce, by its own bytes. Undefined where no endpoint shows it. */
  spender(
    address: Address,
    nonce: Nonce,
    confirmations: number,
  ): Promise<{ hash: Hash; block: BlockNumber } | undefined>
}

interface Parts {
  readonly endpoints: Endpoints
  readonly heads: Pick<HeadTracker, 'current' | 'split'>
  readonly readCanonical: ReadCanonical
  readonly findSpender: FindSpender
}

/** The most accounts whose latest counts are kept: with more, all begin again. */
const accountsMax = 10_000

export function readingConfirmed({ endpoints, heads, readCanonical, findSpender }: Parts): ConfirmedSpendings {
  /** Of endpoints that answer with their latest state whatever block a call names. */
  const latest = new Map<Address, LatestCounts>()

  function latestOf(address: Address): LatestCounts {
    const known = latest.get(address) ?? {}
    if (latest.size >= accountsMax) latest.clear()
    latest.set(address, known)
    return known
  }

  return {
    async count(address, confirmations, above) {
      const at = await heads.current()
      // Of two branches that as many endpoints hold, neither settles anything.
      if (heads.split().length > 0) return undefined
      const block = confirmedBlock(at, confirmations)
      const requested = { final: block, head: at.head.number, last: above }
      const counted = await readFinalCount(at.by, address, requested, latestOf(address))
      if (!counted || counted.count <= above) return counted && { count: counted.count, isByTwo: false }
      const others = othersThan(at.by, endpoints).filter(({ provider }) => provider !== at.by.provider)
      const other = await firstFitAnswer(others, (endpoint) => readNonce(endpoint, address, block))
      if (other === undefined) return { count: counted.count, isByTwo: others.length === 0 }
      return { count: Math.min(counted.count, other), isByTwo: true }
    },
    async spender(address, nonce, confirmations) {
      const at = await heads.current()
      const spentBy = confirmedBlock(at, confirmations)
      for (const endpoint of endpoints.order(at.by)) {
        if (!endpoint.fit() || (await endpoint.ready()) !== undefined) continue
        const parts = { spentBy, searched: new Map(), located: new Map(), findSpender }
        const shown = await proveSpender(endpoint, address, { nonce, attempts: [] }, parts, at)
        if (!shown || shown.block.number > spentBy) continue
        const canonical = await readCanonical([shown.block.number], at)
        if (canonical.get(shown.block.number) === shown.block.hash)
          return { hash: shown.hash, block: shown.block.number }
      }
      return undefined
    },
  }
}

/** On a chain with fewer blocks it is the genesis block, which no reorganization can drop. */
function confirmedBlock({ head }: TrackedHead, confirmations: number): BlockNumber {
  return Math.max(0, head.number - confirmations + 1)
}
