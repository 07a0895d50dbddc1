// A relayer's last sequence: the row of its newest transaction has it, which each send writes anyway. The relayer's own row has a
// floor, for sequences whose transactions were removed or never stored. So a send changes no row that all sends share: PostgreSQL
// would leave an old version of it with each commit, and each read would pass over those that an open snapshot keeps.
import { type RawBuilder, sql } from 'kysely'
import type { RelayerId } from '../../domain/ids.ts'
import { type DialectName, type Executor, first, statement } from '../statement.ts'
import type { RelayerRow } from './relayer-row.ts'

// Not MAX: while the table is small, PostgreSQL plans to read every sequence for it, and keeps the plan.
const newestOf = (relayerId: RawBuilder<unknown>) =>
  sql<number>`COALESCE((SELECT sequence FROM transactions WHERE relayer_id = ${relayerId} ORDER BY sequence DESC LIMIT 1), 0)`

/**
 * The last sequence, in a statement over `relayers`. Where the statement has to wait for the row, PostgreSQL still counts the
 * transactions as they were before: to reserve from it, lock the row by a statement of its own.
 */
export function lastSequence(dialect: DialectName): RawBuilder<number> {
  const larger = sql.raw(dialect === 'postgres' ? 'GREATEST' : 'MAX')
  return sql<number>`${larger}(relayers.last_sequence, ${newestOf(sql.ref('relayers.id'))})`
}

const ofOne = statement<{ id: RelayerId }, { newest: number }>((db, p) =>
  db.selectNoFrom(newestOf(sql`${p.id}`).as('newest')),
)

const ofMany = statement<{ ids: readonly RelayerId[] }, { id: RelayerId; newest: number }>((db, p) =>
  db
    .selectFrom(sql<{ id: RelayerId }>`unnest(CAST(${p.ids} AS text[]))`.as<'given'>(sql`given (id)`))
    .select(['given.id', newestOf(sql.ref('given.id')).as('newest')]),
)

/**
 * `rows` are about to be locked by a statement that was sent before, so the newest transactions include those of the last
 * holders.
 */
export async function raiseToNewest(
  executor: Executor,
  rows: Promise<readonly RelayerRow[]>,
  ids: readonly RelayerId[],
): Promise<readonly RelayerRow[]> {
  const [id] = ids
  if (id === undefined) return rows
  const reading = ids.length === 1 ? executor.all(ofOne, { id }) : executor.all(ofMany, { ids })
  const [found, newest] = await Promise.all([rows, reading])
  const byId = new Map(newest.map((each) => ['id' in each ? each.id : id, each.newest]))
  return found.map((row) => ({ ...row, last_sequence: Math.max(row.last_sequence, byId.get(row.id) ?? 0) }))
}

/** The newest sequence of a stored transaction; 0 if none is stored. */
export async function newestSequence(executor: Executor, id: RelayerId): Promise<number> {
  return (await first(executor, ofOne, { id }))?.newest ?? 0
}

interface Floor {
  id: RelayerId
  sequence: number
}

const raiseFloor = statement<Floor>((db, p) =>
  db
    .updateTable('relayers')
    .set({ last_sequence: p.sequence })
    .where('id', '=', p.id)
    .where('last_sequence', '<', p.sequence)
    .where(newestOf(sql`${p.id}`), '<', p.sequence),
)

/** No later transaction gets a sequence up to this one, also when none has it. The unit holds the relayer's lock. */
export async function keepFromReuse(executor: Executor, id: RelayerId, sequence: number): Promise<void> {
  await executor.all(raiseFloor, { id, sequence })
}
