// Prunes the outbox, oldest events first. Undelivered events stay, and so does the newest event.
import { sql } from 'kysely'
import type { TimestampMs } from '../../domain/units.ts'
import { isAmongNumbers } from '../in-lists.ts'
import type { EventRetention } from '../retention-port.ts'
import { type Executor, first, statement } from '../statement.ts'
import { type Json, toJson } from '../values.ts'
import { newestEvent, prunedThrough } from './read-events.ts'

/** Events in one unit: it blocks the store no longer than some requests do. */
const prunedAtOnce = 1_000

const undelivered = statement<object, { id: number | null }>((db) =>
  db.selectFrom('delivery_queues as q').select((eb) =>
    eb
      .selectFrom('outbox as o')
      .select((each) => each.fn.min('o.id').as('id'))
      .whereRef('o.notification_id', '=', 'q.notification_id')
      .whereRef('o.id', '>', 'q.position')
      .as('id'),
  ),
)

const firstAfter = statement<{ after: number }, { id: number; occurred_at: number }>((db, p) =>
  db.selectFrom('outbox').select(['id', 'occurred_at']).where('id', '>', p.after).orderBy('id').limit(1),
)

const lastUpTo = statement<{ id: number }, { id: number }>((db, p) =>
  db.selectFrom('outbox').select('id').where('id', '<=', p.id).orderBy('id', 'desc').limit(1),
)

/** Newest first. Failovers with no event in between are one gap. On PostgreSQL alone. */
const gapsBelow = statement<{ newest: number }, { through: number; above: number }>((db, p) =>
  db
    .selectFrom(
      sql<{
        through: number
        above: number
      }>`(SELECT max(through_id) AS through, above_id AS above FROM lost_events GROUP BY above_id)`.as('lost'),
    )
    .select(['lost.through', 'lost.above'])
    .where('lost.through', '<', p.newest)
    .orderBy('lost.through', 'desc'),
)

const firstKept = statement<{ after: number; through: number; keptFrom: number; since: number }, { id: number }>(
  (db, p) =>
    db
      .selectFrom('outbox')
      .select('id')
      .where('id', '>', p.after)
      .where('id', '<=', p.through)
      .where('id', '>=', p.keptFrom)
      .where('occurred_at', '>=', p.since)
      .orderBy('id')
      .limit(1),
)

/** A waiting delivery or a dead letter still needs its event. */
const isUnneeded = sql<boolean>`NOT EXISTS (SELECT event_id FROM deliveries WHERE event_id = outbox.id)`

const prune = statement<{ after: number; through: number }>((db, p) =>
  db.deleteFrom('outbox').where('id', '>', p.after).where('id', '<=', p.through).where(isUnneeded),
)

// Never falls: of two concurrent prunings the one that began earlier may end later.
const remember = statement<{ through: number }>((db, p) =>
  db
    .insertInto('outbox_pruned')
    .values({ id: 1, through: p.through })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({
        through: sql`CASE WHEN excluded.through > outbox_pruned.through THEN excluded.through ELSE outbox_pruned.through END`,
      }),
    ),
)

const forgetDead = statement<{ before: number; limit: number }, { event_id: number }>((db, p) =>
  db
    .deleteFrom('deliveries')
    .where('event_id', 'in', (eb) =>
      eb
        .selectFrom('deliveries')
        .select('event_id')
        .where('gave_up_at', 'is not', null)
        .where('gave_up_at', '<', p.before)
        .limit(p.limit),
    )
    .where('gave_up_at', 'is not', null)
    .where('gave_up_at', '<', p.before)
    .returning('event_id'),
)

/** When the oldest event occurred that pruning has not reached. */
export async function oldestEventAt(executor: Executor): Promise<TimestampMs | undefined> {
  return (await first(executor, firstAfter, { after: await prunedThrough(executor) }))?.occurred_at
}

/** Returns how many rows were deleted: until it is 0 there may be more. */
export async function pruneEvents(executor: Executor, retention: EventRetention, now: TimestampMs): Promise<number> {
  const dead = await executor.all(forgetDead, { before: now - retention.deadLettersKeptMs, limit: prunedAtOnce })
  for (const { event_id: id } of dead) await dropPruned(executor, id)
  const after = await prunedThrough(executor)
  // After a failover the settled id is far above the newest row, and stays so until the next event.
  const newest = await lastEventUpTo(executor, await newestEvent(executor))
  const waiting = (await executor.all(undelivered, {})).flatMap(({ id }) => (id === null ? [] : [id]))
  // Only where events are settled late can a failover skip ids.
  const maySkip = executor.settledEvent !== undefined
  const start = maySkip ? await startOfWork(executor, after) : after
  // Ids keep rising only while the newest row stays, and who has read it has read all.
  let through = Math.min(start + prunedAtOnce, newest - 1, ...waiting.map((id) => id - 1))
  const { eventsKeptMax: count } = retention
  const keptFrom = maySkip ? await oldestAmong(executor, newest, count) : newest - count + 1
  const kept = await first(executor, firstKept, { after, through, keptFrom, since: now - retention.eventsKeptMs })
  if (kept) through = kept.id - 1
  // A reader that has read the last pruned event misses none, however far the next one is.
  through = await lastEventUpTo(executor, through)
  if (through <= start) return dead.length
  await executor.all(prune, { after, through })
  await executor.all(remember, { through })
  return dead.length + through - start
}

async function lastEventUpTo(executor: Executor, id: number): Promise<number> {
  return (await first(executor, lastUpTo, { id }))?.id ?? 0
}

/** Ids that no event has are no work, however many they are. */
async function startOfWork(executor: Executor, after: number): Promise<number> {
  return Math.max(after, ((await first(executor, firstAfter, { after }))?.id ?? 0) - 1)
}

/** The id of the oldest of `count` events up to the newest, without the ids that a failover skipped. */
async function oldestAmong(executor: Executor, newest: number, count: number): Promise<number> {
  let oldest = newest - count + 1
  for (const { through, above } of await executor.all(gapsBelow, { newest }))
    if (oldest <= through) oldest -= through - above
  return oldest
}

const pruneAmong = statement<{ ids: Json<readonly number[]>; through: number }>((db, p, dialect) =>
  db
    .deleteFrom('outbox')
    .where('id', '<=', p.through)
    .where(isAmongNumbers('id', p.ids, dialect))
    .where(isUnneeded),
)

/** Deletes events as `dropPruned`, many at once. */
export async function dropPrunedAmong(executor: Executor, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await executor.all(pruneAmong, { ids: toJson(ids), through: await prunedThrough(executor) })
}

/** Deletes the event of a finished delivery if pruning left it only for that delivery. */
export async function dropPruned(executor: Executor, id: number): Promise<void> {
  if (id <= (await prunedThrough(executor))) await executor.all(prune, { after: id - 1, through: id })
}
