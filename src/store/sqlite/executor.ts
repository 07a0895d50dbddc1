// Runs statements on one SQLite connection, each prepared once.
import type Database from 'better-sqlite3'
import type { Executor, QueuedStatement, Statement } from '../statement.ts'

export interface SqliteExecutor extends Executor {
  /** Rows written so far, including those rolled back. */
  changes(): number
}

interface Prepared {
  run(parameters: object): unknown[]
}

export function sqliteExecutor(database: Database.Database): SqliteExecutor {
  const prepared = new Map<unknown, Prepared>()
  let changed = 0

  function prepare(statement: QueuedStatement<object, unknown>): Prepared {
    const { sql, bind } = statement.compiled('sqlite')
    const handle = database.prepare(sql)
    const writing = (parameters: object) => {
      changed += handle.run(bind(parameters)).changes
      return []
    }
    const returning = (parameters: object) => {
      const rows = handle.all(bind(parameters))
      if (!handle.readonly) changed += rows.length
      return rows
    }
    const fresh: Prepared = { run: handle.reader ? returning : writing }
    prepared.set(statement, fresh)
    return fresh
  }

  return {
    // Async, so that one set of queries serves every database; SQLite itself returns at once.
    async all<P extends object, R>(statement: Statement<P, R>, parameters: P): Promise<R[]> {
      const handle = prepared.get(statement) ?? prepare(statement)
      return handle.run(parameters) as R[]
    },
    changes: () => changed,
    keepsBuckets: true,
  }
}
