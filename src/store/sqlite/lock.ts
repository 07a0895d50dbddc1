// Lets one process at a time use a database file. The lock is a separate file, so that other programs can read and back up
// the data. The operating system releases it when the process dies, however it dies.

import Database from 'better-sqlite3'
import { memberOf } from '../../ops/member.ts'
import { StoreInUse } from '../store.ts'

/** Throws StoreInUse while another process holds it. */
export function lockDatabase(path: string): { release(): void } {
  const lock = new Database(`${path}-lock`, { timeout: 0 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    lock.close()
    if (memberOf(cause, 'code') !== 'SQLITE_BUSY') throw cause
    throw new StoreInUse(
      `the database ${path} is in use by another rescind process: one process a file; stop the other, or give this one a DATABASE_URL of its own`,
      { cause },
    )
  }
  return { release: () => lock.close() }
}
