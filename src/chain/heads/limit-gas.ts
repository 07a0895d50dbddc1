// The most gas that a transaction may name: as much as a block holds, or the limit of the fork (EIP-7825), which Amsterdam lifts.
import type { Hash } from '../../domain/ids.ts'
import type { Head } from '../../domain/observation.ts'
import type { NetworkProfile } from '../../domain/profile.ts'
import type { Gas } from '../../domain/units.ts'

/** The most gas that a transaction may name. Undefined where nothing limits it. */
export interface LimitGas {
  at(head: Head): Gas | undefined
  /** The limit at the last head for which `at` was called. */
  last(): Gas | undefined
}

/** Endpoints take turns, and one may name a false limit: the widest of so many blocks counts. */
const headsKept = 8

export function limitingGas({ maxTransactionGas }: Pick<NetworkProfile, 'maxTransactionGas'>): LimitGas {
  const recent = new Map<Hash, Head>()
  let last: Gas | undefined

  function mostAt(head: Head): Gas | undefined {
    recent.set(head.hash, head)
    const [oldest] = recent.keys()
    if (recent.size > headsKept && oldest !== undefined) recent.delete(oldest)
    const heads = [...recent.values()]
    const ofBlock = Math.max(...heads.map(({ gasLimit = Number.POSITIVE_INFINITY }) => gasLimit))
    const isLifted = heads.some(({ isAmsterdam }) => isAmsterdam)
    const most = isLifted ? ofBlock : Math.min(ofBlock, maxTransactionGas ?? ofBlock)
    return Number.isFinite(most) ? most : undefined
  }

  return {
    at(head) {
      last = mostAt(head)
      return last
    },
    last: () => last,
  }
}
