// Lets one process at a time use a database file. The lock is a separate file, so that other programs can read and back up
// the data. The operating system releases it when the process dies, however it dies.
import Database from 'better-sqlite3'
import type { Clock } from '../../ops/clock.ts'
import { memberOf } from '../../ops/member.ts'
import { codeOf, type RunAgain } from '../failure.ts'
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

// Another program may lock the file: a shell, a backup, a tool that looks at it. SQLite itself would wait for it inside a call,
// and stop the event loop. So a call waits a moment only, and what it refuses is tried again in later turns of the loop.

/** How long one call may stop the event loop. */
export const busyTimeoutMs = 5
/** A backup is over by then. Later the program may hold the lock for good. */
const lockedMaxMs = 5_000
const betweenTriesMs = 20

function isLocked(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error))
}

export function runningWhileLocked(clock: Pick<Clock, 'elapsed' | 'sleep'>): RunAgain {
  const never = new AbortController().signal
  return async (failure, run) => {
    const until = clock.elapsed() + lockedMaxMs
    for (let error = failure; ; ) {
      if (!isLocked(error) || clock.elapsed() >= until) throw error
      await clock.sleep(betweenTriesMs, never)
      try {
        return await run()
      } catch (next) {
        error = next
      }
    }
  }
}
