// The filter of a bulk cancellation over transactions without a nonce, as statements: the rule of domain/bulk-filter.ts.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type BulkFilter, createdWithin, hasNonces } from '../../../domain/bulk-filter.ts'
import type { TransactionId } from '../../../domain/ids.ts'
import type { TimestampMs } from '../../../domain/units.ts'
import { isAmong } from '../../in-lists.ts'
import type { StoredStatus } from '../../schema.ts'
import type { DialectName, Executor } from '../../statement.ts'
import { type Json, toJson } from '../../values.ts'
import { isValueBetween, type ValueBounds, valueBounds } from '../rows/value-bounds.ts'
import { readLabels } from '../written/labels.ts'

/**
 * The stored statuses of transactions without a nonce that a bulk cancellation takes. Each is walked by its index.
 * `isTakenByBulk` takes every such transaction; a test compares the two.
 */
const queuedStatuses = ['pending', 'held'] as const satisfies readonly StoredStatus[]
export type QueuedStatus = (typeof queuedStatuses)[number]

/** The statuses to walk. None, where the filter can match no transaction without a nonce. */
export function statusesToWalk(filter: BulkFilter): readonly QueuedStatus[] {
  if (hasNonces(filter) || (filter.statuses && !filter.statuses.includes('pending'))) return []
  return queuedStatuses
}

/** Parameters of `isMatch`. A member of the filter that is absent matches all. */
export interface FilterParameters extends ValueBounds {
  ids: Json<readonly TransactionId[]>
  to: string
  selector: string
  tags: Json<readonly string[]>
  tagCount: number
  createdFrom: number
  createdTo: number
}

const last = Number.MAX_SAFE_INTEGER

export function filterParameters(filter: BulkFilter, instant: TimestampMs): FilterParameters {
  const created = createdWithin(filter, instant)
  return {
    ids: toJson(filter.ids ?? []),
    to: filter.to ?? '',
    selector: filter.selector ?? '',
    tags: toJson(filter.tags ?? []),
    tagCount: filter.tags?.length ?? 0,
    createdFrom: created.from ?? -last,
    createdTo: created.to ?? last,
    ...valueBounds(filter),
  }
}

/** Expressions throughout, so that no other index is chosen for them. Of ids, see `isNamed`. */
export function isMatch(p: FilterParameters, dialect: DialectName): RawBuilder<SqlBool> {
  return sql`(${p.to} = '' OR (to_address || '') = ${p.to})
    AND (${p.selector} = '' OR (to_address IS NOT NULL AND substr(data, 1, 10) = ${p.selector}))
    AND (${p.tagCount} = 0 OR (SELECT COUNT(*) FROM transaction_tags
      WHERE transaction_tags.transaction_id = transactions.id AND ${isAmong('transaction_tags.tag', p.tags, dialect)}) > 0)
    AND +created_at >= ${p.createdFrom} AND +created_at <= ${p.createdTo}
    AND ${isValueBetween(p)}`
}

/** Whether the filter names the row. The condition uses the key: a filter's ids are few. */
export function isNamed(p: Pick<FilterParameters, 'ids'>, dialect: DialectName): RawBuilder<boolean> {
  return isAmong('id', p.ids, dialect)
}

/** The tags of each, for `matches`. Reads none unless the filter names some. */
export async function tagsFor(
  executor: Executor,
  filter: BulkFilter,
  ids: readonly TransactionId[],
): Promise<(id: TransactionId) => readonly string[]> {
  const labels = filter.tags && (await readLabels(executor, ids))
  return (id) => labels?.get(id)?.tags ?? []
}
