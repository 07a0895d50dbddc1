// The counts of bulk cancellations. A commit adds the changes of all its transactions at once, one row for each part.
import { sql } from 'kysely'
import type { BulkCounts } from '../../../domain/bulk-cancellation.ts'
import { sumOf } from '../../../domain/bulk-counts.ts'
import type { TimestampMs } from '../../../domain/units.ts'
import type { BulkCountColumns } from '../../bulk-tables.ts'
import { inLists } from '../../in-lists.ts'
import { type Executor, statement } from '../../statement.ts'
import { recordOf } from '../../values.ts'
import { openSheet, type Sheet } from './sheet.ts'

/** Sums of two integers are exact in both databases; amounts of wei fit no integer column. */
const weiPerGwei = 1_000_000_000n

export interface BulkChange {
  /** The number of the part. */
  readonly part: number
  readonly at: TimestampMs
  readonly counts: BulkCounts
}

export function openBulkSheet(executor: Executor): Sheet<BulkChange> {
  return openSheet<BulkChange, BulkChange>(
    ({ part }) => part,
    (known, change) => (known ? { ...change, counts: sumOf([known.counts, change.counts]) } : change),
    ({ part, at, counts }) => executor.all(add, { id: part, at, ...columnsFrom(counts) }),
  )
}

const countColumns = [
  ...(['dropped', 'racing', 'won', 'lost', 'external'] as const),
  ...(['unsettled', 'safe', 'unpriced', 'gwei', 'wei'] as const),
] as const satisfies readonly (keyof BulkCountColumns)[]

function columnsFrom({ cost, ...counts }: BulkCounts): BulkCountColumns {
  return { ...counts, gwei: Number(cost / weiPerGwei), wei: Number(cost % weiPerGwei) }
}

export function countsFrom(row: BulkCountColumns): BulkCounts {
  const { dropped, racing, won, lost, external, unsettled, safe, unpriced, gwei, wei } = row
  const cost = BigInt(gwei) * weiPerGwei + BigInt(wei)
  return { dropped, racing, won, lost, external, unsettled, safe, unpriced, cost }
}

const ofEach = <T>(value: (name: keyof BulkCountColumns) => T) => recordOf(countColumns, value)

type Addition = BulkCountColumns & { id: number; at: number }

// A part is final once it is written and each of its verdicts is final. This statement alone decides that, at the end of the commit:
// before, another unit of the commit reads the row without its counts.
const add = inLists(
  statement<Addition>((db, p) =>
    db
      .updateTable('bulk_parts')
      .set({
        ...ofEach((name) => sql<number>`${sql.ref(name)} + ${p[name]}`),
        final_at: sql<number>`CASE WHEN state = 'written' AND unsettled + ${p.unsettled} = 0 THEN COALESCE(final_at, ${p.at}) END`,
      })
      .where('id', '=', p.id),
  ),
  { id: 'bigint', at: 'bigint', ...ofEach(() => 'bigint' as const) },
  (given) => `UPDATE bulk_parts SET
      ${countColumns.map((name) => `${name} = bulk_parts.${name} + given.${name}`).join(', ')},
      final_at = CASE WHEN state = 'written' AND bulk_parts.unsettled + given.unsettled = 0
        THEN COALESCE(bulk_parts.final_at, given.at) END
    FROM ${given} WHERE bulk_parts.id = given.id`,
  { writes: { table: 'bulk_parts', key: 'id' } },
)
