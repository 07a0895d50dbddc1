// Database files for runs: each begins as a copy of one empty database, in memory where the machine offers that.
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { migrate } from '../../src/store/sqlite/migrate.ts'

export function openDatabase(path: string): Database.Database {
  const database = new Database(path)
  database.pragma('journal_mode = WAL')
  // A crash here ends a process, never the machine: what is committed needs no disk.
  database.pragma('synchronous = OFF')
  database.pragma('foreign_keys = ON')
  return database
}

export interface DatabaseFolder extends Disposable {
  /** A fresh, empty database of the present schema. */
  fresh(): string
}

export function openDatabaseFolder(): DatabaseFolder {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'rescind-sim-'))
  const template = join(folder, 'template.db')
  const database = new Database(template)
  migrate(database, 0)
  database.close()
  let made = 0
  return {
    fresh() {
      made += 1
      const path = join(folder, `${made}.db`)
      for (const ending of ['', '-wal', '-shm']) rmSync(join(folder, `${made - 1}.db${ending}`), { force: true })
      copyFileSync(template, path)
      return path
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}
