// The end of a hold: the transaction stands in the queue again, at its old place.
import { withHold } from './begin-hold.ts'
import { approved, isApproved, type ReleaseRequest, refusalOfDigest } from './four-eyes.ts'
import type { HoldRequest } from './hold.ts'
import { isPaused, pausedError } from './pause.ts'
import { refusalOfRelease } from './refusals.ts'
import type { Relayer } from './relayer.ts'
import { type InPhase, isInPhase, type Transaction } from './transaction.ts'
import type { TimestampMs } from './units.ts'
import { withReason } from './wait.ts'

const releaseReasons = { request: 'released on request', time: 'released, as its hold has ended' } as const

/**
 * A release by a client. Returns the same object if the transaction is not on hold: a repeated release changes nothing. Throws the
 * refusals of a release (refusals.ts), PAYLOAD_DIGEST_DIFFERS, RELAYER_PAUSED, and under four eyes PAYLOAD_DIGEST_MISSING and
 * SECOND_KEY_REQUIRED.
 */
export function release(
  transaction: Transaction,
  relayer: Relayer,
  request: ReleaseRequest,
  now: TimestampMs,
): Transaction {
  const refusal = refusalOfRelease(transaction) ?? refusalOfDigest(transaction, request)
  if (refusal) throw refusal
  if (!isInPhase(transaction, 'held')) return transaction
  if (isPaused(relayer)) throw pausedError(relayer, 'releases nothing')
  const { fourEyes } = transaction
  const released = fourEyes ? { ...transaction, fourEyes: approved(transaction, fourEyes, request, now) } : transaction
  return endHold(released, 'request')
}

/**
 * Holds a transaction under four eyes that is in the queue without a release of its payload. A restored copy may have lost the
 * release of one that was sent: if its nonce goes to another transaction, it needs a new release.
 */
export function heldUntilApproved(transaction: Transaction, now: TimestampMs): Transaction {
  if (!isInPhase(transaction, 'queued') || isApproved(transaction)) return transaction
  const by = transaction.fourEyes?.setBy.at(-1)
  return withHold(transaction, { rule: 'four_eyes', since: now, ...(by !== undefined && { by }) }, now)
}

/** Ends the hold. A transaction that a no-op of a lost history may have canceled still waits for that to be settled. */
export function endHold(transaction: InPhase<'held'>, by: keyof typeof releaseReasons): Transaction {
  const { suspectedNoOp, wait } = transaction
  const released = withReason({ ...transaction, wasHeld: true, lifecycle: { phase: 'queued' } }, releaseReasons[by])
  return suspectedNoOp && wait ? { ...released, wait } : released
}

/** The hold of a transaction's client begins anew with a replacement that requests none of its own. */
export function withKeptHold<R extends { readonly hold?: HoldRequest }>(request: R, replaced: Transaction): R {
  if (request.hold || !isInPhase(replaced, 'held') || !replaced.lifecycle.hold.request) return request
  return { ...request, hold: replaced.lifecycle.hold.request }
}
