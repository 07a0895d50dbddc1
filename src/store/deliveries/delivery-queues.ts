// The delivery queues: one owner at a time delivers each queue, in order within a transaction, and loses no event.

import { sql } from 'kysely'
import { type Due, type FailingQueue, retryMaxMs, type Tried } from '../../domain/delivery.ts'
import type { EventSubjectId } from '../../domain/event.ts'
import type { TimestampMs } from '../../domain/units.ts'
import { newestEvent } from '../events/read-events.ts'
import { insertionOnce } from '../insert-rows.ts'
import { type Executor, first, statement } from '../statement.ts'
import type { QueueAdvance } from '../store.ts'
import { enqueueDeliveries, freeDeliveries, makeDue, settleDelivery } from './deliveries.ts'

/** Events that one advance takes from the outbox. */
const takenAtOnce = 500
/** Waiting deliveries of one queue; further events wait in the outbox. */
const waitingMax = 100_000

interface Named {
  notificationId: string
}

/** Opened when a relayer first names the notification: the queue delivers every later event, and no earlier one. */
const open = insertionOnce('delivery_queues', ['notification_id'], ['position', 'waiting', 'leased_until'])

/** A lease that lasts beyond `believed` was written by a wrong clock: its owner may be long gone. */
const lease = statement<
  Named & { owner: string; now: number; until: number; believed: number },
  { position: number; waiting: number; failing_since: number | null }
>((db, p) =>
  db
    .updateTable('delivery_queues')
    .set({ leased_by: p.owner, leased_until: p.until })
    .where('notification_id', '=', p.notificationId)
    .where((eb) =>
      eb.or([eb('leased_by', '=', p.owner), eb('leased_until', '<=', p.now), eb('leased_until', '>', p.believed)]),
    )
    .returning(['position', 'waiting', 'failing_since']),
)

const stands = statement<Named, { position: number; waiting: number }>((db, p) =>
  db.selectFrom('delivery_queues').select(['position', 'waiting']).where('notification_id', '=', p.notificationId),
)

export const moved = statement<Named & { position: number; waiting: number }>((db, p) =>
  db
    .updateTable('delivery_queues')
    .set({ position: p.position, waiting: p.waiting })
    .where('notification_id', '=', p.notificationId),
)

const marked = statement<Named & { since: number | null; error: string | null }>((db, p) =>
  db
    .updateTable('delivery_queues')
    .set({ failing_since: p.since, last_error: p.error })
    .where('notification_id', '=', p.notificationId),
)

const failing = statement<object, { notification_id: string; since: number; error: string }>((db) =>
  db
    .selectFrom('delivery_queues as q')
    .select(['q.notification_id', sql<number>`q.failing_since`.as('since'), sql<string>`q.last_error`.as('error')])
    .where('q.failing_since', 'is not', null),
)

/** The events that the queue has not taken over. */
export const toTake = statement<
  Named & { position: number; newest: number; limit: number },
  { id: number; transaction_id: EventSubjectId; occurred_at: number }
>((db, p) =>
  db
    .selectFrom('outbox')
    .select(['id', 'transaction_id', 'occurred_at'])
    .where('notification_id', '=', p.notificationId)
    .where('id', '>', p.position)
    .where('id', '<=', p.newest)
    .orderBy('id')
    .limit(p.limit),
)

const toDo = statement<{ now: number; believed: number; newest: number }, { notification_id: string }>((db, p) => {
  const ofQueue = db
    .selectFrom('deliveries as d')
    .select('d.event_id')
    .where('d.notification_id', '=', sql.ref<string>('q.notification_id'))
    .where('d.due_at', 'is not', null)
  return db
    .selectFrom('delivery_queues as q')
    .select('q.notification_id')
    .where((eb) =>
      eb.or([
        eb.exists(ofQueue.where('d.due_at', '<=', p.now)),
        eb.exists(ofQueue.where('d.due_at', '>', p.believed)),
        eb.exists(
          eb
            .selectFrom('outbox as o')
            .select('o.id')
            .whereRef('o.notification_id', '=', 'q.notification_id')
            .whereRef('o.id', '>', 'q.position')
            .where('o.id', '<=', p.newest),
        ),
      ]),
    )
})

export async function openQueue(executor: Executor, notificationId: string): Promise<void> {
  const position = await newestEvent(executor)
  await executor.all(open, { notification_id: notificationId, position, waiting: 0, leased_until: 0 })
}

/** The notifications that have a due delivery. */
export async function queuesToDo(executor: Executor, now: TimestampMs): Promise<readonly string[]> {
  const rows = await executor.all(toDo, { now, believed: now + retryMaxMs, newest: await newestEvent(executor) })
  return rows.map((row) => row.notification_id)
}

export async function failingQueues(executor: Executor): Promise<readonly FailingQueue[]> {
  const rows = await executor.all(failing, {})
  return rows.map(({ notification_id: notificationId, since, error }) => ({ notificationId, since, error }))
}

/** Marks the queue by the last of these results. */
async function markFailing(
  executor: Executor,
  notificationId: string,
  tried: readonly Tried[],
  since: TimestampMs | null,
  now: TimestampMs,
): Promise<void> {
  const last = tried.at(-1)
  if (!last || (last.result === 'delivered' && since === null)) return
  const mark = last.result === 'delivered' ? { since: null, error: null } : { since: since ?? now, error: last.error }
  await executor.all(marked, { notificationId, ...mark })
}

/** Whether the queue has a due delivery that is not `busy`. */
export async function moreToDo(
  executor: Executor,
  notificationId: string,
  busy: ReadonlySet<number>,
  now: TimestampMs,
): Promise<boolean> {
  if ((await freeDeliveries(executor, notificationId, now, busy, 1)).length > 0) return true
  const [queue] = await executor.all(stands, { notificationId })
  if (!queue || queue.waiting >= waitingMax) return false
  const newest = await newestEvent(executor)
  const next = await executor.all(toTake, { notificationId, position: queue.position, newest, limit: 1 })
  return next.length > 0
}

/**
 * One advance of a queue: takes or renews the lease, records the results of tries, takes events from the outbox, and returns
 * the deliveries to try next. Undefined when another replica owns the queue: nothing was recorded. Updating the queue's row
 * comes first and locks it: if two replicas believe that they own the queue, one waits and then sees the other's changes.
 */
export async function advanceQueue(executor: Executor, advance: QueueAdvance): Promise<readonly Due[] | undefined> {
  const { notificationId, owner, now, leaseMs, leaseBelievedMs, tried, busy, room } = advance
  const parameters = { notificationId, owner, now, until: now + leaseMs, believed: now + leaseBelievedMs }
  const leased = await first(executor, lease, parameters)
  if (!leased) return undefined
  await makeDue(executor, notificationId, now)
  let { position, waiting } = leased
  for (const each of tried) waiting -= await settleDelivery(executor, notificationId, each, now)
  await markFailing(executor, notificationId, tried, leased.failing_since, now)
  let next = await freeDeliveries(executor, notificationId, now, busy, room)
  if (next.length < room && waiting < waitingMax) {
    const newest = await newestEvent(executor)
    const events = await executor.all(toTake, { notificationId, position, newest, limit: takenAtOnce })
    for (const { id: eventId, transaction_id: transactionId, occurred_at: occurredAt } of events) {
      await enqueueDeliveries(executor, notificationId, { eventId, transactionId, occurredAt }, now)
    }
    position = events.at(-1)?.id ?? position
    waiting += events.length
    if (events.length > 0) next = await freeDeliveries(executor, notificationId, now, busy, room)
  }
  if (position !== leased.position || waiting !== leased.waiting) {
    await executor.all(moved, { notificationId, position, waiting })
  }
  return next
}
