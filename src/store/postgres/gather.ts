// Gathers rows that wait to be written, so that one statement writes all rows of its kind.
import type { Listed } from '../in-lists.ts'
import type { InLists } from '../statement.ts'

/** Rows in one statement: bounds the server's memory. */
const rowsMax = 1_000
/**
 * Rows in a statement that joins its lists with a table: the plan that a connection keeps is made for lists of any length, and
 * searches the lists for each row.
 */
const joinedMax = 64
/** The most runs of alike rows. With more, or with shorter ones, a single statement for all rows costs less. */
const runsMax = 3
const rowsOfRunMin = 4

/** A listed statement with any parameters and rows. */
export type AnyListed = Listed<object, unknown>

export interface Gathered {
  readonly statement: AnyListed
  readonly rows: readonly object[]
  /** Present if the rows differ in one column only. */
  readonly alike?: InLists['alike']
}

export interface Gathering {
  /** False: the waiting rows have to be written first. */
  add(statement: AnyListed, row: object): boolean
  /** Removes and returns all waiting rows, in an order in which they can be written. */
  take(): readonly Gathered[]
}

export function openGathering(): Gathering {
  let waiting = new Map<AnyListed, object[]>()
  /** The waiting rows, by their table and key. */
  let written = new Set<string>()

  return {
    add(statement, row) {
      const rows = waiting.get(statement)
      if (rows && rows.length >= rowsMax) return false
      const { writes } = statement.lists
      if (writes) {
        const subject = `${writes.table} ${member(row, writes.key)}`
        if (written.has(subject)) return false
        written.add(subject)
      }
      if (rows) rows.push(row)
      else waiting.set(statement, [row])
      return true
    },
    take() {
      const taken = [...waiting].flatMap(([statement, rows]) => inRuns(statement, rows))
      waiting = new Map()
      written = new Set()
      return taken
    },
  }
}

/** One list per column; for alike rows, one list and a value for each other column. */
export function inOneStatement({ statement, rows, alike }: Gathered): {
  readonly text: string
  readonly values: unknown[]
} {
  const { columns, sql } = statement.lists
  const listOf = (column: string) => rows.map((row) => member(row, column))
  if (!alike) return { text: sql, values: columns.map(listOf) }
  const [first = {}] = rows
  return {
    text: alike.sql,
    values: columns.map((column) => (column === alike.but ? listOf(column) : member(first, column))),
  }
}

/** Splits the rows into runs of alike rows if the runs are few, as when the clock advanced between two rows. */
function inRuns(statement: AnyListed, rows: readonly object[]): readonly Gathered[] {
  const { alike, columns } = statement.lists
  if (!alike) return inParts(statement, rows)
  const others = columns.filter((column) => column !== alike.but)
  const runs: object[][] = []
  for (const row of rows) {
    const run = runs.at(-1)
    const [first] = run ?? []
    if (run && first && others.every((column) => member(first, column) === member(row, column))) run.push(row)
    else runs.push([row])
  }
  return runs.length > Math.min(runsMax, Math.max(1, rows.length / rowsOfRunMin))
    ? inParts(statement, rows)
    : runs.map((run) => ({ statement, rows: run, alike }))
}

function inParts(statement: AnyListed, rows: readonly object[]): readonly Gathered[] {
  const max = statement.lists.joins ? joinedMax : rowsMax
  const count = Math.ceil(rows.length / max)
  return Array.from({ length: count }, (_, part) => ({ statement, rows: rows.slice(part * max, (part + 1) * max) }))
}

/** Reads a parameter of a row. `add` was called with rows of the statement's type. */
function member(row: object, name: string): unknown {
  return (row as Record<string, unknown>)[name]
}
