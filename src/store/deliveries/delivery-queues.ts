// The queues of deliveries: one owner at a time works each off, in order within a transaction, and loses none.

import { sql } from 'kysely'
import { type Due, retryMaxMs } from '../../domain/delivery.ts'
import type { TransactionId } from '../../domain/ids.ts'
import type { TimestampMs } from '../../domain/units.ts'
import { newestEvent } from '../events/read-events.ts'
import { type Executor, first, statement } from '../statement.ts'
import type { QueueAdvance } from '../store.ts'
import { enqueueDeliveries, freeDeliveries, makeDue, settleDelivery } from './deliveries.ts'

/** Events taken over at once. */
const takenAtOnce = 500
/** Deliveries that wait, of one queue: beyond them events wait in the outbox. */
const waitingMax = 100_000

interface Named {
  notificationId: string
}

/** From the moment that a relayer names it: no event from then on is passed over, and none from before is told. */
const open = statement<Named & { position: number }>((db, p) =>
  db
    .insertInto('delivery_queues')
    .values({ notification_id: p.notificationId, position: p.position, waiting: 0, leased_by: null, leased_until: 0 })
    .onConflict((conflict) => conflict.column('notification_id').doNothing()),
)

/** The clock by which somebody's lease lasts beyond `believed` is wrong: who leased may be gone long since. */
const lease = statement<
  Named & { owner: string; now: number; until: number; believed: number },
  { position: number; waiting: number }
>((db, p) =>
  db
    .updateTable('delivery_queues')
    .set({ leased_by: p.owner, leased_until: p.until })
    .where('notification_id', '=', p.notificationId)
    .where((eb) =>
      eb.or([eb('leased_by', '=', p.owner), eb('leased_until', '<=', p.now), eb('leased_until', '>', p.believed)]),
    )
    .returning(['position', 'waiting']),
)

const stands = statement<Named, { position: number; waiting: number }>((db, p) =>
  db.selectFrom('delivery_queues').select(['position', 'waiting']).where('notification_id', '=', p.notificationId),
)

const moved = statement<Named & { position: number; waiting: number }>((db, p) =>
  db
    .updateTable('delivery_queues')
    .set({ position: p.position, waiting: p.waiting })
    .where('notification_id', '=', p.notificationId),
)

const toTake = statement<
  Named & { position: number; newest: number; limit: number },
  { id: number; transaction_id: TransactionId }
>((db, p) =>
  db
    .selectFrom('outbox')
    .select(['id', 'transaction_id'])
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
  await executor.all(open, { notificationId, position: await newestEvent(executor) })
}

/** The notifications that have something to be delivered now. */
export async function queuesToDo(executor: Executor, now: TimestampMs): Promise<readonly string[]> {
  const rows = await executor.all(toDo, { now, believed: now + retryMaxMs, newest: await newestEvent(executor) })
  return rows.map((row) => row.notification_id)
}

/** Whether the queue has something to be delivered beside what is `busy`. */
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
 * One advance of a queue: takes the lease or renews it, records what came of tries, takes events over, and answers what is
 * to be tried next. Undefined when the queue is somebody else's: then nothing was recorded. The update of the queue's row
 * comes first and locks it, so that of two who believe that it is theirs one waits for the other, and sees what it did.
 */
export async function advanceQueue(executor: Executor, advance: QueueAdvance): Promise<readonly Due[] | undefined> {
  const { notificationId, owner, now, leaseMs, leaseBelievedMs, tried, busy, room } = advance
  const parameters = { notificationId, owner, now, until: now + leaseMs, believed: now + leaseBelievedMs }
  const leased = await first(executor, lease, parameters)
  if (!leased) return undefined
  await makeDue(executor, notificationId, now)
  let { position, waiting } = leased
  for (const each of tried) waiting -= await settleDelivery(executor, notificationId, each, now)
  let next = await freeDeliveries(executor, notificationId, now, busy, room)
  if (next.length < room && waiting < waitingMax) {
    const newest = await newestEvent(executor)
    const events = await executor.all(toTake, { notificationId, position, newest, limit: takenAtOnce })
    for (const { id, transaction_id: transactionId } of events) {
      await enqueueDeliveries(executor, notificationId, { eventId: id, transactionId }, now)
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
