// Finds the newest sweep of a relayer.
import { sql } from 'kysely'
import type { RelayerId } from '../../domain/ids.ts'
import type { Transaction } from '../../domain/transaction.ts'
import { type Executor, first, statement } from '../statement.ts'
import { complete } from './find-transaction.ts'
import type { TransactionRow } from './transaction-row.ts'

// A literal, not a parameter: otherwise the planner does not match the query with the partial index.
const newest = statement<{ relayerId: RelayerId }, TransactionRow>((db, p) =>
  db
    .selectFrom('transactions')
    .selectAll()
    .where('relayer_id', '=', p.relayerId)
    .where(sql<boolean>`origin = 'sweep'`)
    .orderBy('sequence', 'desc')
    .limit(1),
)

export async function findSweep(executor: Executor, relayerId: RelayerId): Promise<Transaction | undefined> {
  return complete(executor, await first(executor, newest, { relayerId }))
}
