// A condition on a column: its value is one of a list of any length.
import { type RawBuilder, sql } from 'kysely'
import type { Json } from '../json.ts'
import type { DialectName } from '../statement.ts'

/** An array from a query, not a join: a plan for the join, made while the table was small, would scan all of it. */
export function isAmong(column: string, values: Json<readonly string[]>, dialect: DialectName): RawBuilder<boolean> {
  return dialect === 'postgres'
    ? sql`${sql.ref(column)} = ANY(ARRAY(SELECT json_array_elements_text(CAST(${values} AS json))))`
    : sql`${sql.ref(column)} IN (SELECT value FROM json_each(${values}))`
}
