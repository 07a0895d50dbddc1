// Deletes old bulk cancellations. Their transactions go by their own age, and stay canceled.
import { sql } from 'kysely'
import type { BulkId } from '../../../domain/ids.ts'
import type { TimestampMs } from '../../../domain/units.ts'
import { isAmong } from '../../in-lists.ts'
import { type Executor, first, statement } from '../../statement.ts'
import { type Json, toJson } from '../../values.ts'

const oldestKept = statement<{ skip: number }, { requested_at: number }>((db, p) =>
  db
    .selectFrom('bulks')
    .select('requested_at')
    .orderBy('requested_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .offset(p.skip),
)

// The newest part stays: on SQLite its number would be given again, and transactions name it.
const removable = statement<{ before: number; limit: number }, { id: BulkId }>((db, p) =>
  db
    .selectFrom('bulks')
    .select('id')
    .where('requested_at', '<', p.before)
    // Its last event is still to come, once it is final.
    .where('announced', '=', 1)
    .where(
      sql<boolean>`NOT EXISTS (SELECT 1 FROM bulk_parts WHERE bulk_parts.bulk_id = bulks.id
        AND (bulk_parts.final_at IS NULL OR bulk_parts.id = (SELECT MAX(id) FROM bulk_parts)))`,
    )
    .orderBy('requested_at')
    .orderBy('id')
    .limit(p.limit),
)

interface Ids {
  ids: Json<readonly BulkId[]>
}

const removeParts = statement<Ids>((db, p, dialect) =>
  db.deleteFrom('bulk_parts').where(isAmong('bulk_id', p.ids, dialect)),
)

const removeBulks = statement<Ids>((db, p, dialect) => db.deleteFrom('bulks').where(isAmong('id', p.ids, dialect)))

/** Deletes at most `rows` of the oldest objects that are beyond a limit, and final. Returns whether there may be more. */
export async function pruneBulks(
  executor: Executor,
  keep: { readonly entriesMax: number; readonly since: TimestampMs },
  rows: number,
): Promise<boolean> {
  const newestGone = await first(executor, oldestKept, { skip: keep.entriesMax })
  const before = Math.max(keep.since, newestGone === undefined ? 0 : newestGone.requested_at + 1)
  const found = await executor.all(removable, { before, limit: rows })
  if (found.length === 0) return false
  const ids = toJson(found.map(({ id }) => id))
  await executor.all(removeParts, { ids })
  await executor.all(removeBulks, { ids })
  return found.length === rows
}
