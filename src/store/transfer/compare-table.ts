// Reads a table back, and compares every column of every row with its expected value.
import { createHash } from 'node:crypto'
import type { ClientBase } from 'pg'
import { OperatorError } from '../../ops/operator-error.ts'
import { nameOf, type Row, type Table } from './rows.ts'

/** The sides differ. The message names the row and the column, and never their content. */
export class RowsDiffer extends OperatorError {
  override readonly name = 'RowsDiffer'
}

interface Compared {
  readonly rows: number
  /** SHA-256 over all rows, the same on both sides. */
  readonly digest: string
}

const rowsAtOnce = 1_000

/** `expected` is in the order of the key. Runs inside a transaction. Throws RowsDiffer. */
export async function compareTable(client: ClientBase, table: Table, expected: Iterable<Row>): Promise<Compared> {
  const columns = table.columns.map((name, index) => `"${name}"::text AS c${index}`).join(', ')
  const order = table.key.map((name) => `each."${name}"`).join(', ')
  await client.query(
    `DECLARE stored NO SCROLL CURSOR FOR SELECT ${columns} FROM "${table.name}" AS each ORDER BY ${order}`,
  )
  const wanted = expected[Symbol.iterator]()
  try {
    return await compareRows(client, table, wanted)
  } finally {
    // An unfinished read would keep the file from being closed.
    wanted.return?.()
  }
}

async function compareRows(client: ClientBase, table: Table, wanted: Iterator<Row>): Promise<Compared> {
  const [ours, theirs] = [createHash('sha256'), createHash('sha256')]
  let rows = 0
  for (;;) {
    const fetched = await client.query<(string | null)[]>({ text: `FETCH ${rowsAtOnce} FROM stored`, rowMode: 'array' })
    for (const stored of fetched.rows) {
      const { value } = wanted.next()
      hold(table, value, stored)
      ours.update(JSON.stringify(value))
      theirs.update(JSON.stringify(stored))
    }
    rows += fetched.rows.length
    if (fetched.rows.length < rowsAtOnce) break
  }
  await client.query('CLOSE stored')
  const missing = wanted.next()
  if (!missing.done) throw new RowsDiffer(`${table.name}: the row ${nameOf(table, missing.value)} is not in the target`)
  const digest = ours.digest('hex')
  if (theirs.digest('hex') !== digest) throw new RowsDiffer(`${table.name}: the digests of both sides differ`)
  return { rows, digest }
}

function hold(table: Table, wanted: Row | undefined, stored: Row): void {
  if (!wanted) throw new RowsDiffer(`${table.name}: the row ${nameOf(table, stored)} is only in the target`)
  const at = wanted.findIndex((value, index) => value !== stored[index])
  if (at < 0) return
  const [name, storedName] = [nameOf(table, wanted), nameOf(table, stored)]
  throw new RowsDiffer(
    name === storedName
      ? `${table.name}, ${name}: the column ${table.columns[at]} differs`
      : `${table.name}: where the file has ${name}, the target has ${storedName}`,
  )
}
