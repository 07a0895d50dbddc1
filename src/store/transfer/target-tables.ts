// The target's tables: reads their types, locks, checks, empties and renumbers them.
import type { ClientBase } from 'pg'
import { OperatorError } from '../../ops/operator-error.ts'
import { ofTarget, type Table } from './rows.ts'

/** The column types of the target, in the order of the table's columns. Throws OperatorError for a table that differs. */
export async function typesOf(client: ClientBase, table: Table): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string; type: string }>(
    `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
      WHERE attrelid = to_regclass(quote_ident(current_schema()) || '.' || quote_ident($1)) AND attnum > 0 AND NOT attisdropped`,
    [table.name],
  )
  const types = new Map(rows.map(({ name, type }) => [name, type]))
  return table.columns.map((column) => {
    const type = types.get(column)
    if (type !== undefined) return type
    const what = types.size === 0 ? `the table ${table.name}` : `the column ${column} of ${table.name}`
    throw new OperatorError(`the file holds ${what}, which this version does not have, so nothing was moved`)
  })
}

/** Locks the tables until the transaction ends. Throws OperatorError when one is missing. */
export async function hold(client: ClientBase, tables: readonly Table[]): Promise<void> {
  for (const table of tables) await typesOf(client, table)
  await client.query(`LOCK TABLE ${tables.map(({ name }) => `"${name}"`).join(', ')}`)
}

/** Throws OperatorError when a service has ever used the database. The tables are locked, so the result stays true. */
export async function refuseFilled(client: ClientBase, tables: readonly Table[], shown: string): Promise<void> {
  const filled: string[] = []
  for (const { name } of tables) {
    // The one row that a new database has.
    const own = name === 'estate' ? 'WHERE revision > 0' : ''
    const { rows } = await client.query(`SELECT 1 FROM "${name}" ${own} LIMIT 1`)
    if (rows.length > 0) filled.push(name)
  }
  if (filled.length === 0) return
  throw new OperatorError(
    `${shown} is not empty: there are rows in ${filled.join(', ')}; name a fresh database, or drop this one if it is not needed`,
  )
}

/** A rollback also restores the counters of ids. */
export async function empty(client: ClientBase, tables: readonly Table[]): Promise<void> {
  const names = [...tables.map(({ name }) => name), ...ofTarget]
  await client.query(`TRUNCATE ${names.map((name) => `"${name}"`).join(', ')} RESTART IDENTITY`)
}

/** Inserts the row that a new database has. */
export async function plant(client: ClientBase): Promise<void> {
  await client.query('INSERT INTO estate (id, revision) VALUES (1, 0)')
}
