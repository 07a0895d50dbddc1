// Rows that wait to be written together: one statement for all that go the same way.
import type { Listed } from '../in-lists.ts'
import type { InLists } from '../statement.ts'

/** In one statement: bounds what the server holds of it. */
const rowsMax = 1_000
/** Beyond as many runs of rows that are alike, one statement for all of them costs less. */
const runsMax = 3

/** Whatever it binds and returns. */
export type AnyListed = Listed<object, unknown>

export interface Gathered {
  readonly statement: AnyListed
  readonly rows: readonly object[]
  /** They are alike in all but one column. */
  readonly alike?: InLists['alike']
}

export interface Gathering {
  /** False: what waits has to be written first. */
  add(statement: AnyListed, row: object): boolean
  /** All that waits, in an order in which it can be written, and nothing waits any more. */
  take(): readonly Gathered[]
}

export function openGathering(): Gathering {
  let waiting = new Map<AnyListed, object[]>()
  /** What is changed by a row that waits. */
  let changed = new Set<unknown>()

  return {
    add(statement, row) {
      const rows = waiting.get(statement)
      if (rows && rows.length >= rowsMax) return false
      const { key } = statement.lists
      if (key !== undefined) {
        const subject = member(row, key)
        if (changed.has(subject)) return false
        changed.add(subject)
      }
      if (rows) rows.push(row)
      else waiting.set(statement, [row])
      return true
    },
    take() {
      const taken = [...waiting].flatMap(([statement, rows]) => inRuns(statement, rows))
      waiting = new Map()
      changed = new Set()
      return taken
    },
  }
}

/** With a list a column, or with one list where all else is alike. */
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

/** Runs of rows that are alike where those are few, as where the clock went on between two rows. */
function inRuns(statement: AnyListed, rows: readonly object[]): readonly Gathered[] {
  const { alike, columns } = statement.lists
  if (!alike) return [{ statement, rows }]
  const others = columns.filter((column) => column !== alike.but)
  const runs: object[][] = []
  for (const row of rows) {
    const run = runs.at(-1)
    const [first] = run ?? []
    if (run && first && others.every((column) => member(first, column) === member(row, column))) run.push(row)
    else runs.push([row])
  }
  return runs.length > runsMax ? [{ statement, rows }] : runs.map((run) => ({ statement, rows: run, alike }))
}

/** Of a row's parameters, which the statement's type checked when it was given them. */
function member(row: object, name: string): unknown {
  return (row as Record<string, unknown>)[name]
}
