// Gives up the events whose day is over, also those that the queue has not taken over: then a receiver that is down holds up
// neither the pruning of events nor the retention of transactions. A notification keeps a bounded number of dead letters.
import { sql } from 'kysely'
import { deliveredForMs, type GivenUp } from '../../domain/delivery.ts'
import type { EventSubjectId } from '../../domain/event.ts'
import type { TimestampMs } from '../../domain/units.ts'
import { dropPrunedAmong } from '../events/prune-events.ts'
import { newestEvent } from '../events/read-events.ts'
import type { EventRetention } from '../retention-port.ts'
import { type Executor, first, type QueryBuilder, statement } from '../statement.ts'
import { promoteFirst } from './deliveries.ts'
import { moved, toTake } from './delivery-queues.ts'

const isWaiting = sql<boolean>`state = 'waiting'`
export const isDead = sql<boolean>`state = 'dead'`

/** Events in one unit: it blocks the store no longer than some requests do. */
const givenUpAtOnce = 500
const droppedAtOnce = 1_000

/** For people: the receiver did not fail, it was never reached. */
const untried = 'the day of the event was over before its first try'

interface Named {
  notificationId: string
}

/**
 * The overdue queues, found by the queue's row, the first untaken event and the ends of two indexes: no count, however long a
 * queue is.
 */
const overdue = statement<
  { now: number; before: number; newest: number; keptMax: number },
  { notification_id: string }
>((db, p) => {
  const waiting = db
    .selectFrom('deliveries as d')
    .select('d.event_id')
    .where('d.notification_id', '=', sql.ref<string>('q.notification_id'))
    .where(isWaiting)
  const untaken = db
    .selectFrom('outbox as o')
    .select('o.occurred_at')
    .where('o.notification_id', '=', sql.ref<string>('q.notification_id'))
    .where('o.id', '>', sql.ref<number>('q.position'))
    .where('o.id', '<=', p.newest)
    .orderBy('o.id')
    .limit(1)
  const surplus = db
    .selectFrom('deliveries as d')
    .select('d.event_id')
    .where('d.notification_id', '=', sql.ref<string>('q.notification_id'))
    .where(isDead)
    .orderBy('d.event_id', 'desc')
    .limit(1)
    .offset(p.keptMax)
  return db
    .selectFrom('delivery_queues as q')
    .select('q.notification_id')
    .where((eb) =>
      eb.or([eb.exists(waiting.where('d.gives_up_at', '<=', p.now)), eb(untaken, '<=', p.before), eb.exists(surplus)]),
    )
})

/** Locks the queue's row, so that an advance by its owner comes before or after. */
const lock = statement<Named, { position: number; waiting: number }>((db, p) =>
  db
    .updateTable('delivery_queues')
    .set({ waiting: sql<number>`waiting` })
    .where('notification_id', '=', p.notificationId)
    .returning(['position', 'waiting']),
)

function waitingOf(db: QueryBuilder, { notificationId }: Named) {
  return db.selectFrom('deliveries').select('event_id').where('notification_id', '=', notificationId).where(isWaiting)
}

const bury = statement<Named & { now: number; limit: number; error: string }, { transaction_id: EventSubjectId }>(
  (db, p) =>
    db
      .updateTable('deliveries')
      .set({
        state: 'dead',
        due_at: null,
        gives_up_at: null,
        gave_up_at: p.now,
        last_error: sql<string>`COALESCE(last_error, ${p.error})`,
      })
      .where('notification_id', '=', p.notificationId)
      .where('event_id', 'in', waitingOf(db, p).where('gives_up_at', '<=', p.now).orderBy('gives_up_at').limit(p.limit))
      .returning('transaction_id'),
)

const buryUntaken = statement<Named & { after: number; through: number; now: number; error: string }>((db, p) =>
  db
    .insertInto('deliveries')
    .columns(['notification_id', 'event_id', 'transaction_id', 'state', 'tries', 'gave_up_at', 'last_error'])
    .expression((eb) =>
      eb
        .selectFrom('outbox')
        .select([
          'notification_id',
          'id',
          'transaction_id',
          sql<string>`'dead'`.as('state'),
          sql<number>`0`.as('tries'),
          sql<number>`CAST(${p.now} AS BIGINT)`.as('gave_up_at'),
          sql<string>`CAST(${p.error} AS TEXT)`.as('last_error'),
        ])
        .where('notification_id', '=', p.notificationId)
        .where('id', '>', p.after)
        .where('id', '<=', p.through),
    ),
)

/** The newest stay: of those a receiver that is back can still make something. */
const dropSurplus = statement<Named & { keptMax: number; limit: number }, { event_id: number }>((db, p) =>
  db
    .deleteFrom('deliveries')
    .where('notification_id', '=', p.notificationId)
    .where('event_id', 'in', (eb) =>
      eb
        .selectFrom('deliveries')
        .select('event_id')
        .where('notification_id', '=', p.notificationId)
        .where(isDead)
        .where('event_id', '<=', (inner) =>
          inner
            .selectFrom('deliveries')
            .select('event_id')
            .where('notification_id', '=', p.notificationId)
            .where(isDead)
            .orderBy('event_id', 'desc')
            .limit(1)
            .offset(p.keptMax),
        )
        .orderBy('event_id')
        .limit(p.limit),
    )
    .returning('event_id'),
)

/** The notifications with an event whose day is over, or with too many dead letters. */
export async function overdueQueues(
  executor: Executor,
  { deadLettersKeptMax: keptMax }: EventRetention,
  now: TimestampMs,
): Promise<readonly string[]> {
  const newest = await newestEvent(executor)
  const rows = await executor.all(overdue, { now, before: now - deliveredForMs, newest, keptMax })
  return rows.map((row) => row.notification_id)
}

/** Gives up a portion of the events whose day is over. There may be more until it changes nothing. */
export async function giveUpOverdue(
  executor: Executor,
  notificationId: string,
  { deadLettersKeptMax: keptMax }: EventRetention,
  now: TimestampMs,
): Promise<GivenUp> {
  const queue = await first(executor, lock, { notificationId })
  if (!queue) return { givenUp: 0, dropped: 0 }
  const buried = await executor.all(bury, { notificationId, now, limit: givenUpAtOnce, error: untried })
  for (const id of new Set(buried.map((row) => row.transaction_id))) {
    await promoteFirst(executor, notificationId, id, now)
  }
  const untaken = await buryPortion(executor, notificationId, queue.position, givenUpAtOnce - buried.length, now)
  if (buried.length + untaken.count > 0) {
    const waiting = queue.waiting - buried.length
    await executor.all(moved, { notificationId, position: untaken.through, waiting })
  }
  const dropped = await executor.all(dropSurplus, { notificationId, keptMax, limit: droppedAtOnce })
  await dropPrunedAmong(
    executor,
    dropped.map((row) => row.event_id),
  )
  return { givenUp: buried.length + untaken.count, dropped: dropped.length }
}

/** Gives up a portion of the events that the queue has not taken over, up to the first whose day is not over. */
async function buryPortion(
  executor: Executor,
  notificationId: string,
  position: number,
  limit: number,
  now: TimestampMs,
): Promise<{ readonly count: number; readonly through: number }> {
  const newest = await newestEvent(executor)
  const rows = limit > 0 ? await executor.all(toTake, { notificationId, position, newest, limit }) : []
  const young = rows.findIndex((row) => row.occurred_at > now - deliveredForMs)
  const old = young === -1 ? rows : rows.slice(0, young)
  const through = old.at(-1)?.id ?? position
  if (old.length > 0) await executor.all(buryUntaken, { notificationId, after: position, through, now, error: untried })
  return { count: old.length, through }
}
