// The most gas that a transaction may name: as much as a block holds, or the limit of the fork (EIP-7825), which Amsterdam lifts.
import type { Head } from '../../domain/observation.ts'
import type { NetworkProfile } from '../../domain/profile.ts'
import type { Gas } from '../../domain/units.ts'
import { type Endpoints, firstFitAnswer } from '../nodes/endpoints.ts'
import { readHeader } from '../nodes/read-block.ts'
import type { TrackedHead } from './track-head.ts'

/** The most gas that a transaction may name. Undefined where nothing limits it. */
export interface LimitGas {
  at(head: Head): Gas | undefined
  /** The limit with the header of the same height by another provider. */
  beside(head: Head): Gas | undefined
  /** The limit at the last head for which `at` was called. */
  last(): Gas | undefined
}

/** Endpoints take turns, and one may name a false limit: the widest of so many headers counts. */
const headsKept = 8

/** `isByBlock`: a block's own limit shows what later blocks hold. */
export function limitingGas(
  { maxTransactionGas }: Pick<NetworkProfile, 'maxTransactionGas'>,
  isByBlock = true,
): LimitGas {
  const recent = new Map<string, Head>()
  let last: Gas | undefined

  function mostAt(key: string, head: Head): Gas | undefined {
    recent.set(key, head)
    const [oldest] = recent.keys()
    if (recent.size > headsKept && oldest !== undefined) recent.delete(oldest)
    const heads = [...recent.values()]
    const unlimited = Number.POSITIVE_INFINITY
    const ofBlock = isByBlock ? Math.max(...heads.map(({ gasLimit = unlimited }) => gasLimit)) : unlimited
    const isLifted = heads.some(({ isAmsterdam }) => isAmsterdam)
    const most = isLifted ? ofBlock : Math.min(ofBlock, maxTransactionGas ?? ofBlock)
    return Number.isFinite(most) ? most : undefined
  }

  return {
    at(head) {
      last = mostAt(head.hash, head)
      return last
    },
    beside(head) {
      last = mostAt(`second ${head.number}`, head)
      return last
    },
    last: () => last,
  }
}

/**
 * The limit where a payload has so much gas. One false header must neither end a payload nor cut its gas, so above its limit the header
 * of another provider is read, and the wider counts. Undefined: nothing limits it, or no other provider says what does; then pools decide.
 * A header that was not compared limits nothing: what returns to the queue meanwhile may have more gas.
 */
export async function confirmLimit(
  limitGas: LimitGas,
  endpoints: Endpoints,
  providers: number,
  at: TrackedHead,
  gas: Gas,
): Promise<Gas | undefined> {
  const most = limitGas.at(at.head)
  if (providers === 1) return most
  if (most === undefined || gas <= most) return undefined
  const others = endpoints.order(at.by).filter(({ provider }) => provider !== at.by.provider)
  const second = await firstFitAnswer(others, async (endpoint) => {
    const reply = await readHeader(endpoint, at.head.number)
    return 'value' in reply ? reply.value : undefined
  })
  return second && limitGas.beside(second)
}
