// Deletes old bulk cancellations. Their transactions go by their own age, and stay canceled.
import { sql } from 'kysely'
import { overShare } from '../../../domain/fair-share.ts'
import type { ApiKeyId, BulkId } from '../../../domain/ids.ts'
import { isAmong } from '../../in-lists.ts'
import type { KeptBulks } from '../../retention-port.ts'
import { type Executor, type QueryBuilder, statement } from '../../statement.ts'
import { type Json, toJson } from '../../values.ts'

const counts = statement<object, { requested_by: ApiKeyId | null; count: number }>((db) =>
  db
    .selectFrom('bulks')
    .select((eb) => ['requested_by', eb.fn.countAll<number>().as('count')])
    .groupBy('requested_by'),
)

// Its last event is still to come, once it is final. The newest part stays: on SQLite its number would be given again, and transactions
// name it.
const isRemovable = sql<boolean>`announced = 1 AND NOT EXISTS (SELECT 1 FROM bulk_parts
  WHERE bulk_parts.bulk_id = bulks.id AND (bulk_parts.final_at IS NULL OR bulk_parts.id = (SELECT MAX(id) FROM bulk_parts)))`

interface Oldest {
  limit: number
}

const removable = (db: QueryBuilder, { limit }: Readonly<Oldest>) =>
  db.selectFrom('bulks').select('id').where(isRemovable).orderBy('requested_at').orderBy('id').limit(limit)

const old = statement<Oldest & { before: number }, { id: BulkId }>((db, p) =>
  removable(db, p).where('requested_at', '<', p.before),
)

// A literal: the planner matches only that with the partial index.
const empty = statement<Oldest & { before: number }, { id: BulkId }>((db, p) =>
  removable(db, p).where(sql<boolean>`empty = 1`).where('requested_at', '<', p.before),
)

const ofRequester = statement<Oldest & { requester: ApiKeyId }, { id: BulkId }>((db, p) =>
  removable(db, p).where('requested_by', '=', p.requester),
)

const removeKeys = statement<{ before: number; limit: number }>((db, p) =>
  db.deleteFrom('bulk_keys').where(
    sql<boolean>`(owner, key) IN (SELECT owner, key FROM bulk_keys WHERE created_at < ${p.before}
        ORDER BY created_at LIMIT ${p.limit})`,
  ),
)

interface Ids {
  ids: Json<readonly BulkId[]>
}

const removeParts = statement<Ids>((db, p, dialect) =>
  db.deleteFrom('bulk_parts').where(isAmong('bulk_id', p.ids, dialect)),
)

const removeBulks = statement<Ids>((db, p, dialect) => db.deleteFrom('bulks').where(isAmong('id', p.ids, dialect)))

/** Deletes at most `rows` of each kind. Returns whether there may be more objects to delete. */
export async function pruneBulks(executor: Executor, keep: KeptBulks, rows: number): Promise<boolean> {
  await executor.all(removeKeys, { before: keep.since, limit: rows })
  const found = [
    ...(await executor.all(old, { before: keep.since, limit: rows })),
    ...(await executor.all(empty, { before: keep.emptySince, limit: rows })),
    ...(await beyondShare(executor, keep.entriesMax, rows)),
  ]
  if (found.length === 0) return false
  const ids = toJson(found.map(({ id }) => id))
  await executor.all(removeParts, { ids })
  await executor.all(removeBulks, { ids })
  return found.length >= rows
}

/** The oldest objects of the key that has the most. */
async function beyondShare(executor: Executor, max: number, rows: number): Promise<readonly { id: BulkId }[]> {
  const held = await executor.all(counts, {})
  const over = overShare(
    held.map((each) => ({ key: each.requested_by, count: Number(each.count) })),
    max,
  )
  if (!over || over.key === null) return []
  return executor.all(ofRequester, { requester: over.key, limit: Math.min(over.count, rows) })
}
