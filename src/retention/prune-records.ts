// Keeps the audit log, bulk cancellations, figures and contradictions within their limits, a little at a time.
import { contradictionKeptMs } from '../domain/contradiction.ts'
import { figuresKeptMs } from '../domain/figures.ts'
import type { Clock } from '../ops/clock.ts'
import { inRounds } from '../ops/in-rounds.ts'
import type { Logger } from '../ops/logger.ts'
import type { Store } from '../store/store.ts'

interface PruneRecords {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  readonly limits: {
    readonly auditEntriesMax: number
    readonly auditDaysMax: number
    readonly bulksMax: number
    readonly bulkDaysMax: number
    readonly emptyBulkDaysMax: number
  }
}

const everyMs = 30_000
const rowsAtOnce = 1_000
/** Each with a part for each of its relayers. */
const bulksAtOnce = 100
const dayMs = 86_400_000

/** Begins at once, and ends when it is disposed of. */
export function pruneRecords({ store, clock, logger, limits }: PruneRecords): AsyncDisposable {
  async function round(signal: AbortSignal): Promise<void> {
    while ((await prune()) && !signal.aborted);
  }

  function prune(): Promise<boolean> {
    const since = (days: number) => clock.now() - days * dayMs
    const audit = { entriesMax: limits.auditEntriesMax, since: since(limits.auditDaysMax) }
    const bulks = {
      entriesMax: limits.bulksMax,
      since: since(limits.bulkDaysMax),
      emptySince: since(limits.emptyBulkDaysMax),
    }
    return store.commit(async (session) => {
      const moreAudit = await session.pruneAudit(audit, rowsAtOnce)
      const moreBulks = await session.pruneBulks(bulks, bulksAtOnce)
      // Each network has few of them.
      await session.pruneContradictions(clock.now() - contradictionKeptMs)
      const figures = await session.pruneFigures(clock.now() - figuresKeptMs, rowsAtOnce)
      return moreAudit || moreBulks || figures === rowsAtOnce
    })
  }

  const lines = {
    began: 'old records were not removed; trying again',
    over: 'old records can be removed again',
    level: 'warn',
  } as const
  return inRounds({ clock, logger, everyMs, lines, round })
}
