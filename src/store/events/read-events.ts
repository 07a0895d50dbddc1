// Reading the outbox: events in the order of commits, each with its transaction as it stood then.
import type { Selectable } from 'kysely'
import { type EventSubject, lookedThen, type TransactionEvent } from '../../domain/event.ts'
import type { Hash, TransactionId } from '../../domain/ids.ts'
import type { OutboxTable } from '../schema.ts'
import { type Executor, first, statement } from '../statement.ts'
import type { EventWindow } from '../store.ts'
import { type AttemptRow, attemptFromRow } from '../transactions/attempt-row.ts'
import { findTransaction } from '../transactions/find-transaction.ts'

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
    // None was shown: the first of the nonce says that there was one.
    .where((eb) => eb.or([eb('hash', '=', p.hash), eb('position', '=', 0)]))
    .orderBy('position', 'desc')
    .limit(1),
)

/**
 * The newest event that has no older one still to come: whoever has read up to it has missed nothing, now or later.
 *
 * Ids rise in the order of commits where one writer gives them, as on SQLite. Where several transactions write at once they
 * do not, and the executor tells (see postgres/settled-events.ts). Every reader of the outbox, streams, queues and pruning
 * alike, goes by this function.
 */
export async function newestEvent(executor: Executor): Promise<number> {
  if (executor.settledEvent) return executor.settledEvent()
  return (await first(executor, newest, {}))?.id ?? (await prunedThrough(executor))
}

/** Events up to it are no longer all there; 0 while all are. */
export async function prunedThrough(executor: Executor): Promise<number> {
  return (await first(executor, pruned, {}))?.through ?? 0
}

/** Looks at `limit` events after `after`, and answers those that are `wanted`. */
export async function eventsAfter(
  executor: Executor,
  after: number,
  limit: number,
  wanted: (subject: EventSubject) => boolean,
): Promise<EventWindow> {
  const rows = await executor.all(windowAfter, { after, newest: await newestEvent(executor), limit })
  const events: TransactionEvent[] = []
  for (const row of rows) {
    if (!wanted({ relayerId: row.relayer_id, transactionId: row.transaction_id })) continue
    const event = await eventFromRow(executor, row)
    if (event) events.push(event)
  }
  return { events, through: rows.at(-1)?.id ?? after }
}

export async function findEvent(executor: Executor, id: number): Promise<TransactionEvent | undefined> {
  const row = await first(executor, byId, { id })
  return row && eventFromRow(executor, row)
}

async function eventFromRow(executor: Executor, row: OutboxRow): Promise<TransactionEvent | undefined> {
  const { transaction_id: id, nonce, hash } = row
  const transaction = await findTransaction(executor, row.relayer_id, id)
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
    transaction: terminal ? transaction : lookedThen(transaction, then, shown && attemptFromRow(shown)),
  }
}
