// Reports the relayers whose accounts another service of the database has: nobody here advances them, so no step explains why their
// transactions wait. The owner's first step clears it.
import { isChange } from '../domain/decide/plan/decision.ts'
import { explainAccountInUse, withoutRepeats } from '../domain/decide/waits/explain-waits.ts'
import { StaleWrite } from '../domain/errors.ts'
import type { RelayerId } from '../domain/ids.ts'
import type { Relayer } from '../domain/relayer.ts'
import { saveWaits } from './record.ts'
import type { StepContext } from './step-context.ts'

/** New transactions of such a relayer get their reason within this time. */
const againAfterMs = 5_000

interface Reported {
  readonly relayer: Relayer
  /** The time of the report, in elapsed time. */
  readonly at: number
}

/** A reporter that is called with all such relayers of the moment, twice a second. */
export function reportingAccountsInUse(context: StepContext): (relayers: readonly RelayerId[]) => void {
  const { store, clock, observer, logger } = context
  const reported = new Map<RelayerId, Reported>()
  let running = false

  function endOthers(relayers: readonly RelayerId[]): void {
    const inUse = new Set(relayers)
    for (const [id, { relayer }] of reported) {
      if (inUse.has(id)) continue
      reported.delete(id)
      observer.accountInUse(relayer, false)
    }
  }

  async function report(id: RelayerId): Promise<void> {
    const work = await store.reads.work(id)
    if (!work) return
    reported.set(id, { relayer: work.relayer, at: clock.elapsed() })
    observer.accountInUse(work.relayer, true)
    const changes = withoutRepeats(explainAccountInUse(work)).filter(isChange)
    if (changes.length === 0) return
    const now = clock.now()
    await store.commit((session) => saveWaits(session, changes, now), id)
  }

  async function reportDue(relayers: readonly RelayerId[]): Promise<void> {
    for (const id of relayers) {
      const before = reported.get(id)
      if (before && clock.elapsed() - before.at < againAfterMs) continue
      try {
        await report(id)
      } catch (error) {
        // A client or an owner was faster.
        if (!(error instanceof StaleWrite)) throw error
      }
    }
  }

  return (relayers) => {
    endOthers(relayers)
    if (running || relayers.length === 0) return
    running = true
    reportDue(relayers)
      .catch((error: unknown) => logger.debug({ err: error }, 'relayers whose accounts are in use were not reported'))
      .finally(() => {
        running = false
      })
  }
}
