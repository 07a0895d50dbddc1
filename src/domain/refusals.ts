// The refusals of a cancel and of a replacement: which transaction is refused, under which code and in which words. And which
// transactions a bulk cancellation takes.
import { isNonceSpent, isSequenced } from './attempt.ts'
import { type ErrorCode, RescindError } from './errors.ts'
import type { PoolKind } from './profile.ts'
import {
  type InPhase,
  isContradictedNow,
  isInPhase,
  type Lifecycle,
  payloadAttempts,
  pendingStatuses,
  type Status,
  statusOf,
  type Transaction,
} from './transaction.ts'

type Refusals = Partial<Record<Status, ErrorCode>>

/**
 * Refusals of a cancel, by the status of the transaction. A bulk cancellation, the HTTP operation and its document follow this
 * table.
 */
export const cancelRefusals = {
  mined: 'TRANSACTION_ALREADY_MINED',
  confirmed: 'TRANSACTION_ALREADY_CONFIRMED',
  failed: 'TRANSACTION_ALREADY_FAILED',
  expired: 'TRANSACTION_ALREADY_EXPIRED',
} as const satisfies Refusals

const replaceRefusalsByStatus = {
  ...cancelRefusals,
  canceled: 'TRANSACTION_ALREADY_CANCELED',
} as const satisfies Refusals

/** All codes of a refused cancel. */
export const cancelRefusalCodes = Object.values(cancelRefusals)

/** Refusals of a release, for a transaction that has ended. */
const { mined: _, ...releaseRefusals } = replaceRefusalsByStatus

/** All codes of a refused release that are about the transaction. */
export const releaseRefusalCodes = [
  ...Object.values(releaseRefusals),
  'PAYLOAD_DIGEST_MISSING',
  'PAYLOAD_DIGEST_DIFFERS',
  'SECOND_KEY_REQUIRED',
] as const satisfies readonly ErrorCode[]

/** All codes of a refused replacement that are about the transaction, not the request. */
export const replaceRefusalCodes = [
  ...Object.values(replaceRefusalsByStatus),
  'TOO_LATE_TO_HOLD',
  'TOO_MANY_REPLACEMENTS',
  'TRANSACTION_ALREADY_ORDERED',
  'TRANSACTION_IS_GAP_FILLER',
  'TRANSACTION_IS_SWEEP',
] as const satisfies readonly ErrorCode[]

/** Undefined if the transaction can be canceled, or is canceled already. */
export function refusalOfCancel(transaction: Transaction): RescindError | undefined {
  const status = statusOf(transaction)
  const byStatus: Refusals = cancelRefusals
  const code = byStatus[status]
  return code && new RescindError(code, `transaction ${transaction.id} is already ${status}`)
}

/** Undefined if the transaction is on hold, or a release changes nothing. */
export function refusalOfRelease(transaction: Transaction): RescindError | undefined {
  const status = statusOf(transaction)
  const byStatus: Refusals = releaseRefusals
  const code = byStatus[status]
  return code && new RescindError(code, tooLateToChange(transaction.id, status))
}

/** Whether a bulk cancellation takes the transaction: a client's or a sweep, pending, and none that a cancel refuses. */
export function isTakenByBulk(transaction: Transaction): boolean {
  const status = statusOf(transaction)
  // A gap filler is already a no-op, and no client's to cancel.
  return transaction.origin !== 'gap' && bulkStatuses.includes(status)
}

/** Whether the cancellation that a client requested is not decided yet. */
export function isRacing(status: Status, phase: Lifecycle['phase']): boolean {
  return status === 'canceled' && phase === 'inFlight'
}

/** The statuses of the rows that a bulk cancellation takes. */
export const bulkStatuses: readonly Status[] = pendingStatuses.filter((status) => !(status in cancelRefusals))

/** Undefined if a new payload may take the old one's place. */
export function refusalOfReplacement(transaction: Transaction, pool: PoolKind): RescindError | undefined {
  const { id } = transaction
  if (transaction.origin === 'gap') {
    const text = `transaction ${id} is the service's own no-op, for a nonce that was given up; send a new transaction`
    return new RescindError('TRANSACTION_IS_GAP_FILLER', text)
  }
  if (transaction.origin === 'sweep') {
    const text = `transaction ${id} empties the account, and the service settles its value; cancel it and send a new transaction`
    return new RescindError('TRANSACTION_IS_SWEEP', text)
  }
  const status = statusOf(transaction)
  const byStatus: Refusals = replaceRefusalsByStatus
  const code = transaction.cancellation?.origin === 'refusal' ? 'TRANSACTION_ALREADY_FAILED' : byStatus[status]
  if (code) return new RescindError(code, tooLateToChange(id, status))
  // Either payload may be executed while endpoints contradict each other.
  if (isContradictedNow(transaction)) return new RescindError(cancelRefusals.mined, tooLateToChange(id, 'mined'))
  if (pool === 'fcfs' && wasOrdered(transaction)) {
    const why = payloadAttempts(transaction.lifecycle.attempts).some(isSequenced)
      ? 'the sequencer ordered it, and on this chain, which is first come, first served, nothing replaces it; send a new one'
      : 'the sequencer says that its nonce is spent; wait for the block that shows which transaction used it: if that was another one, a PUT is possible again'
    return new RescindError('TRANSACTION_ALREADY_ORDERED', `transaction ${id}: ${why}`)
  }
  return undefined
}

export function tooLateToChange(id: string, status: Status): string {
  return `transaction ${id} is already ${status}; send a new one`
}

/** Whether a sequencer that orders first come, first served has ordered a payload of it, or calls its nonce spent. */
function wasOrdered(transaction: Transaction): transaction is InPhase<'inFlight'> {
  return isInPhase(transaction, 'inFlight') && payloadAttempts(transaction.lifecycle.attempts).some(isNonceSpent)
}
