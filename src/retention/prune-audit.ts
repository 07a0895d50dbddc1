// Keeps the audit log and the records of signatures within their limits, a little at a time.

import type { Clock } from '../ops/clock.ts'
import { loggingOutage } from '../ops/log-outage.ts'
import type { Logger } from '../ops/logger.ts'
import type { Store } from '../store/store.ts'

export interface PruneAudit {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  readonly limits: {
    readonly auditEntriesMax: number
    readonly auditDaysMax: number
    readonly signaturesMax: number
    readonly signatureDaysMax: number
  }
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
    const since = (days: number) => clock.now() - days * dayMs
    const audit = { entriesMax: limits.auditEntriesMax, since: since(limits.auditDaysMax) }
    const signatures = { entriesMax: limits.signaturesMax, since: since(limits.signatureDaysMax) }
    return store.commit(async (session) => {
      const moreAudit = await session.pruneAudit(audit, rowsAtOnce)
      return (await session.pruneSignatures(signatures, rowsAtOnce)) || moreAudit
    })
  }

  return {
    async [Symbol.asyncDispose]() {
      ended.abort()
      await running
    },
  }
}
