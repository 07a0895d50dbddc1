// A send: checked against the relayer's policies, stored in the relayer's order, and durable before the answer.
import { RescindError } from '../domain/errors.ts'
import type { RelayerId } from '../domain/ids.ts'
import { checkSend, type SendRequest, submit } from '../domain/submit.ts'
import type { Transaction } from '../domain/transaction.ts'
import { freshId } from '../ops/fresh-id.ts'
import type { CommandContext } from './context.ts'

/** Throws RELAYER_NOT_FOUND, RELAYER_PAUSED, POLICY_VIOLATION, INVALID_REQUEST, QUEUE_FULL. */
export async function submitTransaction(
  context: CommandContext,
  relayerId: RelayerId,
  request: SendRequest,
): Promise<Transaction> {
  const now = context.clock.now()
  const id = freshId(context.random, now)
  const transaction = await context.store.commit(async (session) => {
    const next = await session.nextInOrder(relayerId)
    if (!next) throw new RescindError('RELAYER_NOT_FOUND', `Relayer with ID ${relayerId} not found`)
    const { relayer, sequence } = next
    checkSend(relayer, request, now)
    // No more can be pending than were ever stored, so the count is read only once it could matter.
    if (sequence > context.queueMax && (await session.pending(relayerId)) >= context.queueMax) {
      throw new RescindError(
        'QUEUE_FULL',
        `relayer "${relayerId}" holds ${context.queueMax} pending transactions, the most allowed; send again when some are mined, or cancel some`,
      )
    }
    const stored = submit(relayer, request, { id, sequence, now })
    await session.insertTransaction(stored)
    return stored
  })
  context.wake(relayerId)
  return transaction
}
