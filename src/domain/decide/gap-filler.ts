// Gap fillers: whether nodes refuse one, and whether its nonce is free for others.
import { mayBeKnown, newest, rejectionOf } from '../attempt.ts'
import { type InPhase, isInPhase, type Transaction } from '../transaction.ts'

/**
 * The node's reason for calling the gap filler invalid. Undefined for a client's transaction, a canceled one, and one
 * that no node called invalid.
 */
export function refusalOfGapFiller({ origin, cancellation, lifecycle }: InPhase<'inFlight'>): string | undefined {
  if (origin !== 'gap' || cancellation) return undefined
  const latest = newest(lifecycle.attempts)
  if (latest.broadcast.state === 'refused') return latest.broadcast.reason
  const rejection = rejectionOf(latest)
  return rejection?.code === 'invalid' ? rejection.message : undefined
}

export type GapFiller = InPhase<'inFlight'> & { readonly origin: 'gap' }

/** Whether its nonce is free for a client's transaction: certainly no node has the gap filler. */
export function givesWay(transaction: Transaction): transaction is GapFiller {
  if (!isInPhase(transaction, 'inFlight') || refusalOfGapFiller(transaction) === undefined) return false
  return !transaction.lifecycle.attempts.some(mayBeKnown)
}
