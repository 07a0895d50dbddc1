// The ids in the filters of bulk cancellations, as a key that is bound to relayers sees them.
import type { BulkCancellation } from '../../../domain/bulk-cancellation.ts'
import type { RelayerId, TransactionId } from '../../../domain/ids.ts'
import { isAmong } from '../../in-lists.ts'
import { type Executor, statement } from '../../statement.ts'
import { type Json, toJson } from '../../values.ts'

interface IdsAt {
  ids: Json<readonly TransactionId[]>
  relayers: Json<readonly RelayerId[]>
}

const idsAt = statement<IdsAt, { id: TransactionId }>((db, p, dialect) =>
  db
    .selectFrom('transactions')
    .select('id')
    .where(isAmong('id', p.ids, dialect))
    .where(isAmong('relayer_id', p.relayers, dialect)),
)

/** The objects without the ids of transactions at other relayers. An id without a row may be of another relayer, and is left out. */
export async function withSeenIds(
  executor: Executor,
  bulks: readonly BulkCancellation[],
  relayers: readonly RelayerId[],
): Promise<readonly BulkCancellation[]> {
  const ids = bulks.flatMap(({ filter }) => filter.ids ?? [])
  if (ids.length === 0) return bulks
  const rows = await executor.all(idsAt, { ids: toJson(ids), relayers: toJson(relayers) })
  const seen = new Set(rows.map(({ id }) => id))
  return bulks.map((bulk) => {
    const { filter } = bulk
    return filter.ids ? { ...bulk, filter: { ...filter, ids: filter.ids.filter((id) => seen.has(id)) } } : bulk
  })
}
