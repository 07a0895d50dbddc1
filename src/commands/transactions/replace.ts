// PUT of a transaction: a new payload with the same sequence, durable before the answer.
import { allowed, type Requester } from '../../domain/audit.ts'
import { RescindError } from '../../domain/errors.ts'
import type { RelayerId, TransactionId } from '../../domain/ids.ts'
import { replace } from '../../domain/replace.ts'
import { checkSend, type SendRequest } from '../../domain/submit.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { CommandContext } from '../context.ts'

/**
 * Throws TRANSACTION_NOT_FOUND, TRANSACTION_ALREADY_…, and the errors of a send: RELAYER_PAUSED, POLICY_VIOLATION,
 * INVALID_REQUEST.
 */
export async function replaceTransaction(
  context: CommandContext,
  relayerId: RelayerId,
  id: TransactionId,
  request: SendRequest,
  requester?: Requester,
): Promise<Transaction> {
  const now = context.clock.now()
  const replaced = await context.store.commit(
    async (session) => {
      const found = await session.transaction(relayerId, id)
      const relayer = await session.relayer(relayerId)
      if (!found || !relayer) throw new RescindError('TRANSACTION_NOT_FOUND', 'no such transaction of this relayer')
      checkSend(relayer, request, now)
      if (requester) session.recordAudit(allowed(requester, now, { relayerId, transactionId: id }))
      return session.saveTransaction(found, replace(found, request), now)
    },
    relayerId,
    { transactions: [id] },
  )
  context.wake(relayerId)
  return replaced
}
