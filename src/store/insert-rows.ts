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
function inserting(db: QueryBuilder, table: keyof Schema, columns: readonly string[], row: object) {
  const values = recordOf(columns, (name) => (row as Record<string, unknown>)[name])
  return db.insertInto(table as 'outbox').values(values as never)
}

export function insertion<T extends keyof Schema, C extends Column<T>>(
  table: T,
  columns: readonly C[],
): Statement<Row<T, C>, never> {
  return statement<Row<T, C>>((db, p) => inserting(db, table, columns, p))
}

/** Changes nothing where a row has the key. */
export function insertionOnce<T extends keyof Schema, K extends Column<T>, C extends Column<T> = never>(
  table: T,
  key: readonly K[],
  others: readonly C[] = [],
): Statement<Row<T, K | C>, never> {
  return statement<Row<T, K | C>>((db, p) =>
    inserting(db, table, [...key, ...others], p).onConflict((conflict) => conflict.columns(key as never).doNothing()),
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
