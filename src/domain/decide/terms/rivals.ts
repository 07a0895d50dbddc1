// What a bid has to replace, and what it starts from.
import { type Attempt, isNoOp, mayBeKnown, rejectionOf, takenAtOf, wasAlwaysRejected } from '../../attempt.ts'
import { type Fees, type Market, marketFees, type ReplacementRule, replacementFloor } from '../../fees.ts'
import { isNonEmpty } from '../../ids.ts'
import type { InPhase } from '../../transaction.ts'
import type { Bidder } from './bidder.ts'

/**
 * The attempts that a pool may hold. An attempt that every node rejected is in no pool, so it sets no floor. Nor does one of a
 * payload that was given up, unless a node once took it: nodes refused it, or gave no answer. The exception: if a pool prefers
 * another transaction to our last bid, it may prefer such an attempt.
 */
export function rivalsInPools({ lifecycle, cancellation }: InPhase<'inFlight'>): readonly Attempt[] {
  const known = lifecycle.attempts.filter(mayBeKnown)
  const last = known.at(-1)
  if (last && rejectionOf(last)?.code === 'replacementUnderpriced') return known
  const isGivenUp = cancellation?.origin === 'refusal'
  const isOut = (attempt: Attempt) => isGivenUp && !isNoOp(attempt) && takenAtOf(attempt) === undefined
  return known.filter((attempt) => !wasAlwaysRejected(attempt) && !isOut(attempt))
}

/** The least fees that replace every one of `rivals`. Undefined if there is none to replace. */
export function floorOf(rivals: readonly Attempt[], market: Market, rule: ReplacementRule): Fees | undefined {
  return isNonEmpty(rivals) ? replacementFloor(rivals, market, rule) : undefined
}

/** The market's fees, without a rise. A nonce keeps the type of its first attempt. */
export function usualFees({ transaction, speed }: Pick<Bidder, 'transaction' | 'speed'>, market: Market): Fees {
  return marketFees(market, speed, transaction.lifecycle.attempts[0].fees.kind === 'eip1559')
}

/**
 * The limit of attempts for one nonce and purpose. At a quarter more each, it lies far beyond any market. Beyond it
 * only a doubled price is signed. The limit keeps rows few, and never blocks a price that the cap allows.
 */
export const attemptsMax = 64
