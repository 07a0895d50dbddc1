// Runs statements on one SQLite connection, each prepared once.
import type Database from 'better-sqlite3'
import type { Executor, QueuedStatement, Statement } from '../statement.ts'

export interface SqliteExecutor extends Executor {
  change: NonNullable<Executor['change']>
  /** Rows written so far, including those rolled back. */
  changes(): number
}

interface Prepared {
  run(parameters: object): unknown[]
  /** Returns how many rows it changed. It returns no rows. */
  change(parameters: object): number
}

export function sqliteExecutor(database: Database.Database): SqliteExecutor {
  const prepared = new Map<unknown, Prepared>()
  let changed = 0

  function prepare(statement: QueuedStatement<object, unknown>): Prepared {
    const { sql, bind } = statement.compiled('sqlite')
    const handle = database.prepare(sql)
    const change = (parameters: object) => {
      const { changes } = handle.run(bind(parameters))
      changed += changes
      return changes
    }
    const writing = (parameters: object) => {
      change(parameters)
      return []
    }
    const returning = (parameters: object) => {
      const rows = handle.all(bind(parameters))
      if (!handle.readonly) changed += rows.length
      return rows
    }
    const fresh: Prepared = { run: handle.reader ? returning : writing, change }
    prepared.set(statement, fresh)
    return fresh
  }

  const preparedOf = <P extends object, R>(statement: QueuedStatement<P, R>) =>
    prepared.get(statement) ?? prepare(statement)

  return {
    // Async, so that one set of queries serves every database; SQLite itself returns at once.
    async all<P extends object, R>(statement: Statement<P, R>, parameters: P): Promise<R[]> {
      return preparedOf(statement).run(parameters) as R[]
    },
    change(statement, parameters, missing) {
      if (preparedOf(statement).change(parameters) === 0) throw missing()
    },
    turnOfEventLoop: () => new Promise((resolve) => setImmediate(resolve)),
    changes: () => changed,
  }
}
