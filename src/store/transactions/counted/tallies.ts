// The number of transactions per status, and the bytes of the pending ones, written with each change: reading them takes constant time.
// The figures of five minutes and of days are written with them.
import { sql } from 'kysely'
import type { FigureChange } from '../../../domain/figures.ts'
import type { RelayerId } from '../../../domain/ids.ts'
import { pendingStatuses, type Status, statuses } from '../../../domain/transaction.ts'
import type { Tallied } from '../../access-tables.ts'
import { type Deferred, together } from '../../deferred.ts'
import { lastSequence } from '../../relayers/last-sequence.ts'
import { type DialectName, type Executor, statement } from '../../statement.ts'
import type { PendingOfRelayer } from '../../store.ts'
import { type Json, recordOf, toJson } from '../../values.ts'
import { type BulkChange, openBulkSheet } from './bulk-sheet.ts'
import { openSpendSheet, type SpendChange } from './daily-spend.ts'
import { openFigureSheet } from './figures.ts'
import { partsOf, type TallyChanges } from './tally-changes.ts'

/** The changes of a commit's units. A unit's changes count only if the unit succeeds; a commit writes them once. */
export interface Tallies extends Deferred {
  count(relayerId: RelayerId, status: Tallied, change: number): void
  /** Adds to the figures of five minutes. */
  addFigures(relayerId: RelayerId, changes: readonly FigureChange[]): void
  /** Adds to the sums of a day. */
  addSpend(change: SpendChange): void
  /** Adds to the counts of a bulk cancellation. */
  addBulk(change: BulkChange): void
  /** The change by this unit and by earlier units of the commit. */
  changeOf(relayerId: RelayerId, status: Tallied): number
}

interface Change {
  readonly relayerId: RelayerId
  readonly status: Tallied
  readonly change: number
}

type Changes = Map<RelayerId, Map<Tallied, number>>

/** The tallies of a commit. With `appended`, relayers that are locked append their changes. */
export function openTallies(executor: Executor, appended?: TallyChanges): Tallies {
  const figures = openFigureSheet(executor)
  const spends = openSpendSheet(executor)
  const bulks = openBulkSheet(executor)
  const sheets = together(figures, spends, bulks)
  let kept: Changes = new Map()
  let counted: Change[] = []

  return {
    count(relayerId, status, change) {
      counted.push({ relayerId, status, change })
    },
    addFigures(relayerId, changes) {
      for (const change of changes) figures.add({ relayerId, change })
    },
    addSpend: spends.add,
    addBulk: bulks.add,
    changeOf(relayerId, status) {
      let sum = kept.get(relayerId)?.get(status) ?? 0
      for (const each of counted) if (each.status === status && each.relayerId === relayerId) sum += each.change
      return sum
    },
    keep() {
      for (const { relayerId, status, change } of counted) addTo(kept, relayerId, status, change)
      counted = []
      sheets.keep()
    },
    forget() {
      counted = []
      sheets.forget()
    },
    reset() {
      kept = new Map()
      counted = []
      sheets.reset()
    },
    async write() {
      const changes = kept
      kept = new Map()
      const added: Change[] = []
      for (const [relayerId, byStatus] of changes) {
        for (const [status, change] of byStatus) {
          if (change === 0 || (await appended?.append(relayerId, status, change))) continue
          added.push({ relayerId, status, change })
        }
      }
      if (added.length > 0) await executor.all(add, { changes: toJson(added) })
      await sheets.write()
      await appended?.foldMany()
    },
  }
}

function addTo(changes: Changes, relayerId: RelayerId, status: Tallied, change: number): void {
  const known = changes.get(relayerId)
  if (known) known.set(status, (known.get(status) ?? 0) + change)
  else changes.set(relayerId, new Map([[status, change]]))
}

const add = statement<{ changes: Json<readonly Change[]> }>((db, p, dialect) =>
  db
    .insertInto('tallies')
    .columns(['relayer_id', 'status', 'count'])
    .expression(
      db
        .selectFrom(
          dialect === 'postgres'
            ? sql<Change>`json_to_recordset(CAST(${p.changes} AS json))`.as<'given'>(
                sql`given ("relayerId" text, status text, change bigint)`,
              )
            : sql<Change>`(SELECT value ->> 'relayerId' AS "relayerId", value ->> 'status' AS status, value ->> 'change' AS change
                FROM json_each(${p.changes}))`.as('given'),
        )
        .select(['relayerId', 'status', 'change'])
        // SQLite reads the ON of an upsert as that of a join without it.
        .where(sql<boolean>`true`),
    )
    .onConflict((conflict) =>
      conflict.columns(['relayer_id', 'status']).doUpdateSet({ count: sql`tallies.count + excluded.count` }),
    ),
)

/** The transactions of a relayer, and the bytes of the pending ones. */
export type Counts = Readonly<Record<Tallied, number>>

const queued: Status = 'pending'

interface Tally {
  readonly status: Tallied
  readonly count: number
}

type Part = Tally & { readonly relayer_id: RelayerId }

const sum = sql<number>`CAST(SUM(count) AS BIGINT)`.as('count')

const ofRelayer = statement<{ relayerId: RelayerId }, Tally>((db, p, dialect) =>
  db.selectFrom(partsOf(p.relayerId, dialect).as('parts')).select(['status', sum]).groupBy('status'),
)

export async function countByStatus(executor: Executor, relayerId: RelayerId): Promise<Counts> {
  return countsIn(await executor.all(ofRelayer, { relayerId }))
}

function countsIn(tallies: readonly Tally[]): Counts {
  const counts = recordOf([...statuses, 'bytes'] as const, () => 0)
  for (const { status, count } of tallies) counts[status] += count
  return counts
}

/** The number of pending transactions as this unit sees it, including unwritten changes of its commit. */
export async function countPending(executor: Executor, tallies: Tallies, relayerId: RelayerId): Promise<number> {
  return pendingAmong(await countByStatus(executor, relayerId), tallies, relayerId)
}

/** `counts` are the tallies before the commit. */
export function pendingAmong(counts: Counts, tallies: Tallies, relayerId: RelayerId): number {
  return pendingStatuses.reduce((sum, status) => sum + counts[status] + tallies.changeOf(relayerId, status), 0)
}

/** Of relayers that were deleted none is pending. */
const partsOfAll = (dialect: DialectName) =>
  dialect === 'postgres'
    ? sql<Part>`(SELECT id AS relayer_id, status, count FROM relayers CROSS JOIN LATERAL ${partsOf(sql.ref('relayers.id'), dialect)} AS parts)`
    : sql<Part>`(SELECT relayer_id, status, count FROM tallies)`

const sumOf = (condition: unknown) => sql<number>`CAST(SUM(CASE WHEN ${condition} THEN count ELSE 0 END) AS BIGINT)`

const pendingOfEach = statement<object, PendingOfRelayer>((db, _, dialect) =>
  db
    .selectFrom(partsOfAll(dialect).as<'parts'>('parts'))
    .select([
      'relayer_id as relayerId',
      sumOf(sql`status <> 'bytes'`).as('count'),
      sumOf(sql`status = 'bytes'`).as('bytes'),
    ])
    .where('status', 'in', [...pendingStatuses, 'bytes'])
    .groupBy('relayer_id'),
)

export function countPendingOfEach(executor: Executor): Promise<readonly PendingOfRelayer[]> {
  return executor.all(pendingOfEach, {})
}

const backlogs = statement<object, { id: RelayerId; last: number }>((db, _, dialect) =>
  dialect === 'postgres'
    ? db
        .selectFrom('relayers')
        .innerJoinLateral(partsOf(sql.ref('relayers.id'), dialect).as('parts'), (join) => join.onTrue())
        .select(['relayers.id', lastSequence(dialect).as('last')])
        .where('parts.status', '=', queued)
        .groupBy('relayers.id')
        .having(sql<boolean>`SUM(count) > 0`)
    : db
        .selectFrom('tallies')
        .innerJoin('relayers', 'relayers.id', 'tallies.relayer_id')
        .select(['relayers.id', lastSequence(dialect).as('last')])
        .where('tallies.status', '=', queued)
        .where('tallies.count', '>', 0),
)

export async function findBacklogs(executor: Executor): Promise<ReadonlyMap<RelayerId, number>> {
  const rows = await executor.all(backlogs, {})
  return new Map(rows.map((row) => [row.id, row.last]))
}
