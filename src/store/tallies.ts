// Counts by status, written with each change: reading them costs the same whether there are ten rows or ten million.
import { sql } from 'kysely'
import type { RelayerId } from '../domain/ids.ts'
import { pendingStatuses, type Status, statuses } from '../domain/transaction.ts'
import { type Executor, statement } from './statement.ts'

const add = statement<{ relayerId: string; status: string; change: number }>((db, p) =>
  db
    .insertInto('tallies')
    .values({ relayer_id: p.relayerId, status: p.status, count: p.change })
    .onConflict((conflict) =>
      conflict.columns(['relayer_id', 'status']).doUpdateSet({ count: sql`tallies.count + excluded.count` }),
    ),
)

export async function tally(executor: Executor, relayerId: RelayerId, status: Status, change: number): Promise<void> {
  if (change !== 0) await executor.all(add, { relayerId, status, change })
}

const move = statement<{ relayerId: string; was: string; is: string; change: number }>((db, p) =>
  db
    .insertInto('tallies')
    .values([
      { relayer_id: p.relayerId, status: p.was, count: sql<number>`-${p.change}` },
      { relayer_id: p.relayerId, status: p.is, count: p.change },
    ])
    .onConflict((conflict) =>
      conflict.columns(['relayer_id', 'status']).doUpdateSet({ count: sql`tallies.count + excluded.count` }),
    ),
)

/** From one status to another: a statement fewer than two tallies. */
export async function retally(
  executor: Executor,
  relayerId: RelayerId,
  [was, is]: readonly [Status, Status],
  change: number,
): Promise<void> {
  if (change !== 0) await executor.all(move, { relayerId, was, is, change })
}

const ofRelayer = statement<{ relayerId: string }, { status: string; count: number }>((db, p) =>
  db.selectFrom('tallies').select(['status', 'count']).where('relayer_id', '=', p.relayerId),
)

export async function countByStatus(executor: Executor, relayerId: RelayerId): Promise<Record<Status, number>> {
  const counts = Object.fromEntries(statuses.map((status) => [status, 0])) as Record<Status, number>
  for (const row of await executor.all(ofRelayer, { relayerId })) counts[row.status as Status] = row.count
  return counts
}

export async function countPending(executor: Executor, relayerId: RelayerId): Promise<number> {
  const counts = await countByStatus(executor, relayerId)
  return pendingStatuses.reduce((sum, status) => sum + counts[status], 0)
}
