// Runs several reads on one snapshot of the file, also over several turns of the event loop, in which others write.
import type Database from 'better-sqlite3'
import type { Executor } from '../statement.ts'
import { sqliteExecutor } from './executor.ts'

/** The connection has no other user. One read at a time. */
export function openSnapshots(database: Database.Database) {
  const executor = sqliteExecutor(database)
  const [begin, commit] = [database.prepare('BEGIN'), database.prepare('COMMIT')]
  let last: Promise<unknown> = Promise.resolve()

  async function readNow<T>(read: (executor: Executor) => Promise<T>): Promise<T> {
    begin.run()
    try {
      return await read(executor)
    } finally {
      commit.run()
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
