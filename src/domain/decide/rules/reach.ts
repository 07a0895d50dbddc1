// The reach: how far above the record a nonce is bound. A node may name any count of the account.
//
// A nonce that the account never reaches can't be mined: without this file its transaction would wait for ever, and all that is bound above it
// too. The promise: beyond 10,000 above the highest nonce on record another endpoint's count or an operator's permit is needed, and from 10^9
// on nothing helps. For example, the record ends at 500 and a node counts 20,000: no nonce is bound until another endpoint counts as far.
//
// Within the reach it answers that the nonce may be bound, and reads nothing.
import type { Observation } from '../../observation.ts'
import type { Nonce } from '../../units.ts'
import type { Reason } from '../../wait-facts.ts'
import type { Fact } from '../plan/lacks.ts'
import type { Situation, Work } from '../plan/work.ts'

/** Distance above the highest nonce on record that needs no confirmation. An account that is used elsewhere too seldom exceeds it. */
export const reachMax = 10_000
/** The first nonce that is never bound, whatever confirms it. An account that sends thirty a second gets there in a year. */
export const nonceLimit = 1_000_000_000

export interface Reach {
  readonly isWithin: boolean
  /** The fact that decides it: the record of gap fillers, which has an operator's permit, or a second count of the account. */
  readonly lacks?: Fact
  /** Why the nonce is not bound now. */
  readonly blockedBy?: Reason
}

/**
 * Whether `nonce` may be bound: not while a count above all that is explained may be true. Beyond the reach it needs a permit, or the
 * count of another endpoint: repeated counts of the same one may be as false as the first.
 */
export function limitReach(nonce: Nonce, { work, observation }: Pick<Situation, 'work' | 'observation'>): Reach {
  const { doubtedCount } = observation
  if (doubtedCount !== undefined && nonce >= observation.nonce)
    return blocked({ of: 'count', nonce: doubtedCount, explainedBelow: observation.nonce })
  if (nonce >= nonceLimit) return blocked({ of: 'limit', nonce, limit: nonceLimit })
  // The record is no shorter than it was before this step. Each candidate asks, and a look at all open rows for each is seldom needed.
  if (nonce < (work.recordedBelow ?? 0) + reachMax) return bindable
  const below = recordedBelow(work)
  // The account may have a history of any length before its first transaction here.
  if (below === 0 || nonce < below + reachMax) return bindable
  if (!work.gapRecord) return { isWithin: false, lacks: 'gapRecord' }
  if (work.gapRecord.permitted > 0) return bindable
  if (observation.secondCount === undefined) return { isWithin: false, lacks: 'secondCount' }
  if (nonce < countElsewhere(observation) + reachMax) return bindable
  return blocked({ of: 'reach', nonce, recordedBelow: below, relayerId: work.relayer.id })
}

const bindable: Reach = { isWithin: true }

function blocked(facts: Extract<Reason, { condition: 'gap_unconfirmed' }>['facts']): Reach {
  return { isWithin: false, blockedBy: { condition: 'gap_unconfirmed', facts } }
}

function countElsewhere({ secondCount, isSecondCountOwn }: Observation): Nonce {
  return secondCount === undefined || secondCount === 'unknown' || isSecondCountOwn ? 0 : secondCount
}

/** The end of the nonces on record, bound or spent. 0: the record holds none. */
export function recordedBelow({ floor, confirmedNotFinal, open, recordedBelow: before = 0 }: Work): Nonce {
  let below = Math.max(before, floor.spentBelow, floor.explainedBelow, (confirmedNotFinal?.nonce ?? -1) + 1)
  // A loop, without an array: a thousand may be open, and each step looks at them.
  for (const { lifecycle } of open) if ('nonce' in lifecycle) below = Math.max(below, lifecycle.nonce + 1)
  return below
}
