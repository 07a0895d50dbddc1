// Up to which id all events are there. Ids are given while transactions run, and those end in any order: one that runs
// still may bring an id that is lower than some that are seen already.

import { type RawBuilder, sql } from 'kysely'
import type { Clock } from '../../ops/clock.ts'
import { type Executor, first, statement } from '../statement.ts'

const newestGiven = statement<object, { id: number }>((db) =>
  db
    .selectFrom(
      sql<{ id: number }>`(SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS id FROM outbox_id_seq)`.as('given'),
    )
    .select('given.id'),
)

// A fresh id of a transaction: whichever took an id of an event before has a lower one, since it wrote before.
const mark = statement<object, { at: string }>((db) =>
  db.selectNoFrom(sql<string>`CAST(pg_current_xact_id() AS TEXT)`.as('at')),
)

/** The oldest transaction of the whole server for which `counts` is so, by its id `x`, or else the next that begins. */
function oldest(counts: RawBuilder<boolean>) {
  // As a snapshot has them, but the caller's own: what it has written is not in doubt for it.
  return statement<object, { at: string }>((db) =>
    db.selectNoFrom(
      sql<string>`CAST(COALESCE(
        (SELECT x FROM pg_snapshot_xip(pg_current_snapshot()) AS x WHERE ${counts} ORDER BY x LIMIT 1),
        pg_snapshot_xmax(pg_current_snapshot())) AS TEXT)`.as('at'),
    ),
  )
}

const oldestRunning = oldest(sql`TRUE`)

// Who has taken an id holds a lock on the outbox for as long as it runs. Locks are read after the snapshot was taken, and
// whether the others run still after their locks: one that is ending lets go of some before the others, and counts, as does
// one that ended in between. This snapshot does not see what they have written.
const oldestWriting = oldest(sql`
  CAST(x AS XID) NOT IN (
    WITH held AS MATERIALIZED (SELECT * FROM pg_locks WHERE granted)
    SELECT h.transactionid FROM held AS h
    WHERE h.locktype = 'transactionid' AND h.mode = 'ExclusiveLock' AND NOT EXISTS (
      SELECT 1 FROM held AS o
      WHERE o.virtualtransaction = h.virtualtransaction AND o.locktype = 'relation' AND o.mode = 'RowExclusiveLock'
        AND o.relation = CAST('outbox' AS REGCLASS)
        AND o.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    )
  ) OR pg_xact_status(x) <> 'in progress'`)

/** Ids up to `id` were given before the transaction `at` began. */
interface Mark {
  readonly id: number
  readonly at: bigint
  /** By the time that has passed. */
  readonly since: number
}

/** Units of work are over by then, most of them. Who runs for longer may have nothing to do with events: to know is dear. */
const runsLongMs = 100
/** Under load a mark a read is not needed: the oldest settles first. */
const marksMax = 256

export interface SettledEvents {
  /** As seen by `executor`: 0 before the first event. */
  read(executor: Executor): Promise<number>
}

/** `outside` runs each statement in a transaction of its own. */
export function openSettledEvents(outside: Executor, clock: Pick<Clock, 'elapsed'>): SettledEvents {
  let settled = 0
  let marked = 0
  let marks: Mark[] = []

  /** Which ids were given by now, with a mark for those that have none. */
  async function markGiven(): Promise<void> {
    const id = (await first(outside, newestGiven, {}))?.id ?? 0
    if (id <= marked || marks.length >= marksMax) return
    const before = marked
    // Reads beside this one need no mark of their own for it.
    marked = id
    const at = await first(outside, mark, {})
    if (at && marks.length < marksMax) marks.push({ id, at: BigInt(at.at), since: clock.elapsed() })
    else marked = Math.min(marked, before)
  }

  async function settleBefore(executor: Executor, since: typeof oldestRunning): Promise<void> {
    if (marks.length === 0) return
    const running = BigInt((await first(executor, since, {}))?.at ?? 0)
    for (const each of marks) if (each.at < running) settled = Math.max(settled, each.id)
    marks = marks.filter((each) => each.at >= running)
  }

  return {
    async read(executor) {
      try {
        await markGiven()
      } catch (error) {
        // A standby tells ids and takes no mark; and a server that comes after a crash may give ids of transactions again,
        // so that what was marked before it would wait for more of them.
        marks = []
        marked = settled
        throw error
      }
      await settleBefore(executor, oldestRunning)
      const [waiting] = marks
      if (waiting && clock.elapsed() - waiting.since >= runsLongMs) await settleBefore(executor, oldestWriting)
      return settled
    },
  }
}
