// Rows that wait to be written together: one statement for all that go the same way.
import type { InLists } from '../in-lists.ts'
import type { Statement } from '../statement.ts'

/** In one statement: bounds what the server holds of it. */
const rowsMax = 1_000

/** A statement that can be written for many. */
export type Listed = Statement<object, unknown> & { readonly lists: InLists }

export interface Row {
  readonly values: object
  /** What is wrong where the statement changes nothing for this row. Absent: it may. */
  readonly missing?: () => Error
}

export interface Gathered {
  readonly statement: Listed
  readonly rows: readonly Row[]
}

export interface Gathering {
  /** False: what waits has to be written first. */
  add(statement: Listed, row: Row): boolean
  /** All that waits, in an order in which it can be written, and nothing waits any more. */
  take(): readonly Gathered[]
}

export function openGathering(): Gathering {
  let waiting = new Map<Listed, Row[]>()
  /** What is changed by a row that waits. */
  let changed = new Set<unknown>()

  return {
    add(statement, row) {
      const rows = waiting.get(statement)
      if (rows && rows.length >= rowsMax) return false
      const { key } = statement.lists
      if (key !== undefined) {
        const subject = member(row.values, key)
        if (changed.has(subject)) return false
        changed.add(subject)
      }
      if (rows) rows.push(row)
      else waiting.set(statement, [row])
      return true
    },
    take() {
      const taken = [...waiting].map(([statement, rows]) => ({ statement, rows }))
      waiting = new Map()
      changed = new Set()
      return taken
    },
  }
}

/** A list a column, in the order of the columns. */
export function listsOf({ statement, rows }: Gathered): unknown[] {
  return statement.lists.columns.map((column) => rows.map(({ values }) => member(values, column)))
}

/** The error of the first row that nothing was changed for; `answered` are the rows that the statement returned. */
export function missingAmong({ statement, rows }: Gathered, answered: readonly object[]): Error | undefined {
  const { key } = statement.lists
  if (key === undefined || answered.length === rows.length) return undefined
  const found = new Set(answered.map((row) => member(row, key)))
  return rows.find(({ values, missing }) => missing && !found.has(member(values, key)))?.missing?.()
}

function member(row: object, name: string): unknown {
  return (row as Record<string, unknown>)[name]
}
