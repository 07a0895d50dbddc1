// Statements that insert rows, by the names of their columns.
import type { SelectType } from 'kysely'
import { keysOf } from '../domain/defined.ts'
import { inLists, type Listed, type ListType } from './in-lists.ts'
import type { Schema } from './schema.ts'
import { type QueryBuilder, type Statement, statement } from './statement.ts'
import { recordOf } from './values.ts'

type Column<T extends keyof Schema> = keyof Schema[T] & string
type Row<T extends keyof Schema, C extends Column<T>> = { readonly [K in C]: SelectType<Schema[T][K]> }

/** The query builder knows the columns of one table at a time, so the types of any table are this function's alone. */
function inserting(
  db: QueryBuilder,
  table: keyof Schema,
  columns: readonly string[],
  row: object,
  returned: readonly string[] = [],
) {
  const values = recordOf(columns, (name) => (row as Record<string, unknown>)[name])
  const query = db.insertInto(table as 'outbox').values(values as never)
  return returned.length === 0 ? query : query.returning(returned as never)
}

type Returned<T extends keyof Schema, R extends Column<T>> = [R] extends [never] ? never : Row<T, R>

export function insertion<T extends keyof Schema, C extends Column<T>, R extends Column<T> = never>(
  table: T,
  columns: readonly C[],
  returned: readonly R[] = [],
): Statement<Row<T, C>, Returned<T, R>> {
  return statement<Row<T, C>, Returned<T, R>>((db, p) => inserting(db, table, columns, p, returned))
}

/** Changes and returns nothing where a row has the key. On PostgreSQL it waits for a concurrent one with the same key. */
export function insertionOnce<
  T extends keyof Schema,
  K extends Column<T>,
  C extends Column<T> = never,
  R extends Column<T> = never,
>(
  table: T,
  key: readonly K[],
  others: readonly C[] = [],
  returned: readonly R[] = [],
): Statement<Row<T, K | C>, Returned<T, R>> {
  return statement<Row<T, K | C>, Returned<T, R>>((db, p) =>
    inserting(db, table, [...key, ...others], p, returned).onConflict((conflict) =>
      conflict.columns(key as never).doNothing(),
    ),
  )
}

/** Writes the other columns of a row that has the key. */
export function upsert<T extends keyof Schema, K extends Column<T>, C extends Column<T>>(
  table: T,
  key: readonly K[],
  others: readonly C[],
): Statement<Row<T, K | C>, never> {
  return statement<Row<T, K | C>>((db, p) =>
    inserting(db, table, [...key, ...others], p).onConflict((conflict) =>
      conflict
        .columns(key as never)
        .doUpdateSet((eb) => recordOf(others, (name) => eb.ref(`excluded.${name}` as 'excluded.id'))),
    ),
  )
}

/** Inserts many rows at once. With `key`, a second statement for a row of that key waits for this one. */
export function listedInsertion<T extends keyof Schema, C extends Column<T>>(
  table: T,
  types: Readonly<Record<C, ListType>>,
  key?: C,
): Listed<Row<T, C>, never> {
  return inLists<Row<T, C>, never>(
    insertion(table, keysOf(types)),
    types,
    (given, columns) => `INSERT INTO ${table} (${columns}) SELECT * FROM ${given}`,
    key && { writes: { table, key } },
  )
}
