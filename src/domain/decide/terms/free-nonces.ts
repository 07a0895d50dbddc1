// Finds the nonces for the next transactions: from the account's own up, with gaps below those in flight first.
import { intervalsBetween, lowestOf } from '../../nonce-interval.ts'
import type { Observation } from '../../observation.ts'
import { isInPhase } from '../../transaction.ts'
import type { Nonce } from '../../units.ts'
import { inFlightOf, type Work } from '../plan/work.ts'

export interface FreeNonces {
  peek(): Nonce
  take(): Nonce
}

/** Free nonces from the account's nonce up: neither used by us nor left to foreign transactions, which have those below `foreignBelow`. */
export function freeNonces(work: Work, observation: Observation, foreignBelow: Nonce): FreeNonces {
  const used = noncesInUse(work)
  const freeFrom = (nonce: Nonce): Nonce => {
    let candidate = nonce
    // The pool's count may be any number: the distance to it is no loop.
    if (candidate < foreignBelow) candidate = foreignBelow
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

/** The first unspent nonce, also where a node that lags reports spent nonces as free. */
export function firstUnspent({ floor, confirmedNotFinal }: Work, { nonce }: Observation): Nonce {
  return Math.max(nonce, floor.spentBelow, (confirmedNotFinal?.nonce ?? -1) + 1)
}

/** Nonces of our transactions in flight or mined. */
export function noncesInUse({ open }: Work): ReadonlySet<Nonce> {
  return new Set(open.flatMap((each) => (isInPhase(each, 'inFlight', 'mined') ? [each.lifecycle.nonce] : [])))
}
