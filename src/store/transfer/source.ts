// The SQLite file of a transfer: locked, and inside one transaction from the first read to the mark.

import { realpathSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import type { TimestampMs } from '../../domain/units.ts'
import { memberOf } from '../../ops/member.ts'
import { OperatorError } from '../../ops/operator-error.ts'
import { codeOf } from '../failure.ts'
import { missingMigrations } from '../migrations/migrations.ts'
import { lockDatabase } from '../sqlite/lock.ts'
import { migrate } from '../sqlite/migrate.ts'
import { type Mark, readMark, unmark, writeMark } from '../sqlite/transfer-mark.ts'
import { StoreInUse } from '../store.ts'
import { type Row, rowOf, type Table } from './rows.ts'

export interface Source extends Disposable {
  readonly path: string
  readonly mark: Mark | undefined
  /** Ordered by name. */
  readonly tables: readonly Table[]
  /** Rows in the order of the key. One read at a time. */
  rows(table: Table): IterableIterator<Row>
  /** The mark and the schema are durable when it returns. The file changes only by `write` and `unmark`. */
  write(mark: Mark): void
  unmark(): void
}

interface Options {
  readonly path: string
  readonly now: TimestampMs
  /** Accepts a file that a service uses, as of now, if it has this version's schema. */
  readonly readOnly: boolean
}

/** Tables about the database itself: each side has its own. */
const notData = ['audit_count', 'migrations', 'probe', 'moved']

/** Throws OperatorError for a missing file, a file that is no database or of a later version, or one that is in use. */
export function openSource(options: Options): Source {
  const { path } = options
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
    throw new OperatorError(`--from: there is no file ${path}; name the SQLite file to move`)
  }
  try {
    return holdFile({ ...options, path: realpathSync(path) })
  } catch (cause) {
    if (cause instanceof OperatorError || !codeOf(cause).startsWith('SQLITE_')) throw cause
    throw new OperatorError(`${path} can't be used as a database: ${memberOf(cause, 'message')}`, { cause })
  }
}

function holdFile({ path, now, readOnly }: Options): Source {
  using opened = new DisposableStack()
  const isRunning = !takeLock(path, opened, readOnly)
  const database = new Database(path, { readonly: isRunning, timeout: 5_000 })
  opened.defer(() => database.close())
  begin(database, path, isRunning)
  const mark = readMark(database)
  bringUpToDate(database, path, now, isRunning)
  const tables = tablesOf(database)

  const everything = opened.move()
  const commit = () => {
    if (database.inTransaction) database.exec('COMMIT')
  }
  return {
    path,
    mark,
    tables,
    *rows(table) {
      const order = table.key.map(quoted).join(', ')
      const all = `SELECT ${table.columns.map(quoted).join(', ')} FROM ${quoted(table.name)} ORDER BY ${order}`
      const values = database.prepare<[], unknown[]>(all).raw().safeIntegers().iterate()
      for (const each of values) yield rowOf(table, each)
    },
    write(next) {
      writeMark(database, next)
      commit()
    },
    unmark() {
      unmark(database)
      commit()
    },
    // Rolls back uncommitted changes.
    [Symbol.dispose]: () => everything.dispose(),
  }
}

/** Whether this process has the file to itself. Throws StoreInUse where that is required. */
function takeLock(path: string, opened: DisposableStack, readOnly: boolean): boolean {
  try {
    const lock = lockDatabase(path)
    opened.defer(() => lock.release())
    return true
  } catch (error) {
    if (!(error instanceof StoreInUse)) throw error
    if (readOnly) return false
    throw new StoreInUse(`a service runs on ${path}: stop it first, and start it on the target afterwards`, {
      cause: error,
    })
  }
}

function begin(database: Database.Database, path: string, isRunning: boolean): void {
  if (!isRunning) database.pragma('synchronous = FULL')
  database.exec(isRunning ? 'BEGIN' : 'BEGIN IMMEDIATE')
  const fault = database.pragma('quick_check(1)', { simple: true })
  if (fault !== 'ok') throw new OperatorError(`${path} is damaged (${fault}); restore a back-up of it`)
}

function bringUpToDate(database: Database.Database, path: string, now: TimestampMs, isRunning: boolean): void {
  const known = database.prepare<[], string>("SELECT name FROM sqlite_master WHERE name = 'migrations'").pluck().get()
  if (!known) throw new OperatorError(`${path} is no database of this service: it holds no table "migrations"`)
  if (!isRunning) {
    // `migrate` would refuse the mark's name. The transaction's owner then writes the mark again, or commits without it.
    unmark(database)
    migrate(database, now)
    return
  }
  const missing = missingMigrations(database.prepare<[], string>('SELECT name FROM migrations').pluck().all())
  if (missing.length === 0) return
  throw new OperatorError(
    `a service of an older version runs on ${path} (its schema lacks ${missing[0]?.name}): stop it, and try again`,
  )
}

function tablesOf(database: Database.Database): readonly Table[] {
  const names = database
    .prepare<[], string>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )
    .pluck()
    .all()
  return names
    .filter((name) => !notData.includes(name))
    .map((name) => {
      const columns = database.prepare<[string], Column>('SELECT name, pk FROM pragma_table_info(?)').all(name)
      const key = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk)
      return { name, columns: columns.map((each) => each.name), key: key.map((each) => each.name) }
    })
}

interface Column {
  readonly name: string
  /** The position in the primary key, from 1; 0 outside of it. */
  readonly pk: number
}

const quoted = (name: string) => `"${name}"`
