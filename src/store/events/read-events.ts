// Reads the outbox: events in the order of commits, each with its transaction as it was then.
import type { Selectable } from 'kysely'
import { type AttentionEvent, attentionSeen, type ShownAttention } from '../../domain/attention.ts'
import type { BulkPart } from '../../domain/bulk-cancellation.ts'
import { type BulkEvent, bulkEventSeen } from '../../domain/bulk-event.ts'
import { RescindError } from '../../domain/errors.ts'
import {
  type EventKind,
  type EventSubject,
  lookedThen,
  type StoredEvent,
  type TransactionEvent,
} from '../../domain/event.ts'
import type { BulkId, Hash, RelayerId, TransactionId } from '../../domain/ids.ts'
import type { EventSearch, SparseWindow } from '../list-port.ts'
import type { OutboxTable } from '../schema.ts'
import { type Executor, first, type QueryBuilder, statement } from '../statement.ts'
import type { EventWindow } from '../store.ts'
import { findBulk } from '../transactions/bulk/bulk-rows.ts'
import { type AttemptRow, attemptFromRow } from '../transactions/rows/attempt-row.ts'
import { findTransaction } from '../transactions/rows/find-transaction.ts'
import { findLabels } from '../transactions/written/labels.ts'
import { fromJson, type Json } from '../values.ts'

type OutboxRow = Selectable<OutboxTable>

interface Window {
  after: number
  newest: number
  limit: number
}

const rowsAfter = (db: QueryBuilder, p: Readonly<Window>) =>
  db.selectFrom('outbox').where('id', '>', p.after).where('id', '<=', p.newest).orderBy('id').limit(p.limit)

const windowAfter = statement<Window, OutboxRow>((db, p) => rowsAfter(db, p).selectAll())

const subjectsAfter = statement<Window, Subject & { id: number }>((db, p) =>
  rowsAfter(db, p).select(['id', 'relayer_id', 'transaction_id', 'kind']),
)

const byId = statement<{ id: number }, OutboxRow>((db, p) => db.selectFrom('outbox').selectAll().where('id', '=', p.id))

const newest = statement<object, { id: number | null }>((db) =>
  db.selectFrom('outbox').select((eb) => eb.fn.max('id').as('id')),
)

const pruned = statement<object, { through: number }>((db) =>
  db.selectFrom('outbox_pruned').select('through').where('id', '=', 1),
)

const attemptShown = statement<{ id: TransactionId; nonce: number; hash: Hash | null }, AttemptRow>((db, p) =>
  db
    .selectFrom('attempts')
    .selectAll()
    .where('transaction_id', '=', p.id)
    .where('nonce', '=', p.nonce)
    // The event showed no attempt: the nonce's first attempt says that one existed.
    .where((eb) => eb.or([eb('hash', '=', p.hash), eb('position', '=', 0)]))
    .orderBy('position', 'desc')
    .limit(1),
)

/**
 * The newest event with no lower id still to be committed: a reader that has read up to it misses no event.
 *
 * A single writer, as on SQLite, assigns ids in the order of commits. Concurrent transactions do not, so their executor
 * returns the id (see postgres/settled-events.ts). Streams, queues and pruning all read up to this id.
 */
export async function newestEvent(executor: Executor): Promise<number> {
  if (executor.settledEvent) return executor.settledEvent()
  return (await first(executor, newest, {}))?.id ?? (await prunedThrough(executor))
}

/** Events up to this id may be pruned; 0 before the first pruning. */
export async function prunedThrough(executor: Executor): Promise<number> {
  return (await first(executor, pruned, {}))?.through ?? 0
}

/** A window ends with the event whose payloads go beyond this. */
const windowBytesMax = 256 * 1024
/** About so many of an object's event for each of its relayers. */
const partBytes = 64

/** Reads up to `limit` events after `after`, and returns those that are `wanted`. */
export async function eventsAfter(
  executor: Executor,
  after: number,
  limit: number,
  wanted: (subject: EventSubject) => boolean,
): Promise<EventWindow> {
  const newest = await newestEvent(executor)
  const rows = await executor.all(windowAfter, { after, newest, limit })
  await refuseLost(executor, after, rows[0]?.id ?? newest)
  const events: StoredEvent[] = []
  let bytes = 0
  for (const row of rows) {
    const event = mayBeWanted(row, wanted) ? await seenEvent(executor, row, wanted) : undefined
    if (!event) continue
    events.push(event)
    bytes += bytesOf(event)
    if (bytes > windowBytesMax) return { events, through: row.id }
  }
  return { events, through: rows.at(-1)?.id ?? Math.max(after, newest) }
}

function bytesOf(event: StoredEvent): number {
  if ('attention' in event) return event.attention.relayers.length * partBytes
  if ('bulk' in event) return event.bulk.parts.length * partBytes
  return 'transaction' in event ? event.transaction.payload.data.length : partBytes
}

/** The ids of a failover go on farther above the lost ones: a smaller step is no reason to look. */
const gapMin = 1_000

/** Throws EVENTS_GONE for a reader that has seen events that a failover lost: it has to read the transactions themselves. */
async function refuseLost(executor: Executor, after: number, next: number): Promise<void> {
  if (next - after < gapMin || !(await executor.isLostEvent?.(after))) return
  throw new RescindError('EVENTS_GONE', `a failover of the database lost event ${after}`)
}

/** Reads the subjects of `rows` events after `after`, and of those that are `wanted` the first `limit` as a whole. */
export async function searchEvents(
  executor: Executor,
  after: number,
  { rows, limit }: EventSearch,
  wanted: (subject: EventSubject) => boolean,
): Promise<SparseWindow> {
  const newest = await newestEvent(executor)
  const subjects = await executor.all(subjectsAfter, { after, newest, limit: rows })
  await refuseLost(executor, after, subjects[0]?.id ?? newest)
  const found: typeof subjects = []
  const events: StoredEvent[] = []
  for (const subject of subjects) {
    if (found.length === limit) break
    if (!mayBeWanted(subject, wanted)) continue
    const row = await first(executor, byId, { id: subject.id })
    const event = row && (await seenEvent(executor, row, wanted))
    // Of transactions, also an event that is gone since: its page is bounded by what it names.
    if (event || isOfTransaction(subject)) found.push(subject)
    if (event) events.push(event)
  }
  const isFull = found.length === limit
  const through = (isFull ? found : subjects).at(-1)?.id ?? Math.max(after, newest)
  return { events, through, mayBeFar: subjects.length === rows && !isFull }
}

/** The event for a reader that sees everything. Of the event for a notification: with its relayers alone. */
export async function findEvent(executor: Executor, id: number): Promise<StoredEvent | undefined> {
  const row = await first(executor, byId, { id })
  if (!row) return undefined
  if (row.attention !== null) return attentionFrom(row, row.attention)
  if (isTest(row)) return { id, occurredAt: row.occurred_at, notificationId: row.notification_id ?? '' }
  return isOfTransaction(row) ? eventFromRow(executor, row) : bulkEventFrom(executor, row, () => true)
}

type Wanted = (subject: EventSubject) => boolean
type Subject = Pick<OutboxRow, 'relayer_id' | 'transaction_id' | 'kind'>
interface OfTransaction {
  transaction_id: TransactionId
  kind: EventKind
}

/** Whether the event is of a bulk cancellation: then its `transaction_id` is the id of the object. */
function isOfBulk<R extends Subject>(row: R): row is R & { transaction_id: BulkId } {
  return row.kind === 'bulk' || row.kind === 'bulk_notice'
}

function isOfTransaction<R extends Subject>(row: R): row is R & OfTransaction {
  return !isOfBulk(row) && !isOfAttention(row) && !isTest(row)
}

function isTest(row: Subject): boolean {
  return row.kind === 'notification_test'
}

/** Whether the event is of a relayer, or of the nodes of a network. */
function isOfAttention(row: Subject): boolean {
  return row.kind === 'relayer_attention'
}

function attentionFrom({ id, occurred_at: occurredAt }: OutboxRow, shown: Json<ShownAttention>): AttentionEvent {
  return { id, occurredAt, attention: fromJson(shown) }
}

/**
 * Whether a reader may want the event. Of a bulk cancellation only its parts show it, and of a network's nodes its relayers. The event of
 * a bulk cancellation for a notification is in no stream, and neither is the test of one.
 */
function mayBeWanted(row: Subject, wanted: Wanted): boolean {
  if (isOfAttention(row)) return true
  if (isTest(row)) return false
  if (!isOfTransaction(row)) return row.kind === 'bulk'
  return wanted({ relayerId: row.relayer_id, transactionId: row.transaction_id })
}

/** Call it for a row that may be wanted. */
async function seenEvent(executor: Executor, row: OutboxRow, wanted: Wanted): Promise<StoredEvent | undefined> {
  if (row.attention !== null)
    return attentionSeen(attentionFrom(row, row.attention), (relayerId) => wanted({ relayerId }))
  if (isOfTransaction(row)) return eventFromRow(executor, row)
  return bulkEventFrom(executor, row, (relayerId) => wanted({ relayerId }))
}

async function bulkEventFrom(
  executor: Executor,
  row: OutboxRow,
  sees: (relayer: RelayerId) => boolean,
): Promise<BulkEvent | undefined> {
  const { id, occurred_at: occurredAt, kind, bulk_parts: stored } = row
  const bulk = isOfBulk(row) ? await findBulk(executor, row.transaction_id) : undefined
  if (stored === null || !bulk) return undefined
  const event = fromJson(stored)
  const isNotified = ({ number }: BulkPart) => event.changed.includes(number)
  const shown = kind === 'bulk_notice' ? { ...bulk, parts: bulk.parts.filter(isNotified) } : bulk
  return bulkEventSeen({ id, occurredAt, ...event }, shown, sees)
}

async function eventFromRow(executor: Executor, row: OutboxRow & OfTransaction): Promise<TransactionEvent | undefined> {
  const { transaction_id: id, nonce, hash } = row
  const [transaction, labels] = await Promise.all([
    findTransaction(executor, row.relayer_id, id),
    findLabels(executor, id),
  ])
  if (!transaction) return undefined
  const terminal = row.terminal === 1
  const shown = terminal || nonce === null ? undefined : await first(executor, attemptShown, { id, nonce, hash })
  const then = {
    ...(nonce !== null && { nonce }),
    ...(hash !== null && { hash }),
    revision: row.revision,
    ...(row.sent_at !== null && { sentAt: row.sent_at }),
    ...(row.status_reason !== null && { statusReason: row.status_reason }),
  }
  return {
    id: row.id,
    kind: row.kind,
    status: row.status,
    terminal,
    occurredAt: row.occurred_at,
    ...(row.confirmed_at !== null && { confirmedAt: row.confirmed_at }),
    ...(labels && { labels }),
    transaction: terminal ? transaction : lookedThen(transaction, then, shown && attemptFromRow(shown)),
  }
}
