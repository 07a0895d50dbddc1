// The mark of a bulk cancellation whose queue is written in shares: it has taken every transaction without a nonce up to a
// sequence, whatever their rows say until a share reaches them.
import { sql } from 'kysely'
import type { RelayerId } from '../../domain/ids.ts'
import { type Executor, first, statement } from '../statement.ts'

export interface BulkMark {
  readonly through: number
  readonly requestedAt: number
}

/** Of a queued transaction: no bulk cancellation under way has taken it. */
export const isNotTaken = (relayerId: RelayerId) => sql<boolean>`transactions.sequence > ${taken(relayerId)}`

/** For the queries that go by an index without the sequence: the plus sign keeps them from one of all sequences. */
export const isNotAmongTaken = (relayerId: RelayerId) => sql<boolean>`+transactions.sequence > ${taken(relayerId)}`

/** Of a relayer's id, or of a column with one. */
const taken = (relayerId: unknown) =>
  sql`COALESCE((SELECT through FROM bulk_cancellations WHERE relayer_id = ${relayerId}), 0)`

/** Of any transaction that is about to be written: its owner may have read it before the mark. */
export const mayBeWritten = sql<boolean>`(transactions.status <> 'pending' OR transactions.sequence > ${taken(sql.ref('transactions.relayer_id'))})`

const mark = statement<{ relayerId: RelayerId; through: number; now: number }>((db, p) =>
  db
    .insertInto('bulk_cancellations')
    .values({ relayer_id: p.relayerId, through: p.through, requested_at: p.now })
    // A second one reaches further, and the shares go on.
    .onConflict((conflict) => conflict.column('relayer_id').doUpdateSet({ through: sql`excluded.through` })),
)

export async function markBulk(executor: Executor, relayerId: RelayerId, through: number, now: number): Promise<void> {
  await executor.all(mark, { relayerId, through, now })
}

const ofRelayer = statement<{ relayerId: RelayerId }, { through: number; requested_at: number }>((db, p) =>
  db.selectFrom('bulk_cancellations').select(['through', 'requested_at']).where('relayer_id', '=', p.relayerId),
)

export async function findBulkMark(executor: Executor, relayerId: RelayerId): Promise<BulkMark | undefined> {
  const row = await first(executor, ofRelayer, { relayerId })
  return row && { through: row.through, requestedAt: row.requested_at }
}

const remove = statement<{ relayerId: RelayerId }>((db, p) =>
  db.deleteFrom('bulk_cancellations').where('relayer_id', '=', p.relayerId),
)

export async function removeBulkMark(executor: Executor, relayerId: RelayerId): Promise<void> {
  await executor.all(remove, { relayerId })
}

const all = statement<object, { relayer_id: RelayerId }>((db) =>
  db.selectFrom('bulk_cancellations').select('relayer_id').orderBy('relayer_id'),
)

export async function listBulksUnderWay(executor: Executor): Promise<readonly RelayerId[]> {
  return (await executor.all(all, {})).map((row) => row.relayer_id)
}
