// Copies the rows of a table, many per statement.
import type { ClientBase } from 'pg'
import { OperatorError } from '../../ops/operator-error.ts'
import { whyUnavailable } from '../postgres/failure.ts'
import { nameOf, type Row, type Table } from './rows.ts'

/** Rows in one statement: bounds memory. */
const rowsMax = 1_000
const charactersMax = 4_000_000

/**
 * Returns the number of rows. `types` are the target's, in the order of the table's columns. `progress` is called after each
 * statement, and may throw. Throws OperatorError when the target refuses rows.
 */
export async function copyTable(
  client: ClientBase,
  table: Table,
  types: readonly string[],
  rows: Iterable<Row>,
  progress: (rows: number) => void,
): Promise<number> {
  const columns = table.columns.map((name) => `"${name}"`).join(', ')
  const lists = types.map((type, index) => `$${index + 1}::${type}[]`).join(', ')
  const insert = `INSERT INTO "${table.name}" (${columns}) SELECT * FROM unnest(${lists})`
  let copied = 0
  for (const batch of batchesOf(rows)) {
    const values = table.columns.map((_, index) => batch.map((row) => row[index]))
    await client.query(insert, values).catch((cause: Error) => {
      if (whyUnavailable(cause) !== undefined) throw cause
      const [first, last] = [batch[0] ?? [], batch.at(-1) ?? []].map((row) => nameOf(table, row))
      throw new OperatorError(`${table.name}: the target refused the rows from ${first} to ${last}: ${cause.message}`, {
        cause,
      })
    })
    copied += batch.length
    progress(copied)
  }
  return copied
}

function* batchesOf(rows: Iterable<Row>): Generator<readonly Row[]> {
  let batch: Row[] = []
  let characters = 0
  for (const row of rows) {
    batch.push(row)
    for (const value of row) characters += value?.length ?? 0
    if (batch.length < rowsMax && characters < charactersMax) continue
    yield batch
    batch = []
    characters = 0
  }
  if (batch.length > 0) yield batch
}
