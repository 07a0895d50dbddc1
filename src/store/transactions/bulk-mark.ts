// The mark of a bulk cancellation whose queue is written in portions: its part at a relayer, until the last portion. It has taken every
// transaction without a nonce that it matches up to a sequence, whatever their rows say until a portion reaches them.
import { type Selectable, sql } from 'kysely'
import type { BulkPartState } from '../../domain/bulk-cancellation.ts'
import type { RelayerId } from '../../domain/ids.ts'
import type { BulkPartTable } from '../bulk-tables.ts'
import { type Executor, first, statement } from '../statement.ts'
import { type QueuedStatus, queuedStatuses } from './bulk-filter.ts'

interface BulkMark {
  /** The last sequence that it covers. */
  readonly through: number
  /** No owner takes one up to this sequence: of everything pending it is `through`, and with a filter the relayer stops wholly. */
  readonly blockedThrough: number
  /** How many of its transactions no portion has written yet. 0 with a filter, which matches some of them. */
  readonly unwritten: number
  readonly walking: QueuedStatus
  /** The last sequence that the portions decided. */
  readonly walked: number
}

/** Whether no bulk cancellation under way may have taken the queued transaction. */
export const isNotTaken = (relayerId: RelayerId) => sql<boolean>`transactions.sequence > ${taken(relayerId)}`

/** For other indexes than that of all sequences: with a bound at each end the planner would prefer it, hence the plus sign. */
export const isNotAmongTaken = (relayerId: RelayerId) => sql<boolean>`+transactions.sequence > ${taken(relayerId)}`

// Literals, not parameters: otherwise the planner does not match the queries with the partial indexes.
const taking = sql.lit('taking' satisfies BulkPartState)
const waiting = sql.lit('waiting' satisfies BulkPartState)
const isTaking = sql<boolean>`state = ${taking}`

/** How many it has taken that no portion has written yet; null without one. Of a relayer's id, or of a column with one. */
export const unwritten = (relayerId: unknown) =>
  sql<
    number | null
  >`(SELECT unwritten FROM bulk_parts WHERE bulk_parts.relayer_id = ${relayerId} AND state = ${taking})`

/** The last sequence that it keeps from the queue; 0 without one. Of a relayer's id, or of a column with one. */
export const taken = (relayerId: unknown) =>
  sql`COALESCE((SELECT blocked_through FROM bulk_parts WHERE bulk_parts.relayer_id = ${relayerId} AND state = ${taking}), 0)`

const queued = sql.join(queuedStatuses.map((status) => sql.lit(status)))

/** Whether a transaction of any status may be written: its owner may have read it before the mark. */
export const mayBeWritten = sql<boolean>`(transactions.status NOT IN (${queued}) OR transactions.sequence > ${taken(sql.ref('transactions.relayer_id'))})`

const mark = statement<BulkMark & { part: number; instant: number }>((db, p) =>
  db
    .updateTable('bulk_parts')
    .set({
      state: 'taking',
      instant: p.instant,
      walking: p.walking,
      walked: p.walked,
      through: p.through,
      blocked_through: p.blockedThrough,
      unwritten: p.unwritten,
    })
    .where('id', '=', p.part),
)

/** The relayer has no mark yet. */
export async function markBulk(executor: Executor, part: number, instant: number, marked: BulkMark): Promise<void> {
  await executor.all(mark, { part, instant, ...marked })
}

type MarkRow = Pick<
  Selectable<BulkPartTable>,
  'id' | 'bulk_id' | 'instant' | 'walking' | 'walked' | 'through' | 'unwritten'
>

const ofRelayer = statement<{ relayerId: RelayerId }, MarkRow>((db, p) =>
  db
    .selectFrom('bulk_parts')
    .select(['id', 'bulk_id', 'instant', 'walking', 'walked', 'through', 'unwritten'])
    .where('relayer_id', '=', p.relayerId)
    .where(isTaking),
)

export function findBulkMark(executor: Executor, relayerId: RelayerId) {
  return first(executor, ofRelayer, { relayerId })
}

const advance = statement<{ part: number; written: number; walking: QueuedStatus; walked: number }>((db, p) =>
  db
    .updateTable('bulk_parts')
    .set((eb) => ({
      unwritten: sql<number>`CASE WHEN unwritten > ${p.written} THEN unwritten - ${p.written} ELSE 0 END`,
      walking: eb.val(p.walking),
      walked: eb.val(p.walked),
    }))
    .where('id', '=', p.part),
)

export async function advanceMark(
  executor: Executor,
  part: number,
  progress: { readonly written: number; readonly walking: QueuedStatus; readonly walked: number },
): Promise<void> {
  await executor.all(advance, { part, ...progress })
}

const ofTaking = statement<object, { relayer_id: RelayerId }>((db) =>
  db.selectFrom('bulk_parts').select('relayer_id').where(isTaking).orderBy('relayer_id'),
)

export async function listBulksUnderWay(executor: Executor): Promise<readonly RelayerId[]> {
  return (await executor.all(ofTaking, {})).map((row) => row.relayer_id)
}

export const isWaiting = sql<boolean>`state = ${waiting}`
