// Prefer: wait. Waits for a final verdict by polling the store.
import { verdictOn } from '../../domain/cancel.ts'
import type { RelayerId, TransactionId } from '../../domain/ids.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { CommandContext } from '../context.ts'

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
