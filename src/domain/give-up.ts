// A payload that every node refuses is given up. A pool may have its bytes all the same, so a no-op races them for the nonce, and
// the chain shows the end.
import { refusalWordsOf } from './attempt.ts'
import { cancel } from './cancel.ts'
import { giveUpsEnd, type InPhase, returnsToQueue, type Transaction } from './transaction.ts'
import type { TimestampMs } from './units.ts'
import { withReason, withWait } from './wait.ts'
import type { Reason } from './wait-facts.ts'

/** The most give-ups of one API key and relayer in any hour: each costs a no-op. */
export const giveUpsMax = 16
export const giveUpsWindowMs = 3_600_000

/**
 * "Invalid" ends it, and so does a limit below the least gas, which a fork raised while a pool held the payload. Words that no table
 * has may mean a passing hold, so only the third give-up for such words ends it.
 */
export interface Refused {
  readonly as: 'invalid' | 'belowLeastGas' | 'unknown'
  readonly words: string
}

export function giveUp(transaction: InPhase<'inFlight'>, { as, words }: Refused, now: TimestampMs): Transaction {
  const by = as === 'belowLeastGas' ? 'no block can hold it any more' : 'every node that answers refuses it'
  const given = withReason(cancel(transaction, now, 'refusal'), `${by}: ${words}`)
  const giveUps = as !== 'unknown' ? giveUpsEnd : Math.min(giveUpsEnd, (transaction.giveUps ?? 0) + 1)
  const counted = { ...given, giveUps }
  return withWait(counted, whyGivenUp({ ...counted, lifecycle: transaction.lifecycle }), now)
}

/** Why it waits, by its record. */
export function whyGivenUp(transaction: InPhase<'inFlight'>): Reason {
  const { nonce, attempts } = transaction.lifecycle
  const words = refusalWordsOf(attempts)
  const facts = { nonce, returns: returnsToQueue(transaction), ...(words !== undefined && { words }) }
  return { condition: 'refused_by_all', facts }
}
