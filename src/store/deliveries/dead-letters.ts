// Dead letters: listed by pages, and requeued.

import { sql } from 'kysely'
import { type DeadLetter, deliveredForMs, type QueueCount } from '../../domain/delivery.ts'
import type { EventSubjectId } from '../../domain/event.ts'
import type { TimestampMs } from '../../domain/units.ts'
import { findEvent } from '../events/read-events.ts'
import type { Page, PageItem, PageRequest } from '../list-port.ts'
import { type Executor, first, statement } from '../statement.ts'
import { payloadBytes } from '../values.ts'
import { promoteFirst } from './deliveries.ts'
import { isDead } from './give-up.ts'

interface DeadRow {
  event_id: number
  tries: number
  first_tried_at: number | null
  gave_up_at: number
  last_error: string
  bytes: number | null
}

const page = statement<{ notificationId: string; limit: number; offset: number }, DeadRow>((db, p) =>
  db
    .selectFrom('deliveries')
    .select(['event_id', 'tries', 'first_tried_at', 'gave_up_at', 'last_error'])
    .select((eb) =>
      eb
        .selectFrom('transactions')
        .select(payloadBytes.as('bytes'))
        .whereRef('transactions.id', '=', 'deliveries.transaction_id')
        .as('bytes'),
    )
    .$castTo<DeadRow>()
    .where('notification_id', '=', p.notificationId)
    .where(isDead)
    .orderBy('event_id')
    .limit(p.limit)
    .offset(p.offset),
)

const known = statement<{ notificationId: string }, { notification_id: string }>((db, p) =>
  db.selectFrom('delivery_queues').select('notification_id').where('notification_id', '=', p.notificationId),
)

const queues = statement<object, { notification_id: string; waiting: number }>((db) =>
  db.selectFrom('delivery_queues as q').select(['q.notification_id', 'q.waiting']),
)

const oldest = statement<{ notificationId: string }, { gives_up_at: number | null }>((db, p) =>
  db
    .selectFrom('deliveries')
    .select((eb) => eb.fn.min('gives_up_at').as('gives_up_at'))
    .where('notification_id', '=', p.notificationId)
    .where('state', '=', 'waiting'),
)

const count = statement<{ notificationId: string }, { total: number }>((db, p) =>
  db
    .selectFrom('deliveries')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('notification_id', '=', p.notificationId)
    .where(isDead),
)

/** A larger count says no more, and a scrape must not wait for all rows. */
const countedMax = 10_000

const countBounded = statement<{ notificationId: string; max: number }, { total: number }>((db, p) =>
  db
    .selectFrom(
      db
        .selectFrom('deliveries')
        .select('event_id')
        .where('notification_id', '=', p.notificationId)
        .where(isDead)
        .limit(p.max)
        .as('bounded'),
    )
    .select((eb) => eb.fn.countAll<number>().as('total')),
)

/** Locks the queue's row, so that an advance by its owner comes before or after. */
const widen = statement<{ notificationId: string; by: number }>((db, p) =>
  db
    .updateTable('delivery_queues')
    .set({ waiting: sql<number>`waiting + ${p.by}` })
    .where('notification_id', '=', p.notificationId),
)

const revive = statement<
  { notificationId: string; from: number; to: number; limit: number; givesUpAt: number },
  { event_id: number; transaction_id: EventSubjectId }
>((db, p) =>
  db
    .updateTable('deliveries')
    .set({ state: 'waiting', due_at: null, tries: 0, first_tried_at: null, gave_up_at: null, gives_up_at: p.givesUpAt })
    .where('notification_id', '=', p.notificationId)
    .where('event_id', 'in', (eb) =>
      eb
        .selectFrom('deliveries')
        .select('event_id')
        .where('notification_id', '=', p.notificationId)
        .where('event_id', '>=', p.from)
        .where('event_id', '<=', p.to)
        .where(isDead)
        .orderBy('event_id')
        .limit(p.limit),
    )
    .returning(['event_id', 'transaction_id']),
)

/** A page of the dead letters; undefined for a notification that no relayer ever named. */
export async function listDeadLetters(
  executor: Executor,
  notificationId: string,
  { page: number, perPage }: PageRequest,
): Promise<Page<PageItem<DeadLetter>> | undefined> {
  if (!(await first(executor, known, { notificationId }))) return undefined
  const offset = (number - 1) * perPage
  const rows = await executor.all(page, { notificationId, limit: perPage, offset })
  const counted = await first(executor, count, { notificationId })
  return { items: rows.map((row) => itemOf(executor, row)), total: counted?.total ?? 0 }
}

function itemOf(executor: Executor, row: DeadRow): PageItem<DeadLetter> {
  return {
    bytes: row.bytes ?? 0,
    async read() {
      const event = await findEvent(executor, row.event_id)
      // It was requeued, delivered and removed since the page was read.
      if (!event) return undefined
      return {
        event,
        tries: row.tries,
        ...(row.first_tried_at !== null && { firstTriedAt: row.first_tried_at }),
        gaveUpAt: row.gave_up_at,
        lastError: row.last_error,
      }
    },
  }
}

export async function countQueues(executor: Executor): Promise<readonly QueueCount[]> {
  const counts: QueueCount[] = []
  for (const { notification_id: notificationId, waiting } of await executor.all(queues, {})) {
    const dead = await first(executor, countBounded, { notificationId, max: countedMax })
    const givesUpAt = (await first(executor, oldest, { notificationId }))?.gives_up_at ?? undefined
    const age = givesUpAt === undefined ? {} : { oldestAt: givesUpAt - deliveredForMs }
    counts.push({ notificationId, waiting, ...age, deadLetters: dead?.total ?? 0 })
  }
  return counts
}

/** Requeues up to `limit` dead letters of events `from` to `to`, lowest first. Returns how many. */
export async function redeliver(
  executor: Executor,
  notificationId: string,
  { from, to }: { from: number; to: number },
  limit: number,
  now: TimestampMs,
): Promise<number> {
  await executor.all(widen, { notificationId, by: 0 })
  const revived = await executor.all(revive, { notificationId, from, to, limit, givesUpAt: now + deliveredForMs })
  for (const { transaction_id: id } of revived) await promoteFirst(executor, notificationId, id, now)
  await executor.all(widen, { notificationId, by: revived.length })
  return revived.length
}
