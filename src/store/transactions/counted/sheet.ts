// The changes of a commit's units that add up to one row for each key: a commit writes each row once.
import type { Deferred } from '../../deferred.ts'

export interface Sheet<Change> extends Deferred {
  add(change: Change): void
}

/** `sum` may change the row that it is given. */
export function openSheet<Change, Row>(
  keyOf: (change: Change) => unknown,
  sum: (row: Row | undefined, change: Change) => Row,
  writeRow: (row: Row) => Promise<unknown>,
): Sheet<Change> {
  let added: Change[] = []
  let rows = new Map<unknown, Row>()
  return {
    add(change) {
      added.push(change)
    },
    keep() {
      for (const change of added) {
        const key = keyOf(change)
        rows.set(key, sum(rows.get(key), change))
      }
      added = []
    },
    forget() {
      added = []
    },
    reset() {
      rows = new Map()
      added = []
    },
    async write() {
      const written = rows
      rows = new Map()
      for (const row of written.values()) await writeRow(row)
    },
  }
}
