// The machine's disk: one database file, in memory where the machine offers that, which outlives every process of a run
// and is wiped between runs. Its connections are opened once: what a crash leaves undone is rolled back, as closing would.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { type SqliteExecutor, sqliteExecutor } from '../../src/store/sqlite/executor.ts'
import { migrate } from '../../src/store/sqlite/migrate.ts'
import type { Executor } from '../../src/store/statement.ts'
import { answeredAttempts } from '../../tooling/answered-attempts.ts'
import { type Journal, keepJournal } from './journal.ts'

export interface Disk extends Disposable {
  readonly writer: Database.Database
  /** Reads uncommitted changes. */
  readonly writing: SqliteExecutor
  /** Reads committed changes only. */
  readonly reading: Executor
  /** A statement of transactions, such as COMMIT. */
  control(sql: string): Database.Statement
  /** Commits that changed rows. */
  commits: number
  /** A query of committed rows. */
  committed<P extends unknown[], R>(sql: string): (...parameters: P) => R[]
  /** Ids of transactions whose rows were written since, including writes that were rolled back. */
  readonly touched: Set<string>
  readonly journal: Journal
  /** Every table is as the migrations left it. */
  wipe(): void
  /** Copies the committed rows. */
  copy(): Copy
  /** Nothing else holds the disk. */
  putBack(copy: Copy): void
}

/** By table. */
export type Copy = ReadonlyMap<string, readonly (readonly unknown[])[]>

export function openDisk(): Disk {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'rescind-sim-'))
  const path = join(folder, 'sim.db')
  const writer = connect(path)
  migrate(writer, 0)
  const touched = watchTransactions(writer)
  const journal = keepJournal(writer)
  // The witness looks attempts up by their hash, which the service never does.
  writer.exec('CREATE INDEX attempts_hash ON attempts (hash)')
  writer.exec(`CREATE VIEW answered AS SELECT * FROM ${answeredAttempts('sqlite')}`)
  const reader = connect(path)
  reader.pragma('query_only = ON')
  const wipes = emptyTables(writer).map((table) => writer.prepare(`DELETE FROM "${table}"`))
  const tables = allTables(writer)
  const controls = new Map<string, Database.Statement>()
  const [writing, besides] = [sqliteExecutor(writer), sqliteExecutor(reader)]
  // While nothing is being written, the writer reads committed rows, from pages in memory. Another connection would read them again
  // after every commit.
  const reading: Executor = {
    all: (query, parameters) => (writer.inTransaction ? besides : writing).all(query, parameters),
  }
  return {
    writer,
    writing,
    reading,
    control(sql) {
      const known = controls.get(sql) ?? writer.prepare(sql)
      controls.set(sql, known)
      return known
    },
    commits: 0,
    committed<P extends unknown[], R>(sql: string) {
      const [own, other] = [writer.prepare<P, R>(sql), reader.prepare<P, R>(sql)]
      return (...parameters: P) => (writer.inTransaction ? other : own).all(...parameters)
    },
    touched,
    journal,
    wipe() {
      writer.transaction(() => {
        for (const each of wipes) each.run()
      })()
      touched.clear()
      journal.wipe()
    },
    copy: () =>
      reader.transaction(
        () =>
          new Map(
            tables.map((table) => [table, reader.prepare(`SELECT * FROM "${table}"`).raw().all() as unknown[][]]),
          ),
      )(),
    putBack(copy) {
      if (writer.inTransaction) throw new Error('somebody is writing while a copy is put back')
      fill(writer, copy)
      journal.skip()
    },
    [Symbol.dispose]() {
      for (const database of [reader, writer]) database.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Its tables are as they were when the copy was made. */
export function fill(database: Database.Database, copy: Copy): void {
  database.transaction(() => {
    for (const [table, rows] of copy) {
      database.prepare(`DELETE FROM "${table}"`).run()
      const [first] = rows
      if (!first) continue
      const insert = database.prepare(`INSERT INTO "${table}" VALUES (${first.map(() => '?').join()})`)
      for (const row of rows) insert.run(...row)
    }
  })()
}

function connect(path: string): Database.Database {
  const database = new Database(path)
  database.pragma('journal_mode = WAL')
  // A crash ends a process here, never the machine, so commits need no disk.
  database.pragma('synchronous = OFF')
  database.pragma('foreign_keys = ON')
  return database
}

/** Triggers of this connection only: the schema is production's. */
function watchTransactions(writer: Database.Database): Set<string> {
  const touched = new Set<string>()
  writer.function('touched', (id) => {
    touched.add(String(id))
    return null
  })
  for (const [event, row] of [
    ['INSERT', 'NEW'],
    ['UPDATE', 'NEW'],
    ['DELETE', 'OLD'],
  ]) {
    writer.exec(
      `CREATE TEMP TRIGGER touched_${event} AFTER ${event} ON main.transactions BEGIN SELECT touched(${row}.id); END`,
    )
  }
  return touched
}

/** All but those that the migrations themselves fill. */
function emptyTables(writer: Database.Database): readonly string[] {
  return allTables(writer).filter((name) => writer.prepare(`SELECT 1 FROM "${name}" LIMIT 1`).get() === undefined)
}

function allTables(writer: Database.Database): readonly string[] {
  const names = writer.prepare<[], string>(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  )
  return names.pluck().all()
}
