// Reads the outbox: events in the order of commits, each with its transaction as it was then.
import type { Selectable } from 'kysely'
import { RescindError } from '../../domain/errors.ts'
import { type EventSubject, lookedThen, type TransactionEvent } from '../../domain/event.ts'
import type { Hash, TransactionId } from '../../domain/ids.ts'
import type { EventSearch, SparseWindow } from '../event-search.ts'
import type { OutboxTable } from '../schema.ts'
import { type Executor, first, statement } from '../statement.ts'
import type { EventWindow } from '../store.ts'
import { type AttemptRow, attemptFromRow } from '../transactions/attempt-row.ts'
import { findTransaction } from '../transactions/find-transaction.ts'
import { findLabels } from '../transactions/labels.ts'

export type OutboxRow = Selectable<OutboxTable>

const windowAfter = statement<{ after: number; newest: number; limit: number }, OutboxRow>((db, p) =>
  db
    .selectFrom('outbox')
    .selectAll()
    .where('id', '>', p.after)
    .where('id', '<=', p.newest)
    .orderBy('id')
    .limit(p.limit),
)

const subjectsAfter = statement<
  { after: number; newest: number; limit: number },
  Pick<OutboxRow, 'id' | 'relayer_id' | 'transaction_id'>
>((db, p) =>
  db
    .selectFrom('outbox')
    .select(['id', 'relayer_id', 'transaction_id'])
    .where('id', '>', p.after)
    .where('id', '<=', p.newest)
    .orderBy('id')
    .limit(p.limit),
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
  const events: TransactionEvent[] = []
  let bytes = 0
  for (const row of rows) {
    if (!wanted({ relayerId: row.relayer_id, transactionId: row.transaction_id })) continue
    const event = await eventFromRow(executor, row)
    if (!event) continue
    events.push(event)
    bytes += event.transaction.payload.data.length
    if (bytes > windowBytesMax) return { events, through: row.id }
  }
  return { events, through: rows.at(-1)?.id ?? Math.max(after, newest) }
}

/** The ids of a failover go on so far above the lost ones. */
const gapMin = 2 ** 31

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
  const found = subjects
    .filter((row) => wanted({ relayerId: row.relayer_id, transactionId: row.transaction_id }))
    .slice(0, limit)
  const events: TransactionEvent[] = []
  for (const { id } of found) {
    const event = await findEvent(executor, id)
    if (event) events.push(event)
  }
  const isFull = found.length === limit
  const through = (isFull ? found : subjects).at(-1)?.id ?? Math.max(after, newest)
  return { events, through, mayBeFar: subjects.length === rows && !isFull }
}

export async function findEvent(executor: Executor, id: number): Promise<TransactionEvent | undefined> {
  const row = await first(executor, byId, { id })
  return row && eventFromRow(executor, row)
}

async function eventFromRow(executor: Executor, row: OutboxRow): Promise<TransactionEvent | undefined> {
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
