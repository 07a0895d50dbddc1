// The end of a hold: the transaction stands in the queue again, at its old place.
import type { HoldRequest } from './hold.ts'
import { isPaused, pausedError } from './pause.ts'
import { refusalOfRelease } from './refusals.ts'
import type { Relayer } from './relayer.ts'
import { type InPhase, isInPhase, type Transaction } from './transaction.ts'
import { withReason } from './wait.ts'

const releaseReasons = { request: 'released on request', time: 'released, as its hold has ended' } as const

/**
 * By a client. Returns the same object if it is not on hold: a repeated release changes nothing. Throws the refusals of a
 * release (refusals.ts), and RELAYER_PAUSED.
 */
export function release(transaction: Transaction, relayer: Relayer): Transaction {
  const refusal = refusalOfRelease(transaction)
  if (refusal) throw refusal
  if (!isInPhase(transaction, 'held')) return transaction
  if (isPaused(relayer)) throw pausedError(relayer, 'releases nothing')
  return endHold(transaction, 'request')
}

export function endHold(transaction: InPhase<'held'>, by: keyof typeof releaseReasons): Transaction {
  return withReason({ ...transaction, lifecycle: { phase: 'queued' } }, releaseReasons[by])
}

/** The hold of a transaction's client begins anew with a replacement that requests none of its own. */
export function withKeptHold<R extends { readonly hold?: HoldRequest }>(request: R, replaced: Transaction): R {
  if (request.hold || !isInPhase(replaced, 'held') || !replaced.lifecycle.hold.request) return request
  return { ...request, hold: replaced.lifecycle.hold.request }
}
