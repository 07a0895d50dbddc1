// One statement in place of many that differ in their values only: PostgreSQL takes a list a column, for a round trip and
// one entry into the server. SQLite, which is called and not asked, runs the one statement each time.
import type { InLists, QueuedStatement } from './statement.ts'

export type ListType = 'text' | 'bigint' | 'integer'

/** A change that can be written for many. */
export type Listed<P extends object, R> = QueuedStatement<P, R> & { readonly lists: InLists }

/** To be told how many were changed would be one more wait before the COMMIT. `change` returns what it changes. */
function failingUnlessAll(list: string, change: string): string {
  return `WITH changed AS (${change}) SELECT 1 / (count(*) = cardinality(${list}))::int AS all_of_them FROM changed`
}

/** `write` is told the lists as a table, and its columns. */
export function inLists<P extends object, R>(
  one: QueuedStatement<P, R>,
  types: Readonly<Record<keyof P & string, ListType>>,
  write: (given: string, columns: string) => string,
  options: {
    readonly key?: keyof P & string
    /** Of `key`: what is written returns a row for each that it changes. */
    readonly changesAll?: boolean
    /** `write` is told the parameter of each column: of `but` it is the list. */
    readonly alike?: {
      readonly but: keyof P & string
      readonly write: (parameters: Readonly<Record<keyof P & string, string>>) => string
    }
  } = {},
): Listed<P, R> {
  const { key, alike, changesAll = false } = options
  // `types` has the members of `P` and no others.
  const names = Object.keys(types) as (keyof P & string)[]
  const columns = names.map((name) => `"${name}"`).join(', ')
  const parameters = (isList: (name: string) => boolean) =>
    Object.fromEntries(
      names.map((name, index) => [name, `$${index + 1}::${types[name]}${isList(name) ? '[]' : ''}`]),
    ) as Record<keyof P & string, string>
  const asLists = parameters(() => true)
  const asAlike = parameters((name) => name === alike?.but)
  const checked = (sql: string) => (changesAll && key !== undefined ? failingUnlessAll(asLists[key], sql) : sql)
  return {
    ...one,
    lists: {
      sql: checked(write(`unnest(${Object.values(asLists).join(', ')}) AS given (${columns})`, columns)),
      columns: names,
      changesAll,
      ...(key !== undefined && { key }),
      ...(alike && { alike: { sql: checked(alike.write(asAlike)), but: alike.but } }),
    },
  }
}
