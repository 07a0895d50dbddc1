// Keeps the audit log within its limits, a little at a time.

import type { Clock } from '../ops/clock.ts'
import { loggingOutage } from '../ops/log-outage.ts'
import type { Logger } from '../ops/logger.ts'
import type { Store } from '../store/store.ts'

export interface PruneAudit {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  readonly limits: { readonly auditEntriesMax: number; readonly auditDaysMax: number }
}

const everyMs = 30_000
const rowsAtOnce = 1_000
const dayMs = 86_400_000

/** Begins at once, and ends when it is disposed of. */
export function pruneAudit({ store, clock, logger, limits }: PruneAudit): AsyncDisposable {
  const ended = new AbortController()
  const running = run()

  async function run(): Promise<void> {
    const outage = loggingOutage(logger, {
      began: 'the audit log was not pruned; trying again',
      over: 'the audit log can be pruned again',
      level: 'warn',
    })
    while (!ended.signal.aborted) {
      let more = false
      try {
        more = await prune()
        outage.worked()
      } catch (error) {
        outage.failed(error)
      }
      if (!more) await clock.sleep(everyMs, ended.signal)
    }
  }

  function prune(): Promise<boolean> {
    const keep = { entriesMax: limits.auditEntriesMax, since: clock.now() - limits.auditDaysMax * dayMs }
    return store.commit((session) => session.pruneAudit(keep, rowsAtOnce))
  }

  return {
    async [Symbol.asyncDispose]() {
      ended.abort()
      await running
    },
  }
}
