// Up to which id all events are there. Ids are given while transactions run, and those end in any order: one that runs
// still may bring an id that is lower than some that are seen already.

import { sql } from 'kysely'
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

// Of the others: what a unit itself has written is not in doubt for it.
const oldestRunning = statement<object, { at: string }>((db) =>
  db.selectNoFrom(
    sql<string>`CAST(COALESCE(
      (SELECT x FROM pg_snapshot_xip(pg_current_snapshot()) AS x ORDER BY x LIMIT 1),
      pg_snapshot_xmax(pg_current_snapshot())) AS TEXT)`.as('at'),
  ),
)

/** Ids up to `id` were given before the transaction `at` began. */
interface Mark {
  readonly id: number
  readonly at: bigint
}

/** Under load a mark a read is not needed: the oldest settles first. */
const marksMax = 256

export interface SettledEvents {
  /** As seen by `executor`: 0 before the first event. */
  read(executor: Executor): Promise<number>
}

/** `outside` runs each statement in a transaction of its own. */
export function openSettledEvents(outside: Executor): SettledEvents {
  let settled = 0
  let marked = 0
  let marks: Mark[] = []

  async function setMark(id: number): Promise<void> {
    const at = await first(outside, mark, {})
    if (at && marks.length < marksMax) marks.push({ id, at: BigInt(at.at) })
  }

  return {
    async read(executor) {
      const id = (await first(outside, newestGiven, {}))?.id ?? 0
      if (id > marked && marks.length < marksMax) {
        marked = id
        await setMark(id)
      }
      if (marks.length === 0) return settled
      const running = BigInt((await first(executor, oldestRunning, {}))?.at ?? 0)
      for (const each of marks) if (each.at < running) settled = Math.max(settled, each.id)
      marks = marks.filter((each) => each.at >= running)
      return settled
    },
  }
}
