// One statement in place of many that differ in their values only: PostgreSQL takes a list a column, for a round trip and
// one entry into the server. SQLite, which is called and not asked, runs the one statement each time.
import type { Statement } from './statement.ts'

export type ListType = 'text' | 'bigint' | 'integer'

export interface InLists {
  readonly sql: string
  readonly columns: readonly string[]
  /** The column that names what a row changes: of two for the same the second waits for the first. Absent: rows only add. */
  readonly key?: string
}

/** `write` is told the lists as a table, and its columns. */
export function inLists<P extends object, R>(
  one: Statement<P, R>,
  types: Readonly<Record<keyof P & string, ListType>>,
  write: (given: string, columns: string) => string,
  key?: keyof P & string,
): Statement<P, R> {
  const names = Object.keys(types) as (keyof P & string)[]
  const columns = names.map((name) => `"${name}"`).join(', ')
  const values = names.map((name, index) => `$${index + 1}::${types[name]}[]`).join(', ')
  const sql = write(`unnest(${values}) AS given (${columns})`, columns)
  return { ...one, lists: { sql, columns: names, ...(key !== undefined && { key }) } }
}
