// Finds the nonces for the next transactions: from the account's own up, with gaps below those in flight first.
import type { Observation } from '../observation.ts'
import type { NetworkPolicy } from '../relayer.ts'
import { type InPhase, isInPhase } from '../transaction.ts'
import type { BlockNumber, Nonce } from '../units.ts'
import { givesWay } from './gap-filler.ts'
import { foreignPatience } from './hindrance.ts'
import { inFlightOf, type Work } from './work.ts'

export interface FreeNonces {
  peek(): Nonce
  take(): Nonce
  /** A refused gap filler of ours: the transaction that takes the nonce ends it. */
  gapFillerAt(nonce: Nonce): InPhase<'inFlight'> | undefined
}

/** From the account's nonce up, without those that we use or that wait in the pool for a foreign transaction. */
export function freeNonces(work: Work, observation: Observation, policy: NetworkPolicy): FreeNonces {
  const gapFillers = new Map(work.open.filter(givesWay).map((gapFiller) => [gapFiller.lifecycle.nonce, gapFiller]))
  const ours = new Set([...heldNonces(work)].filter((nonce) => !gapFillers.has(nonce)))
  const pending = blocksOurs(work, observation, policy) ? 0 : (observation.pendingNonce ?? 0)
  const freeFrom = (nonce: Nonce): Nonce => {
    let candidate = nonce
    while (ours.has(candidate) || candidate < pending) candidate += 1
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
    gapFillerAt: (nonce) => gapFillers.get(nonce),
  }
}

/** The highest nonce that waits for all below it to be used; -1 without one. A refused gap filler waits for nothing. */
export function highestWaiting(work: Work): Nonce {
  return Math.max(-1, ...inFlightOf(work).flatMap((each) => (givesWay(each) ? [] : [each.lifecycle.nonce])))
}

/** The lowest nonce below one in flight that we do not use. */
export function lowestGap(work: Work, observation: Observation): Nonce | undefined {
  const held = heldNonces(work)
  let nonce = firstUnspent(work, observation)
  while (held.has(nonce)) nonce += 1
  return nonce < highestWaiting(work) ? nonce : undefined
}

/**
 * Whether our transactions take the nonce of a foreign transaction. If no miner takes that one, for example because its
 * fee cap lies below the base fee, it holds up all of ours behind it. After its time the nonce is used, also where no
 * node shows its pool.
 */
export function blocksOurs(work: Work, observation: Observation, policy: NetworkPolicy): boolean {
  const from = takenFrom(work, observation, policy)
  return from !== undefined && observation.head.number >= from
}

/** From this block on, a nonce below ours no longer waits for a foreign transaction. */
export function takenFrom(work: Work, { nonce }: Observation, policy: NetworkPolicy): BlockNumber | undefined {
  const signedAt = inFlightOf(work).flatMap(({ lifecycle }) =>
    lifecycle.nonce > nonce ? [lifecycle.attempts[0].recordedAtBlock] : [],
  )
  return signedAt.length === 0 ? undefined : Math.min(...signedAt) + foreignPatience(policy)
}

/** A node that lags reports spent nonces as free. */
function firstUnspent({ floor, unsettled }: Work, { nonce }: Observation): Nonce {
  return Math.max(nonce, floor.spentBelow, (unsettled?.nonce ?? -1) + 1)
}

function heldNonces({ open }: Work): ReadonlySet<Nonce> {
  return new Set(open.flatMap((each) => (isInPhase(each, 'inFlight', 'mined') ? [each.lifecycle.nonce] : [])))
}
