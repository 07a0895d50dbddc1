// Tables and rows of a transfer, in one form for SQLite and PostgreSQL.
import { OperatorError } from '../../ops/operator-error.ts'

export interface Table {
  readonly name: string
  readonly columns: readonly string[]
  /** The columns of the primary key: both sides read rows in its order. */
  readonly key: readonly string[]
}

/** Only PostgreSQL has them: the copied tallies hold all changes. */
export const ofTarget = ['tally_changes', 'tally_folds']

/** A row's values in the order of the table's columns; whole numbers as decimals. */
export type Row = readonly (string | null)[]

/** Identifies a row for people, by its key. */
export function nameOf({ columns, key }: Table, row: Row): string {
  return key.map((each) => `${each} ${row[columns.indexOf(each)]}`).join(', ')
}

/** Throws OperatorError for a value that no version of the service writes, and PostgreSQL would refuse. */
export function rowOf(table: Table, values: readonly unknown[]): Row {
  // The check below refuses any value that is neither text, null nor a whole number.
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
 * The target's row for a row of the source. Epochs rise, so that no earlier owner can write. Leases are dropped: their
 * process is gone, and the target would otherwise wait for their end.
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
