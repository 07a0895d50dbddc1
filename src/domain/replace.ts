// Replaces a transaction's payload. In the queue the new payload takes the old one's place; in flight it races the old
// one for their nonce. Only the chain shows which was executed, and never both: they share the nonce.
import { tooLateToHold, withHold } from './begin-hold.ts'
import { RescindError } from './errors.ts'
import type { Hold } from './hold.ts'
import type { PoolKind } from './profile.ts'
import { refusalOfReplacement } from './refusals.ts'
import { type SendRequest, signedBytesMax } from './submit.ts'
import { isInPhase, neverReachedANode, type Payload, type Transaction } from './transaction.ts'
import { withReason } from './wait.ts'

/**
 * Throws the refusals of a replacement (refusals.ts): nothing is left to replace, or the transaction is the service's own no-op,
 * which caps, reserve and bulk cancellations never treat as a client's. Throws TOO_MANY_REPLACEMENTS. checkSend checks the request, as
 * for a send.
 */
export function replace(transaction: Transaction, request: SendRequest, pool: PoolKind, hold?: Hold): Transaction {
  const refusal = refusalOfReplacement(transaction, pool)
  if (refusal) throw refusal
  const earlier: Transaction['earlier'] = [...(transaction.earlier ?? []), transaction.payload]
  refuseExcess(transaction, earlier)
  if (hold && 'nonce' in transaction.lifecycle) throw tooLateToHold(transaction.id)
  const { validUntil, believed: _, labels: __, hold: ___, ...payload } = request
  // The client wants this payload sent, whatever the lost history did with the transaction.
  const { validUntil: ____, suspectedNoOp, ...rest } = transaction
  const replaced: Transaction = {
    ...rest,
    payload: { ...payload, from: transaction.payload.from },
    earlier,
    ...(validUntil !== undefined && { validUntil }),
    ...(isInPhase(transaction, 'held') && { wasHeld: true }),
    ...(suspectedNoOp && { wasPassed: true }),
  }
  // No node had the old payload. Its nonce, if it had one, returns to the first in the queue.
  const queued = neverReachedANode(transaction) ? { ...replaced, lifecycle: { phase: 'queued' as const } } : replaced
  const next = withReason(queued, 'replaced on request')
  return hold ? withHold(next, hold, hold.since) : next
}

const earlierMax = 64
const earlierBytesMax = 262_144

/**
 * Every reader of the row reads the payloads that were replaced, and none of them may be forgotten: after a restore, the chain may show one
 * whose attempt is lost.
 */
function refuseExcess({ id }: Transaction, earlier: readonly Payload[]): void {
  const bytes = earlier.reduce((sum, payload) => sum + signedBytesMax(payload), 0)
  if (earlier.length <= earlierMax && bytes <= earlierBytesMax) return
  throw new RescindError(
    'TOO_MANY_REPLACEMENTS',
    `transaction ${id} would keep ${earlier.length} earlier payloads of ${bytes} bytes, and it keeps at most ${earlierMax} of ${earlierBytesMax} bytes; cancel it and send a new transaction`,
  )
}
