// Finds the nonces for the next transactions: from the account's own up, with gaps below those in flight first.
import { recordedAtBlockOf } from '../../attempt.ts'
import { intervalsBetween, lowestOf, sizeOf } from '../../nonce-interval.ts'
import type { Observation } from '../../observation.ts'
import type { NetworkPolicy } from '../../relayer.ts'
import { isInPhase } from '../../transaction.ts'
import type { BlockNumber, Nonce } from '../../units.ts'
import { inFlightOf, type Work } from '../plan/work.ts'
import { keptByEveryNode } from './window.ts'

export interface FreeNonces {
  peek(): Nonce
  take(): Nonce
}

/** Free nonces from the account's nonce up: neither used by us nor waiting in the pool with a foreign transaction. */
export function freeNonces(work: Work, observation: Observation, policy: NetworkPolicy): FreeNonces {
  const used = noncesInUse(work)
  const pending = mayUseForeignNonce(work, observation, policy) ? 0 : (observation.pendingNonce ?? 0)
  const freeFrom = (nonce: Nonce): Nonce => {
    let candidate = nonce
    // The pool's count may be any number: the distance to it is no loop.
    if (candidate < pending) candidate = pending
    while (used.has(candidate)) candidate += 1
    return candidate
  }
  let next = freeFrom(firstUnspent(work, observation))
  return {
    peek: () => next,
    take() {
      const taken = next
      next = freeFrom(taken + 1)
      return taken
    },
  }
}

/** The highest nonce that waits for all below it to be used; -1 without one. */
export function highestWaiting(work: Work): Nonce {
  return Math.max(-1, ...inFlightOf(work).map(({ lifecycle }) => lifecycle.nonce))
}

/**
 * Whether the pool's count would shift the next nonce by more than nodes keep of one sender: each nonce below would need a
 * gap filler, if the count is false. Foreign transactions that do wait there are soon mined.
 */
export function isPoolBeyond(work: Work, observation: Observation): boolean {
  const { pendingNonce } = observation
  if (pendingNonce === undefined) return false
  const from = firstUnspent(work, observation)
  return sizeOf(intervalsBetween(from, pendingNonce, noncesInUse(work))) >= keptByEveryNode
}

/** The lowest nonces below one in flight that neither we use nor, as far as the pool shows, a foreign transaction. */
export function gapsBelow(highest: Nonce, free: FreeNonces, work: Work, most: number): readonly Nonce[] {
  const first = free.peek()
  if (first >= highest) return []
  return lowestOf(intervalsBetween(first, highest, noncesInUse(work)), most)
}

/** The lowest nonce below one in flight that we do not use. */
export function lowestGap(work: Work, observation: Observation): Nonce | undefined {
  const used = noncesInUse(work)
  let nonce = firstUnspent(work, observation)
  while (used.has(nonce)) nonce += 1
  return nonce < highestWaiting(work) ? nonce : undefined
}

/**
 * Whether our transactions take the nonce of a foreign transaction. If no miner takes that one, for example because its
 * fee cap lies below the base fee, it holds up all of ours behind it. After its time the nonce is used, also where no
 * node shows its pool.
 */
export function mayUseForeignNonce(work: Work, observation: Observation, policy: NetworkPolicy): boolean {
  const from = foreignNonceUsableFrom(work, observation, policy)
  const { number } = observation.head
  if (from !== undefined && number >= from) return true
  return work.poolBeyondSince !== undefined && number - work.poolBeyondSince >= foreignPatience(policy)
}

/** The block from which on a nonce below ours no longer waits for a foreign transaction. */
export function foreignNonceUsableFrom(
  work: Work,
  { nonce, head }: Observation,
  policy: NetworkPolicy,
): BlockNumber | undefined {
  const signedAt = inFlightOf(work).flatMap(({ lifecycle }) =>
    lifecycle.nonce > nonce ? [recordedAtBlockOf(lifecycle.attempts[0], head.number)] : [],
  )
  return signedAt.length === 0 ? undefined : Math.min(...signedAt) + foreignPatience(policy)
}

/** The first unspent nonce, also where a node that lags reports spent nonces as free. */
function firstUnspent({ floor, confirmedNotFinal }: Work, { nonce }: Observation): Nonce {
  return Math.max(nonce, floor.spentBelow, (confirmedNotFinal?.nonce ?? -1) + 1)
}

/** Nonces of our transactions in flight or mined. */
function noncesInUse({ open }: Work): ReadonlySet<Nonce> {
  return new Set(open.flatMap((each) => (isInPhase(each, 'inFlight', 'mined') ? [each.lifecycle.nonce] : [])))
}

/** Blocks that a foreign transaction gets, counted since our transaction behind it was signed. */
export function foreignPatience(policy: NetworkPolicy): number {
  return 4 * policy.bumpAfterBlocks
}
