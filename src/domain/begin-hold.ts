// The beginning of a hold, at a send or at a replacement.
import { RescindError } from './errors.ts'
import { setUnderFourEyes } from './four-eyes.ts'
import { type Hold, type Holdable, holdOf } from './hold.ts'
import type { ApiKeyId } from './ids.ts'
import type { Policies } from './policy-table.ts'
import type { Transaction } from './transaction.ts'
import type { TimestampMs } from './units.ts'
import { withWait } from './wait.ts'

/** The hold of a new payload. One under four eyes stays there, whatever the policies demand now. */
export function holdOfReplacement(
  policies: Policies,
  request: Holdable,
  replaced: Transaction,
  at: { readonly now: TimestampMs; readonly by?: ApiKeyId },
): Hold | undefined {
  const { now, by } = at
  const isUnderFourEyes =
    replaced.fourEyes !== undefined || needsSecondKeyAsReplacement(policies, request, replaced, by)
  return holdOf(policies, request, now, { ...(by !== undefined && { by }), isUnderFourEyes })
}

/**
 * A payload that needs no second key as a send may need one as a replacement. With a nonce, it can't go back on hold for its estimate,
 * and its price exceeds that of each payload before it. Without one, such a hold knows the sender only, and not the key of a PUT.
 */
function needsSecondKeyAsReplacement(
  { fourEyes, gasPriceCap }: Policies,
  { gasLimit }: Holdable,
  { lifecycle, createdBy }: Transaction,
  by: ApiKeyId | undefined,
): boolean {
  if (!fourEyes) return false
  if ('nonce' in lifecycle) return gasLimit === undefined || gasPriceCap === undefined
  return gasLimit === undefined && by !== createdBy
}

/** The transaction before the queue, where it has no nonce. */
export function withHold(transaction: Transaction, hold: Hold, now: TimestampMs): Transaction {
  const { rule, until } = hold
  const held: Transaction = {
    ...transaction,
    ...(rule === 'four_eyes' && { fourEyes: setUnderFourEyes(transaction, hold) }),
    lifecycle: { phase: 'held', hold },
  }
  return withWait(held, { condition: 'on_hold', facts: { rule, ...(until !== undefined && { until }) } }, now)
}

/** The refusal of a new payload that would be held, where the transaction has a nonce and can't go back before the queue. */
export function tooLateToHold(id: string): RescindError {
  return new RescindError(
    'TOO_LATE_TO_HOLD',
    `transaction ${id} has a nonce, and the new payload would be held; cancel it and send a new transaction`,
  )
}
