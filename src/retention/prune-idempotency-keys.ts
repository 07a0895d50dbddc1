// Removes old idempotency keys, in bounded shares. A later request under such a key is a new one.
import type { Clock } from '../ops/clock.ts'
import type { Logger } from '../ops/logger.ts'
import type { Store } from '../store/store.ts'
import { hourlyMs, inRounds, withBreath } from './in-rounds.ts'

export interface PruneIdempotencyKeys {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  /** Counted from the first request under the key. */
  readonly keptMs: number
}

/** Rows in one unit: it blocks the store no longer than some requests do. */
const rowsAtOnce = 500

export function pruneIdempotencyKeys({ store, clock, logger, keptMs }: PruneIdempotencyKeys): AsyncDisposable {
  async function round(signal: AbortSignal): Promise<void> {
    const before = clock.now() - keptMs
    const share = () => store.commit((session) => session.pruneClaims(before, rowsAtOnce))
    let removed = 0
    for (let last = rowsAtOnce; last === rowsAtOnce && !signal.aborted; removed += last) {
      last = await withBreath(clock, signal, share)
    }
    if (removed > 0) logger.info({ removed }, 'old idempotency keys are removed')
  }

  const lines = {
    began: 'old idempotency keys could not be removed; trying again',
    over: 'old idempotency keys can be removed again',
  }
  return inRounds({ clock, logger, everyMs: hourlyMs, lines, round })
}
