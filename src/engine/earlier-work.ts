// Keeps the transactions of a step, so that the next one reads only those that others have changed, and adds the answers of nodes to them.
import type { Work } from '../domain/decide/plan/work.ts'
import type { TransactionId } from '../domain/ids.ts'
import { isInPhase, type Transaction } from '../domain/transaction.ts'
import type { EarlierWork } from '../store/store.ts'

/** The largest payload that is kept. Most have some hundred bytes: an owner of many transactions keeps a few megabytes. */
const carriedDataMax = 2_048

/** The transactions that the next step need not read. `written`: in the order of the writes. */
export function earlierOf(
  { relayer, open, queued, held, suspected, expiring }: Work,
  written: readonly Transaction[],
): EarlierWork {
  // The written ones come last: they have the newer versions.
  return withAnswered({ relayer, transactions: new Map() }, [open, queued, held, suspected, expiring, written].flat())
}

/** The kept transactions with answers that were recorded since. */
export function withAnswered(earlier: EarlierWork, answered: readonly Transaction[]): EarlierWork {
  if (answered.length === 0) return earlier
  const transactions = new Map(earlier.transactions)
  for (const transaction of answered) {
    if (transaction.payload.data.length <= carriedDataMax) transactions.set(transaction.id, transaction)
  }
  return { ...earlier, transactions }
}

/** The work with answers that were recorded since it was read: without them, a decision about these transactions would be stale. */
export function withAnswers(work: Work, answered: readonly Transaction[]): Work {
  if (answered.length === 0) return work
  const latest = new Map<TransactionId, Transaction>()
  for (const each of [...work.open, ...answered]) {
    if ((latest.get(each.id)?.version ?? 0) < each.version) latest.set(each.id, each)
  }
  const open = work.open.flatMap(({ id }) => latest.get(id) ?? [])
  return { ...work, open: open.filter((each) => isInPhase(each, 'inFlight', 'mined')) }
}
