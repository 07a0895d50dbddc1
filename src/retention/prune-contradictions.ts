// Removes the contradictions between endpoints that are older than a week.
import { contradictionKeptMs } from '../domain/contradiction.ts'
import type { Clock } from '../ops/clock.ts'
import { inRounds } from '../ops/in-rounds.ts'
import type { Logger } from '../ops/logger.ts'
import type { Store } from '../store/store.ts'
import { hourlyMs } from './with-breath.ts'

interface PruneContradictions {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
}

/** One unit a round: each network has few of them. */
export function pruneContradictions({ store, clock, logger }: PruneContradictions): AsyncDisposable {
  const lines = {
    began: 'old contradictions could not be removed; trying again',
    over: 'old contradictions can be removed again',
  }
  const round = async () => {
    const before = clock.now() - contradictionKeptMs
    await store.commit((session) => session.pruneContradictions(before))
  }
  return inRounds({ clock, logger, everyMs: hourlyMs, lines, round })
}
