// The mark in a SQLite file whose data was transferred to PostgreSQL, so that no service uses both.
import type Database from 'better-sqlite3'
import type { TimestampMs } from '../../domain/units.ts'
import { OperatorError } from '../../ops/operator-error.ts'

/**
 * `moving` is written before the target's commit, and `moved` after it. In between only the target's record shows whether
 * the transfer is complete.
 */
export interface Mark {
  readonly move: string
  readonly state: 'moving' | 'moved'
  /** For people, without a secret. */
  readonly target: string
  readonly at: TimestampMs
}

// Stored as a migration's name: versions without marks refuse a file with a migration that they do not have.
const name = 'moved-to-postgresql'

/** No service may use the file: its data was transferred, or a transfer is unfinished. */
class StoreTransferred extends OperatorError {
  override readonly name = 'StoreTransferred'
}

export function readMark(database: Database.Database): Mark | undefined {
  const has = (table: string) =>
    database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(table) !== undefined
  if (!has('migrations')) return undefined
  if (!database.prepare('SELECT 1 FROM migrations WHERE name = ?').get(name)) return undefined
  const row = database.prepare<[], Mark>('SELECT move, state, target, at FROM moved WHERE id = 1').get()
  if (!row)
    throw new StoreTransferred(`${database.name} is marked as moved to PostgreSQL, but does not name the database`)
  return row
}

export function writeMark(database: Database.Database, mark: Mark): void {
  database.exec(`CREATE TABLE IF NOT EXISTS moved
    (id INTEGER PRIMARY KEY, move TEXT NOT NULL, state TEXT NOT NULL, target TEXT NOT NULL, at INTEGER NOT NULL)`)
  database.prepare('INSERT OR REPLACE INTO moved VALUES (1, @move, @state, @target, @at)').run(mark)
  database.prepare('INSERT OR IGNORE INTO migrations (name, applied_at) VALUES (?, ?)').run(name, mark.at)
}

/** Removes the migration's name only: the record of the transfer stays. */
export function unmark(database: Database.Database): void {
  database.prepare('DELETE FROM migrations WHERE name = ?').run(name)
}

/** Throws StoreTransferred on a file with a mark. */
export function refuseTransferred(database: Database.Database): void {
  const mark = readMark(database)
  if (!mark) return
  const command = `rescind migrate sqlite-to-postgres --from "${database.name}"`
  if (mark.state === 'moving') {
    throw new StoreTransferred(
      `a transfer of ${database.name} to ${mark.target} was cut off at its last step, and only the target shows whether it is complete: run it again (${command}) with DATABASE_URL of that database; it finishes a complete transfer, and repeats an incomplete one`,
    )
  }
  throw new StoreTransferred(
    `the data of ${database.name} was moved to ${mark.target} at ${new Date(mark.at).toISOString()}: set DATABASE_URL to that database. To go back before anything was written there, stop the service on it and run: ${command} --undo, with DATABASE_URL of that database`,
  )
}
