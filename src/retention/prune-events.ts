// Prunes old events that no delivery needs, regularly, and in bounded shares.

import type { Clock } from '../ops/clock.ts'
import type { Logger } from '../ops/logger.ts'
import type { EventRetention } from '../store/retention-port.ts'
import type { Store } from '../store/store.ts'
import { inRounds } from './in-rounds.ts'

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
  async function round(signal: AbortSignal): Promise<void> {
    let pruned = 0
    for (let share = 1; share > 0 && !signal.aborted; pruned += share) {
      share = await store.commit((session) => session.pruneEvents(retention, clock.now()))
      if (share > 0) await clock.sleep(breathMs, signal)
    }
    if (pruned > 0) logger.info({ pruned }, 'old events are pruned')
  }

  const lines = { began: 'events could not be pruned; trying again', over: 'events can be pruned again' }
  return inRounds({ clock, logger, everyMs: pruneEveryMs, lines, round })
}
