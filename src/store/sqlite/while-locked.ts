// Another program may lock the file: a shell, a backup, a tool that looks at it. SQLite itself would wait for it inside a call, and
// stop the event loop. So a call waits a moment only, and what it refuses is tried again in later turns of the loop.
import type { Clock } from '../../ops/clock.ts'
import { codeOf, type RunAgain } from '../failure.ts'

/** How long one call may stop the event loop. */
export const busyTimeoutMs = 5
/** A backup is over by then. Later the program may hold the lock for good. */
const lockedMaxMs = 5_000
const betweenTriesMs = 20

export function isLocked(error: unknown): boolean {
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
