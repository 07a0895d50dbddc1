// DELETE of one transaction: makes the intent durable before the answer. The engine runs the race, if there is one.
import { allowed, type Requester } from '../../domain/audit.ts'
import { cancel, verdictOn } from '../../domain/cancel.ts'
import { RescindError } from '../../domain/errors.ts'
import type { RelayerId, TransactionId } from '../../domain/ids.ts'
import type { Relayer } from '../../domain/relayer.ts'
import { isInPhase, isTerminal, type Transaction } from '../../domain/transaction.ts'
import type { CommandContext } from '../context.ts'

interface Canceled {
  readonly transaction: Transaction
  /** False if it was canceled before. Such a request leaves no audit record in the commit. */
  readonly isChanged: boolean
  /**
   * The relayer, read in the same unit if the transaction is in flight: the kind of its pool decides what the race can still do.
   */
  readonly relayer?: Relayer
}

/**
 * Throws TRANSACTION_NOT_FOUND for an unknown relayer, an unknown transaction and another relayer's transaction alike.
 * Throws TRANSACTION_ALREADY_… when there is nothing left to cancel.
 */
export async function cancelTransaction(
  context: CommandContext,
  relayerId: RelayerId,
  id: TransactionId,
  requester?: Requester,
): Promise<Canceled> {
  const canceled = await context.store.commit(
    async (session) => {
      // The time is read inside the unit: units that share a commit then have the same time, so their writes are alike.
      const now = context.clock.now()
      const found = await session.transaction(relayerId, id)
      if (!found) throw new RescindError('TRANSACTION_NOT_FOUND', 'no such transaction of this relayer')
      const after = cancel(found, now)
      const relayer = isInPhase(after, 'inFlight') ? await session.relayer(relayerId) : undefined
      const read = relayer && { relayer }
      if (after === found) return { transaction: found, isChanged: false, ...read }
      if (requester) session.recordAudit(allowed(requester, now, { relayerId, transactionId: id }))
      return { transaction: await session.saveTransaction(found, after, now), isChanged: true, ...read }
    },
    relayerId,
    { transactions: [id] },
  )
  if (!isTerminal(canceled.transaction)) context.wake(relayerId)
  return canceled
}

const lookEveryMs = 250

/**
 * Returns the transaction as soon as its verdict is final, or as it stands when `waitMs` is over or `signal` aborts.
 */
export async function awaitVerdict(
  context: Pick<CommandContext, 'store' | 'clock'>,
  relayerId: RelayerId,
  id: TransactionId,
  waitMs: number,
  signal: AbortSignal,
): Promise<Transaction | undefined> {
  const until = context.clock.elapsed() + waitMs
  for (;;) {
    const transaction = await context.store.reads.transaction(relayerId, id)
    if (!transaction || verdictOn(transaction).final) return transaction
    const left = until - context.clock.elapsed()
    if (left <= 0 || signal.aborted) return transaction
    await context.clock.sleep(Math.min(left, lookEveryMs), signal)
  }
}
