// The id up to which all events are committed. Transactions take ids while they run, and end in any order: a running one may
// still commit an id below ids that are visible already.

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

// A new transaction id. A transaction that already took an event id has a lower transaction id, since it wrote before.
const mark = statement<object, { at: string }>((db) =>
  db.selectNoFrom(sql<string>`CAST(pg_current_xact_id() AS TEXT)`.as('at')),
)

/** The oldest running transaction of the whole server that matches `counts`, by its id `x`, or else the next to begin. */
function oldest(counts: RawBuilder<boolean>) {
  // As in a snapshot, without the caller's own transaction, whose events it sees.
  return statement<object, { at: string }>((db) =>
    db.selectNoFrom(
      sql<string>`CAST(COALESCE(
        (SELECT x FROM pg_snapshot_xip(pg_current_snapshot()) AS x WHERE ${counts} ORDER BY x LIMIT 1),
        pg_snapshot_xmax(pg_current_snapshot())) AS TEXT)`.as('at'),
    ),
  )
}

const oldestRunning = oldest(sql`TRUE`)

// A transaction that took an event id locks the outbox until it ends. Locks are read after the snapshot, and the status of
// each transaction after its locks. So a transaction counts while it releases its locks, and also if it ended in between:
// this snapshot does not see its rows.
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

/** Ids up to `id` were taken before the transaction `at` began. */
interface Mark {
  readonly id: number
  readonly at: bigint
  /** The time of the mark, in elapsed time. */
  readonly since: number
}

/** Most units end within this time. A longer transaction may have nothing to do with events, which is costly to find out. */
const runsLongMs = 100
/** Under load not every read needs a mark: the oldest settles first. */
const marksMax = 256

export interface SettledEvents {
  /** The id as seen by `executor`: 0 before the first event. */
  read(executor: Executor): Promise<number>
  /** The newest id that was given out, settled or not. */
  given(): Promise<number>
  /** Another server from now on, with no event up to `id` still to be committed. */
  restart(id: number): void
}

/** `outside` runs each statement in a transaction of its own. */
export function openSettledEvents(outside: Executor, clock: Pick<Clock, 'elapsed'>): SettledEvents {
  let settled = 0
  let marked = 0
  let marks: Mark[] = []

  async function given(): Promise<number> {
    return (await first(outside, newestGiven, {}))?.id ?? 0
  }

  /** Reads the highest id, and marks it if no mark covers it. */
  async function markGiven(): Promise<void> {
    const id = await given()
    if (id <= marked || marks.length >= marksMax) return
    const before = marked
    // Set first, so that concurrent reads make no second mark for the same id.
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
    given,
    restart(id) {
      // Transaction ids of the other server mean nothing here.
      marks = []
      settled = id
      marked = id
    },
    async read(executor) {
      try {
        await markGiven()
      } catch (error) {
        // A standby returns ids but can't make a mark. And a server may repeat transaction ids after a crash, so
        // that earlier marks would wait for transactions that came later.
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
