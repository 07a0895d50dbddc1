// Finds the nonces for the next transactions: from the account's own up, with gaps below those in flight first.
import { holdsNonce, intervalsBetween, lowestOf, type NonceInterval } from '../../nonce-interval.ts'
import type { Observation } from '../../observation.ts'
import { isInPhase } from '../../transaction.ts'
import type { Nonce } from '../../units.ts'
import { inFlightOf, type Work } from '../plan/work.ts'

export interface FreeNonces {
  peek(): Nonce
  take(): Nonce
  /** The lowest ones below `below`, at most `most` of them. They are not taken. */
  lowestBelow(below: Nonce, most: number): readonly Nonce[]
}

/** Free nonces from the account's nonce up: neither used by us nor left to foreign transactions. */
export function freeNonces(work: Work, observation: Observation, left: NonceInterval | undefined): FreeNonces {
  const used = noncesInUse(work)
  const freeFrom = (nonce: Nonce): Nonce => {
    let candidate = nonce
    while (true) {
      // The pool's count may be any number: the distance to it is no loop.
      if (left && holdsNonce([left], candidate)) candidate = left.last + 1
      else if (used.has(candidate)) candidate += 1
      else return candidate
    }
  }
  let next = freeFrom(firstUnspent(work, observation))
  return {
    peek: () => next,
    take() {
      const taken = next
      next = freeFrom(taken + 1)
      return taken
    },
    lowestBelow(below, most) {
      const until = Math.min(below, left?.first ?? below)
      const after = Math.max(next, (left?.last ?? below) + 1)
      return lowestOf([...intervalsBetween(next, until, used), ...intervalsBetween(after, below, used)], most)
    },
  }
}

/** The highest nonce that waits for all below it to be used; -1 without one. */
export function highestWaiting(work: Work): Nonce {
  return Math.max(-1, ...inFlightOf(work).map(({ lifecycle }) => lifecycle.nonce))
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
