// The number of transactions per status, written with each change: reading it takes constant time.
import { sql } from 'kysely'
import type { RelayerId } from '../../domain/ids.ts'
import { pendingStatuses, type Status, statuses } from '../../domain/transaction.ts'
import type { Deferred } from '../deferred.ts'
import { inLists } from '../in-lists.ts'
import { type Executor, statement } from '../statement.ts'

/** The changes of a commit's units. A unit's share counts only if the unit succeeds; a commit writes them once. */
export interface Tallies extends Deferred {
  count(relayerId: RelayerId, status: Status, change: number): void
  /** The change by this unit and by earlier units of the commit. */
  changeOf(relayerId: RelayerId, status: Status): number
}

type Counts = Map<RelayerId, Map<Status, number>>

export function openTallies(executor: Executor): Tallies {
  let kept: Counts = new Map()
  let counted: Counts = new Map()

  return {
    count: (relayerId, status, change) => addTo(counted, relayerId, status, change),
    changeOf: (relayerId, status) =>
      (kept.get(relayerId)?.get(status) ?? 0) + (counted.get(relayerId)?.get(status) ?? 0),
    keep() {
      for (const [relayerId, status, change] of entriesOf(counted)) addTo(kept, relayerId, status, change)
      counted = new Map()
    },
    forget() {
      counted = new Map()
    },
    reset() {
      kept = new Map()
      counted = new Map()
    },
    async write() {
      const changes = entriesOf(kept)
      kept = new Map()
      for (const [relayerId, status, change] of changes) {
        if (change !== 0) await executor.all(add, { relayerId, status, change })
      }
    },
  }
}

function addTo(counts: Counts, relayerId: RelayerId, status: Status, change: number): void {
  const known = counts.get(relayerId)
  if (known) known.set(status, (known.get(status) ?? 0) + change)
  else counts.set(relayerId, new Map([[status, change]]))
}

function entriesOf(counts: Counts): [RelayerId, Status, number][] {
  return [...counts].flatMap(([relayerId, byStatus]) =>
    [...byStatus].map(([status, change]): [RelayerId, Status, number] => [relayerId, status, change]),
  )
}

const add = inLists(
  statement<{ relayerId: RelayerId; status: Status; change: number }>((db, p) =>
    db
      .insertInto('tallies')
      .values({ relayer_id: p.relayerId, status: p.status, count: p.change })
      .onConflict((conflict) =>
        conflict.columns(['relayer_id', 'status']).doUpdateSet({ count: sql`tallies.count + excluded.count` }),
      ),
  ),
  { relayerId: 'text', status: 'text', change: 'bigint' },
  (given) => `INSERT INTO tallies (relayer_id, status, count) SELECT * FROM ${given}
    ON CONFLICT (relayer_id, status) DO UPDATE SET count = tallies.count + excluded.count`,
)

const ofRelayer = statement<{ relayerId: RelayerId }, { status: Status; count: number }>((db, p) =>
  db.selectFrom('tallies').select(['status', 'count']).where('relayer_id', '=', p.relayerId),
)

export async function countByStatus(executor: Executor, relayerId: RelayerId): Promise<Record<Status, number>> {
  // One count for every status.
  const counts = Object.fromEntries(statuses.map((status) => [status, 0])) as Record<Status, number>
  for (const row of await executor.all(ofRelayer, { relayerId })) counts[row.status] = row.count
  return counts
}

/** As this unit sees it, including unwritten changes of its commit. */
export async function countPending(executor: Executor, tallies: Tallies, relayerId: RelayerId): Promise<number> {
  return pendingAmong(await countByStatus(executor, relayerId), tallies, relayerId)
}

/** `counts` are the tallies before the commit. */
export function pendingAmong(counts: Readonly<Record<Status, number>>, tallies: Tallies, relayerId: RelayerId): number {
  return pendingStatuses.reduce((sum, status) => sum + counts[status] + tallies.changeOf(relayerId, status), 0)
}

const backlogs = statement<object, { id: RelayerId; last_sequence: number }>((db) =>
  db
    .selectFrom('tallies')
    .innerJoin('relayers', 'relayers.id', 'tallies.relayer_id')
    .select(['relayers.id', 'relayers.last_sequence'])
    .where('tallies.status', '=', 'pending')
    .where('tallies.count', '>', 0),
)

export async function findBacklogs(executor: Executor): Promise<ReadonlyMap<RelayerId, number>> {
  const rows = await executor.all(backlogs, {})
  return new Map(rows.map((row) => [row.id, row.last_sequence]))
}
