// A payload that every node refuses is given up. A pool may have its bytes all the same, so a no-op races them for the nonce, and
// the chain shows the end.
import { refusalWordsOf } from './attempt.ts'
import { cancel } from './cancel.ts'
import type { InPhase, Transaction } from './transaction.ts'
import type { TimestampMs } from './units.ts'
import { withReason, withWait } from './wait.ts'
import type { Reason } from './wait-facts.ts'

/** In any hour, of one API key and relayer: each costs a no-op. */
export const giveUpsMax = 16
export const giveUpsWindowMs = 3_600_000

export function giveUp(transaction: InPhase<'inFlight'>, words: string, now: TimestampMs): Transaction {
  const given = withReason(cancel(transaction, now, 'refusal'), `every node that answers refuses it: ${words}`)
  return withWait(given, whyGivenUp(transaction), now)
}

/** Why it waits, by its record. */
export function whyGivenUp({ lifecycle: { nonce, attempts } }: InPhase<'inFlight'>): Reason {
  const words = refusalWordsOf(attempts)
  return { condition: 'refused_by_all', facts: { nonce, ...(words !== undefined && { words }) } }
}
