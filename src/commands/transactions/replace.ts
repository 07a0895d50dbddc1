// PUT of a transaction: a new payload with the same sequence, durable before the answer.
import { allowed, type Requester } from '../../domain/audit.ts'
import { holdOfReplacement } from '../../domain/begin-hold.ts'
import { RescindError } from '../../domain/errors.ts'
import type { RelayerId, TransactionId } from '../../domain/ids.ts'
import { withKeptHold } from '../../domain/release.ts'
import { replace } from '../../domain/replace.ts'
import { checkSend, type SendRequest } from '../../domain/submit.ts'
import type { Transaction } from '../../domain/transaction.ts'
import { type CommandContext, refuseReplaced } from '../context.ts'
import { limitGiveUps } from './limit-give-ups.ts'

/** The requester of a replacement, and whether its key may also cancel. */
interface Replacer {
  readonly requester: Requester
  readonly mayCancel: boolean
}

/**
 * Throws TRANSACTION_NOT_FOUND, TRANSACTION_ALREADY_…, TOO_LATE_TO_HOLD, TOO_MANY_REPLACEMENTS, SCOPE_MISSING, and the errors of a send: RELAYER_PAUSED,
 * POLICY_VIOLATION, GAS_LIMIT_TOO_LOW, INVALID_REQUEST, QUEUE_FULL, TOO_MANY_REFUSED, STORAGE_LOW.
 */
export async function replaceTransaction(
  context: CommandContext,
  relayerId: RelayerId,
  id: TransactionId,
  request: SendRequest,
  replacer?: Replacer,
): Promise<Transaction> {
  refuseReplaced(context)
  const now = context.clock.now()
  const replaced = await context.store.commit(
    async (session) => {
      const found = await session.transaction(relayerId, id)
      const relayer = await session.relayer(relayerId)
      if (!found || !relayer) throw new RescindError('TRANSACTION_NOT_FOUND', 'no such transaction of this relayer')
      if (replacer) checkReplacer(replacer, found)
      // Whether the relayer has given anything up lately is not read here: a replacement is rare.
      if (replacer) await limitGiveUps(session, { relayerId, requester: replacer.requester, gaveUpAt: now }, now)
      const profile = context.profileOf(relayer)
      const wanted = withKeptHold(request, found)
      checkSend(relayer, wanted, now, profile)
      context.queueRooms.refusePayload(relayerId)
      const at = { now, ...(replacer && { by: replacer.requester.keyId }) }
      const hold = holdOfReplacement(relayer.policies, wanted, found, at)
      if (replacer) session.recordAudit(allowed(replacer.requester, now, { relayerId, transactionId: id }))
      // Without the network here, the owner decides again.
      return session.saveTransaction(found, replace(found, wanted, profile?.pool ?? 'public', hold), now)
    },
    relayerId,
    { transactions: [id] },
  )
  context.wake(relayerId)
  return replaced
}

/** A replacement takes the old payload back: without the scope `cancel`, a key does that to its own transactions only. */
function checkReplacer({ requester: { keyId }, mayCancel }: Replacer, { id, createdBy }: Transaction): void {
  if (mayCancel || createdBy === keyId) return
  throw new RescindError('SCOPE_MISSING', `key "${keyId}" has no scope cancel, and did not send transaction ${id}`)
}
