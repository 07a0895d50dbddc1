// Reads anew only the transactions that changed since an earlier read: every write of a transaction or of its attempts raises
// the transaction's version.
import type { TransactionId } from '../../../domain/ids.ts'
import type { Transaction } from '../../../domain/transaction.ts'
import type { Executor } from '../../statement.ts'
import { toJson } from '../../values.ts'
import { attemptsByIds, type Ids, transactionsByIds, withAttempts } from '../rows/find-transaction.ts'
import type { TransactionRow } from '../rows/transaction-row.ts'

type Known = ReadonlyMap<TransactionId, Transaction>

export const versionColumns = ['id', 'version', 'nonce', 'sequence'] as const

export type Version = Pick<TransactionRow, (typeof versionColumns)[number]>

/** Returns how to find each of `found`, as it is now. Call it within a read of one instant. */
export async function readChanged(
  executor: Executor,
  found: readonly Version[],
  known: Known,
): Promise<(found: Version) => Transaction> {
  const changed = found.filter(({ id, version }) => known.get(id)?.version !== version)
  const fresh = changed.length === 0 ? undefined : await readByIds(executor, changed)
  return ({ id }) => {
    const transaction = fresh?.get(id) ?? known.get(id)
    if (!transaction) throw new Error(`transaction ${id} is gone within one read`)
    return transaction
  }
}

async function readByIds(executor: Executor, found: readonly Version[]): Promise<Known> {
  const bound = found.filter(({ nonce }) => nonce !== null)
  const [rows, attempts] = await Promise.all([
    executor.all(transactionsByIds, idsOf(found)),
    bound.length === 0 ? [] : executor.all(attemptsByIds, idsOf(bound)),
  ])
  return new Map(withAttempts(rows, attempts).map((transaction) => [transaction.id, transaction]))
}

function idsOf(found: readonly Version[]): Ids {
  return { ids: toJson([...new Set(found.map(({ id }) => id))]) }
}
