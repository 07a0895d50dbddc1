// On PostgreSQL a commit that holds a relayer's lock appends the changes of its tallies, and every few dozen commits one folds them
// into the tallies. A row that each commit changed would leave an old version each time, and while a snapshot is open each read would
// pass over all of them. Folded changes lie before `through`, where no read looks.
import { type RawBuilder, sql } from 'kysely'
import type { RelayerId } from '../../../domain/ids.ts'
import type { Tallied } from '../../access-tables.ts'
import { listedInsertion } from '../../insert-rows.ts'
import { type DialectName, type Executor, statement } from '../../statement.ts'

/** Changes that wait to be folded: a read adds them up. */
const unfoldedMax = 128

/** The id up to which changes are folded, for a relayer's id or a column with one. */
const foldedThrough = (relayerId: unknown) =>
  sql`COALESCE((SELECT through FROM tally_folds WHERE relayer_id = ${relayerId}), 0)`

/** The tallies of a relayer, with several rows for a status: their sum counts. */
export function partsOf(relayerId: unknown, dialect: DialectName): RawBuilder<{ status: Tallied; count: number }> {
  const folded = sql`SELECT status, count FROM tallies WHERE relayer_id = ${relayerId}`
  if (dialect === 'sqlite') return sql`(${folded})`
  return sql`(${folded} UNION ALL SELECT status, change FROM tally_changes WHERE relayer_id = ${relayerId} AND id > ${foldedThrough(relayerId)})`
}

const append = listedInsertion('tally_changes', { relayer_id: 'text', status: 'text', change: 'bigint' })

const unfolded = statement<{ ids: readonly RelayerId[] }, { id: RelayerId; changes: number }>((db, p) =>
  db
    .selectFrom(sql<{ id: RelayerId }>`unnest(CAST(${p.ids} AS text[]))`.as<'given'>(sql`given (id)`))
    .select([
      'given.id',
      sql<number>`(SELECT count(*) FROM tally_changes WHERE relayer_id = given.id AND id > ${foldedThrough(sql.ref('given.id'))})`.as(
        'changes',
      ),
    ]),
)

const fold = statement<{ relayerId: RelayerId }>((db, p) =>
  db
    .with('gone', (q) =>
      q
        .deleteFrom('tally_changes')
        .where('relayer_id', '=', p.relayerId)
        .where(sql<boolean>`id > ${foldedThrough(p.relayerId)}`)
        .returning(['relayer_id', 'id', 'status', 'change']),
    )
    .with('kept', (q) =>
      q
        .insertInto('tallies')
        .columns(['relayer_id', 'status', 'count'])
        .expression((eb) =>
          eb
            .selectFrom('gone')
            .select(['relayer_id', 'status', sql<number>`CAST(SUM(change) AS BIGINT)`.as('count')])
            .groupBy(['relayer_id', 'status']),
        )
        .onConflict((conflict) =>
          conflict.columns(['relayer_id', 'status']).doUpdateSet({ count: sql`tallies.count + excluded.count` }),
        ),
    )
    .insertInto('tally_folds')
    .columns(['relayer_id', 'through'])
    .expression((eb) =>
      eb
        .selectFrom('gone')
        .select(['relayer_id', sql<number>`MAX(id)`.as('through')])
        .groupBy('relayer_id'),
    )
    .onConflict((conflict) => conflict.column('relayer_id').doUpdateSet({ through: sql`excluded.through` })),
)

/** How many changes of each relayer wait to be folded. */
export async function unfoldedOf(
  executor: Executor,
  ids: readonly RelayerId[],
): Promise<ReadonlyMap<RelayerId, number>> {
  return new Map((await executor.all(unfolded, { ids })).map(({ id, changes }) => [id, changes]))
}

/** The changes of a commit. */
export interface TallyChanges {
  /** These relayers append from here on. */
  holdLocks(ids: readonly RelayerId[], unfolded: ReadonlyMap<RelayerId, number>): void
  /** False where the commit does not hold the lock: others' changes may become visible after a fold that passes over them. */
  append(relayerId: RelayerId, status: Tallied, change: number): Promise<boolean>
  /** Folds the changes of relayers with many, after all were appended. */
  foldMany(): Promise<void>
}

export function openTallyChanges(executor: Executor): TallyChanges {
  const counts = new Map<RelayerId, number>()
  return {
    holdLocks(ids, unfolded) {
      for (const id of ids) counts.set(id, unfolded.get(id) ?? 0)
    },
    async append(relayerId, status, change) {
      const before = counts.get(relayerId)
      if (before === undefined) return false
      counts.set(relayerId, before + 1)
      await executor.all(append, { relayer_id: relayerId, status, change })
      return true
    },
    async foldMany() {
      for (const [relayerId, changes] of counts) {
        if (changes > unfoldedMax) await executor.all(fold, { relayerId })
      }
    },
  }
}
