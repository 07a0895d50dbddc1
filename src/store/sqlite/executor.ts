// Runs statements on one SQLite connection, each prepared once.
import type Database from 'better-sqlite3'
import type { Executor, Statement } from '../statement.ts'

interface Prepared {
  run(parameters: object): unknown[]
}

export function sqliteExecutor(database: Database.Database): Executor {
  const prepared = new Map<unknown, Prepared>()

  function prepare(statement: Statement<object, unknown>): Prepared {
    const { sql, bind } = statement.compiled('sqlite')
    const handle = database.prepare(sql)
    const fresh: Prepared = handle.reader
      ? { run: (parameters) => handle.all(bind(parameters)) }
      : {
          run: (parameters) => {
            handle.run(bind(parameters))
            return []
          },
        }
    prepared.set(statement, fresh)
    return fresh
  }

  return {
    // Async in form, so that one set of queries serves every database; SQLite answers at once.
    async all<P extends object, R>(statement: Statement<P, R>, parameters: P): Promise<R[]> {
      const handle = prepared.get(statement) ?? prepare(statement as Statement<object, unknown>)
      return handle.run(parameters) as R[]
    },
  }
}
