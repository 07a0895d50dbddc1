// Combines many statements that differ only in their values. PostgreSQL receives one list per column, in one round trip.
// SQLite runs inside this process, so it runs the single statement each time.

import { type RawBuilder, sql } from 'kysely'
import { keysOf } from '../domain/defined.ts'
import type { Schema } from './schema.ts'
import type { DialectName, InLists, QueuedStatement } from './statement.ts'
import type { Json } from './values.ts'

export type ListType = 'text' | 'bigint' | 'integer'

/** A change that can be made for many rows at once. */
export type Listed<P extends object, R> = QueuedStatement<P, R> & { readonly lists: InLists }

/** A check of the row count would wait once more before the COMMIT, so the statement fails. `change` returns its rows. */
function failingUnlessAll(list: string, change: string): string {
  return `WITH changed AS (${change}) SELECT 1 / (count(*) = cardinality(${list}))::int AS all_of_them FROM changed`
}

/** Makes a change of one row fail unless it changes that row: its plan costs less than that of a list. */
export function failingUnlessOne(change: string): string {
  return `WITH changed AS (${change}) SELECT 1 / count(*)::int AS it FROM changed`
}

/** `write` receives the lists as a table, and the table's columns. */
export function inLists<P extends object, R>(
  one: QueuedStatement<P, R>,
  types: Readonly<Record<keyof P & string, ListType>>,
  write: (given: string, columns: string) => string,
  options: {
    readonly writes?: { readonly table: keyof Schema; readonly key: keyof P & string }
    readonly joins?: boolean
    /** The statement must change the row of each key in `writes`, and return it. */
    readonly changesAll?: boolean
    /** `write` receives a parameter for each column; the one of `but` is a list. */
    readonly alike?: {
      readonly but: keyof P & string
      readonly write: (parameters: Readonly<Record<keyof P & string, string>>) => string
    }
  } = {},
): Listed<P, R> {
  const { writes, alike, joins = false, changesAll = false } = options
  const names = keysOf<keyof P & string>(types)
  const columns = names.map((name) => `"${name}"`).join(', ')
  const parameters = (isList: (name: string) => boolean) =>
    Object.fromEntries(
      names.map((name, index) => [name, `$${index + 1}::${types[name]}${isList(name) ? '[]' : ''}`]),
    ) as Record<keyof P & string, string>
  const asLists = parameters(() => true)
  const asAlike = parameters((name) => name === alike?.but)
  const checked = (sql: string) => (changesAll && writes ? failingUnlessAll(asLists[writes.key], sql) : sql)
  return {
    ...one,
    lists: {
      sql: checked(write(`unnest(${Object.values(asLists).join(', ')}) AS given (${columns})`, columns)),
      columns: names,
      joins,
      changesAll,
      ...(writes && { writes }),
      ...(alike && { alike: { sql: checked(alike.write(asAlike)), but: alike.but } }),
    },
  }
}

/** An array from a query, not a join: a plan for the join, made while the table was small, would scan all of it. */
export function isAmong(column: string, values: Json<readonly string[]>, dialect: DialectName): RawBuilder<boolean> {
  return dialect === 'postgres'
    ? sql`${sql.ref(column)} = ANY(ARRAY(SELECT json_array_elements_text(CAST(${values} AS json))))`
    : sql`${sql.ref(column)} IN (SELECT value FROM json_each(${values}))`
}

export function isAmongNumbers(
  column: string,
  values: Json<readonly number[]>,
  dialect: DialectName,
): RawBuilder<boolean> {
  return dialect === 'postgres'
    ? sql`${sql.ref(column)} = ANY(ARRAY(SELECT CAST(json_array_elements_text(CAST(${values} AS json)) AS BIGINT)))`
    : sql`${sql.ref(column)} IN (SELECT value FROM json_each(${values}))`
}
