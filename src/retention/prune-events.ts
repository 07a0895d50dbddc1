// Prunes old events that no delivery needs, regularly, and in bounded shares.

import type { Clock } from '../ops/clock.ts'
import { loggingOutage } from '../ops/log-outage.ts'
import type { Logger } from '../ops/logger.ts'
import type { EventRetention } from '../store/retention-port.ts'
import type { Store } from '../store/store.ts'

const pruneEveryMs = 60_000
/** A pause between shares, so that requests come through. */
const breathMs = 20

export interface Pruning {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  readonly retention: EventRetention
}

/** Disposing lets the share under way finish. */
export function pruneEvents({ store, clock, logger, retention }: Pruning): AsyncDisposable {
  const stopping = new AbortController()

  async function prune(): Promise<void> {
    let pruned = 0
    for (let share = 1; share > 0 && !stopping.signal.aborted; pruned += share) {
      share = await store.commit((session) => session.pruneEvents(retention, clock.now()))
      if (share > 0) await clock.sleep(breathMs, stopping.signal)
    }
    if (pruned > 0) logger.info({ pruned }, 'old events are pruned')
  }

  async function run(): Promise<void> {
    const [began, over] = ['events could not be pruned; trying again', 'events can be pruned again']
    const outage = loggingOutage(logger, { began, over })
    while (!stopping.signal.aborted) {
      await prune().then(outage.worked, (error: unknown) => void outage.failed(error))
      await clock.sleep(pruneEveryMs, stopping.signal)
    }
  }

  const running = run()
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await running
    },
  }
}
