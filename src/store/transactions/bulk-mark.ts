// The mark of a bulk cancellation whose queue is written in shares: it has taken every transaction without a nonce up to a
// sequence, whatever their rows say until a share reaches them.
import { sql } from 'kysely'
import type { RelayerId } from '../../domain/ids.ts'
import type { BulkCancellationTable } from '../access-tables.ts'
import { type Executor, first, statement } from '../statement.ts'

export interface BulkMark {
  readonly through: number
  readonly requestedAt: number
  /** How many of its transactions no share has written yet. */
  readonly unwritten: number
}

/** Of a queued transaction: no bulk cancellation under way has taken it. */
export const isNotTaken = (relayerId: RelayerId) => sql<boolean>`transactions.sequence > ${taken(relayerId)}`

/** For other indexes than that of all sequences: with a bound at each end the planner would prefer it, hence the plus sign. */
export const isNotAmongTaken = (relayerId: RelayerId) => sql<boolean>`+transactions.sequence > ${taken(relayerId)}`

/** How many it has taken that no share has written yet; null without one. Of a relayer's id, or of a column with one. */
export const unwritten = (relayerId: unknown) =>
  sql<number | null>`(SELECT unwritten FROM bulk_cancellations WHERE relayer_id = ${relayerId})`

/** Of a relayer's id, or of a column with one. */
const taken = (relayerId: unknown) =>
  sql`COALESCE((SELECT through FROM bulk_cancellations WHERE relayer_id = ${relayerId}), 0)`

/** Of any transaction that is about to be written: its owner may have read it before the mark. */
export const mayBeWritten = sql<boolean>`(transactions.status NOT IN ('pending', 'held') OR transactions.sequence > ${taken(sql.ref('transactions.relayer_id'))})`

const mark = statement<BulkMark & { relayerId: RelayerId }>((db, p) =>
  db
    .insertInto('bulk_cancellations')
    .values({ relayer_id: p.relayerId, through: p.through, requested_at: p.requestedAt, unwritten: p.unwritten }),
)

/** The relayer has no mark yet. */
export async function markBulk(executor: Executor, relayerId: RelayerId, marked: BulkMark): Promise<void> {
  await executor.all(mark, { relayerId, ...marked })
}

const ofRelayer = statement<{ relayerId: RelayerId }, BulkCancellationTable>((db, p) =>
  db.selectFrom('bulk_cancellations').selectAll().where('relayer_id', '=', p.relayerId),
)

export async function findBulkMark(executor: Executor, relayerId: RelayerId): Promise<BulkMark | undefined> {
  const row = await first(executor, ofRelayer, { relayerId })
  return row && { through: row.through, requestedAt: row.requested_at, unwritten: row.unwritten }
}

const countDown = statement<{ relayerId: RelayerId; written: number }>((db, p) =>
  db
    .updateTable('bulk_cancellations')
    .set((eb) => ({ unwritten: eb('unwritten', '-', p.written) }))
    .where('relayer_id', '=', p.relayerId),
)

export async function countWritten(executor: Executor, relayerId: RelayerId, written: number): Promise<void> {
  await executor.all(countDown, { relayerId, written })
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
