// Deliveries: events on their way to a notification. Of each transaction only the first waiting delivery is due.

import { sql } from 'kysely'
import { type Due, deliveredForMs, retryMaxMs, type Tried } from '../../domain/delivery.ts'
import type { EventSubjectId } from '../../domain/event.ts'
import type { TimestampMs } from '../../domain/units.ts'
import { dropPruned } from '../events/prune-events.ts'
import type { DeliveryTable } from '../schema.ts'
import { type Executor, statement } from '../statement.ts'

interface Named {
  notificationId: string
}

const take = statement<Named & { eventId: number; transactionId: EventSubjectId; now: number; givesUpAt: number }>(
  (db, p) =>
    db.insertInto('deliveries').values({
      notification_id: p.notificationId,
      event_id: p.eventId,
      transaction_id: p.transactionId,
      state: 'waiting',
      due_at: sql<number | null>`CASE WHEN EXISTS (
        SELECT 1 FROM deliveries WHERE notification_id = ${p.notificationId} AND transaction_id = ${p.transactionId}
          AND state = 'waiting'
      ) THEN NULL ELSE CAST(${p.now} AS BIGINT) END`,
      tries: 0,
      first_tried_at: null,
      gave_up_at: null,
      last_error: null,
      gives_up_at: p.givesUpAt,
    }),
)

interface DueRow {
  event_id: number
  transaction_id: EventSubjectId
  tries: number
  gives_up_at: number
}

const due = statement<Named & { now: number; limit: number }, DueRow>((db, p) =>
  db
    .selectFrom('deliveries')
    .select(['event_id', 'transaction_id', 'tries', sql<number>`gives_up_at`.as('gives_up_at')])
    .where('notification_id', '=', p.notificationId)
    .where('due_at', 'is not', null)
    .where('due_at', '<=', p.now)
    .orderBy('due_at')
    .orderBy('event_id')
    .limit(p.limit),
)

/** A delivery due later than any retry was timed by a clock that was ahead: it is due now. */
const broughtForward = statement<Named & { now: number; believed: number }>((db, p) =>
  db
    .updateTable('deliveries')
    .set({ due_at: p.now })
    .where('notification_id', '=', p.notificationId)
    .where('due_at', 'is not', null)
    .where('due_at', '>', p.believed),
)

/** Removes the delivery of an event, also if it was given up during the try: then it waits no more. */
const delivered = statement<Named & { eventId: number }, Pick<DeliveryTable, 'state'>>((db, p) =>
  db
    .deleteFrom('deliveries')
    .where('notification_id', '=', p.notificationId)
    .where('event_id', '=', p.eventId)
    .returning('state'),
)

const failed = statement<
  Named & {
    eventId: number
    state: DeliveryTable['state']
    dueAt: number | null
    gaveUpAt: number | null
    givesUpAt: number | null
    error: string
    now: number
  },
  Pick<DeliveryTable, 'state'>
>((db, p) =>
  db
    .updateTable('deliveries')
    .set({
      state: p.state,
      due_at: p.dueAt,
      gave_up_at: p.gaveUpAt,
      gives_up_at: p.givesUpAt,
      tries: sql<number>`tries + 1`,
      first_tried_at: sql<number>`COALESCE(first_tried_at, CAST(${p.now} AS BIGINT))`,
      last_error: p.error,
    })
    .where('notification_id', '=', p.notificationId)
    .where('event_id', '=', p.eventId)
    .where('state', '=', 'waiting')
    .returning('state'),
)

/** Makes the first waiting delivery of a transaction due, if it is not. */
const promote = statement<Named & { subjectId: EventSubjectId; now: number }>((db, p) =>
  db
    .updateTable('deliveries')
    .set({ due_at: p.now })
    .where('notification_id', '=', p.notificationId)
    .where('event_id', '=', (eb) =>
      eb
        .selectFrom('deliveries')
        .select((each) => each.fn.min('event_id').as('event_id'))
        .where('notification_id', '=', p.notificationId)
        .where('transaction_id', '=', p.subjectId)
        .where('state', '=', 'waiting'),
    )
    .where('due_at', 'is', null),
)

export async function enqueueDeliveries(
  executor: Executor,
  notificationId: string,
  { occurredAt, ...event }: { eventId: number; transactionId: EventSubjectId; occurredAt: TimestampMs },
  now: TimestampMs,
): Promise<void> {
  await executor.all(take, { notificationId, ...event, now, givesUpAt: occurredAt + deliveredForMs })
}

export async function makeDue(executor: Executor, notificationId: string, now: TimestampMs): Promise<void> {
  await executor.all(broughtForward, { notificationId, now, believed: now + retryMaxMs })
}

/** Due deliveries that are not `busy`, the earliest due first. */
export async function freeDeliveries(
  executor: Executor,
  notificationId: string,
  now: TimestampMs,
  busy: ReadonlySet<number>,
  room: number,
): Promise<readonly Due[]> {
  if (room <= 0) return []
  // A delivery that is being tried stays due until its result is recorded, so that a crash loses none.
  const rows = await executor.all(due, { notificationId, now, limit: room + busy.size })
  return rows
    .filter((row) => !busy.has(row.event_id))
    .slice(0, room)
    .map((row) => ({
      eventId: row.event_id,
      subjectId: row.transaction_id,
      tries: row.tries,
      givesUpAt: row.gives_up_at,
    }))
}

/** Records the result of a try. Returns by how much the number of waiting deliveries falls. */
export async function settleDelivery(
  executor: Executor,
  notificationId: string,
  tried: Tried,
  now: TimestampMs,
): Promise<number> {
  const { eventId, subjectId, givesUpAt } = tried.due
  if (tried.result === 'failed') {
    const again = { state: 'waiting', dueAt: tried.dueAt, gaveUpAt: null, givesUpAt } as const
    await executor.all(failed, { notificationId, eventId, ...again, error: tried.error, now })
    return 0
  }
  let ended: readonly Pick<DeliveryTable, 'state'>[]
  if (tried.result === 'delivered') {
    ended = await executor.all(delivered, { notificationId, eventId })
    await dropPruned(executor, eventId)
  } else {
    const dead = { state: 'dead', dueAt: null, gaveUpAt: now, givesUpAt: null } as const
    ended = await executor.all(failed, { notificationId, eventId, ...dead, error: tried.error, now })
  }
  await promoteFirst(executor, notificationId, subjectId, now)
  // An event that was given up during the try did not wait any more.
  return ended.filter(({ state }) => tried.result === 'dead' || state === 'waiting').length
}

/** Called after a delivery of the transaction was requeued. */
export async function promoteFirst(
  executor: Executor,
  notificationId: string,
  subjectId: EventSubjectId,
  now: TimestampMs,
): Promise<void> {
  await executor.all(promote, { notificationId, subjectId, now })
}
