// By the owner: stores the last observation of each relayer that this process advances, from the reports of steps and surveys. A
// condition is stored within a second; a balance and the time of the observation at most every half minute.
import type { RelayerId } from '../domain/ids.ts'
import { type Held, heldSince, type OwnerReport } from '../domain/owner-report.ts'
import type { Clock } from '../ops/clock.ts'
import { inRounds } from '../ops/in-rounds.ts'
import type { Logger } from '../ops/logger.ts'
import type { Store } from '../store/store.ts'
import { rememberReports, type Seen, type SeenReports } from './remember-reports.ts'

export interface RecordingReports extends AsyncDisposable, Omit<SeenReports, 'get'> {}

/** An observation that differs in nothing but its time and its balance is stored no sooner after the last. */
const unchangedMs = 30_000

export function recordReports({
  store,
  clock,
  logger,
}: {
  readonly store: Pick<Store, 'commit' | 'reads'>
  readonly clock: Clock
  readonly logger: Logger
}): RecordingReports {
  const changed = new Set<RelayerId>()
  /** Reports as last read or written by this process. */
  const stored = new Map<RelayerId, OwnerReport | undefined>()
  const seen = rememberReports(clock, {
    changed: (id) => void changed.add(id),
    // Another owner writes it from now on.
    released: (id) => void stored.delete(id),
  })

  async function flush(): Promise<void> {
    const due: { readonly id: RelayerId; readonly report: OwnerReport }[] = []
    for (const id of changed) {
      const each = seen.get(id)
      if (each && !stored.has(id)) stored.set(id, await store.reads.ownerReport(id))
      const before = stored.get(id)
      if (each && isDue(each, before)) due.push({ id, report: reportOf(each, before) })
      else if (!each || each.observedAt === before?.observedAt) changed.delete(id)
    }
    if (due.length === 0) return
    await store.commit(async (session) => {
      for (const { id, report } of due) await session.recordReport(id, report)
    })
    for (const { id, report } of due) {
      stored.set(id, report)
      if (seen.get(id)?.observedAt === report.observedAt) changed.delete(id)
    }
  }

  const lines = {
    began: 'the last observations of relayers could not be stored; trying again',
    over: 'the last observations of relayers are stored again',
  }
  const flushing = inRounds({ clock, logger, everyMs: 1_000, lines, round: flush, end: flush })
  const { get: _, ...rest } = seen
  return {
    ...rest,
    [Symbol.asyncDispose]: () => flushing[Symbol.asyncDispose](),
  }
}

function reportOf({ observedAt, balance, found }: Seen, before: OwnerReport | undefined): OwnerReport {
  return { observedAt, ...(balance && { balance }), conditions: heldSince(found, before?.conditions ?? [], observedAt) }
}

function isDue(each: Seen, before: OwnerReport | undefined): boolean {
  if (!before || each.observedAt - before.observedAt >= unchangedMs) return true
  if (each.found.length !== before.conditions.length) return true
  return each.found.length > 0 && !isSame(reportOf(each, before).conditions, before.conditions)
}

/** Whether the conditions are the same. Texts don't count: they follow prices, and each change of a price would be a write. */
function isSame(one: readonly Held[], other: readonly Held[]): boolean {
  return one.every(({ condition }, index) => condition === other[index]?.condition)
}
