// Reads that take several turns of the event loop, on one snapshot of the file: other requests come between.
import type Database from 'better-sqlite3'
import type { Executor } from '../statement.ts'
import { sqliteExecutor } from './executor.ts'

/** The connection has no other user. One read at a time. */
export function openSnapshots(database: Database.Database) {
  const executor = sqliteExecutor(database)
  let last: Promise<unknown> = Promise.resolve()

  async function readNow<T>(read: (executor: Executor) => Promise<T>): Promise<T> {
    database.exec('BEGIN')
    try {
      return await read(executor)
    } finally {
      database.exec('COMMIT')
    }
  }

  return {
    asOfOneInstant<T>(read: (executor: Executor) => Promise<T>): Promise<T> {
      const reading = last.then(() => readNow(read))
      last = reading.catch(() => undefined)
      return reading
    },
  }
}
