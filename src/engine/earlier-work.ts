// Keeps the transactions of a step, so that the next one reads only those that others have changed.
import type { Work } from '../domain/decide/plan/work.ts'
import type { TransactionId } from '../domain/ids.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { EarlierWork } from '../store/store.ts'

/** The largest payload that is kept. Most have some hundred bytes: an owner of many transactions keeps a few megabytes. */
const carriedDataMax = 2_048

/** The transactions that the next step need not read. `written`: in the order of the writes. */
export function earlierOf(
  { relayer, open, queued, held, suspected, expiring }: Work,
  written: readonly Transaction[],
): EarlierWork {
  const transactions = new Map<TransactionId, Transaction>()
  // The written ones come last: they have the newer versions.
  for (const each of [open, queued, held, suspected, expiring, written]) {
    for (const transaction of each) {
      if (transaction.payload.data.length <= carriedDataMax) transactions.set(transaction.id, transaction)
    }
  }
  return { relayer, transactions }
}
