// Lists transactions by pages, newest first, from an index; the total is a stored tally.
import type { RelayerId } from '../../domain/ids.ts'
import type { Status, Transaction } from '../../domain/transaction.ts'
import { type Executor, statement } from '../statement.ts'
import type { Page, PageRequest } from '../store.ts'
import { complete } from './find-transaction.ts'
import { countByStatus } from './tallies.ts'
import type { TransactionRow } from './transaction-row.ts'

interface Window {
  relayerId: RelayerId
  limit: number
  offset: number
}

const ofRelayer = statement<Window, TransactionRow>((db, p) =>
  db
    .selectFrom('transactions')
    .selectAll()
    .where('relayer_id', '=', p.relayerId)
    .orderBy('sequence', 'desc')
    .limit(p.limit)
    .offset(p.offset),
)

const ofStatus = statement<Window & { status: Status }, TransactionRow>((db, p) =>
  db
    .selectFrom('transactions')
    .selectAll()
    .where('relayer_id', '=', p.relayerId)
    .where('status', '=', p.status)
    .orderBy('sequence', 'desc')
    .limit(p.limit)
    .offset(p.offset),
)

export async function listTransactions(
  executor: Executor,
  relayerId: RelayerId,
  filter: { status?: Status },
  { page, perPage }: PageRequest,
): Promise<Page<Transaction>> {
  const counts = await countByStatus(executor, relayerId)
  const total = filter.status ? counts[filter.status] : Object.values(counts).reduce((sum, count) => sum + count, 0)
  const offset = (page - 1) * perPage
  if (offset >= total) return { items: [], total }

  const window = { relayerId, limit: perPage, offset }
  const rows = filter.status
    ? await executor.all(ofStatus, { ...window, status: filter.status })
    : await executor.all(ofRelayer, window)
  const items: Transaction[] = []
  for (const row of rows) {
    const transaction = await complete(executor, row)
    if (transaction) items.push(transaction)
  }
  return { items, total }
}
