// Tables and rows on their way from SQLite to PostgreSQL, in one form for both sides.
import { OperatorError } from '../../ops/operator-error.ts'

export interface Table {
  readonly name: string
  readonly columns: readonly string[]
  /** The columns of its primary key: rows are read in their order, which is the same on both sides. */
  readonly key: readonly string[]
}

/** Whole numbers as decimals; in the order of the table's columns. */
export type Row = readonly (string | null)[]

/** The part of a row that names it, for people. */
export function nameOf({ columns, key }: Table, row: Row): string {
  return key.map((each) => `${each} ${row[columns.indexOf(each)]}`).join(', ')
}

/** Throws OperatorError on what no version of the service writes, and PostgreSQL would not take. */
export function rowOf(table: Table, values: readonly unknown[]): Row {
  // What is neither text, null nor a whole number is found below.
  const row = values.map((value) => (typeof value === 'bigint' ? String(value) : value)) as Row
  for (const [index, value] of row.entries()) {
    const fault = faultOf(value)
    if (fault === undefined) continue
    throw new OperatorError(
      `${table.name}, ${nameOf(table, row)}: the column ${table.columns[index]} holds ${fault}, which PostgreSQL can't store there; correct the row with the sqlite3 shell`,
    )
  }
  return row
}

function faultOf(value: unknown): string | undefined {
  if (value === null) return undefined
  if (typeof value !== 'string') return typeof value === 'number' ? 'a fraction' : 'binary data'
  return value.includes('\0') ? 'the character U+0000' : undefined
}

/**
 * What the target is to hold for a row of the source. Epochs rise, so that no owner of the past writes; what a dead process
 * has leased is free at once, which nothing else can tell before the lease ends.
 */
export function carried({ name, columns }: Table, row: Row): Row {
  const changes = changesOf[name]
  if (!changes) return row
  return row.map((value, index) => (changes[columns[index] ?? ''] ?? ((same) => same))(value))
}

type Change = (value: string | null) => string | null

const changesOf: Readonly<Record<string, Readonly<Record<string, Change>>>> = {
  relayers: { epoch: (value) => String(BigInt(value ?? 0) + 1n) },
  delivery_queues: { leased_by: () => null, leased_until: () => '0' },
}
