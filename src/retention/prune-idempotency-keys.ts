// Removes old idempotency keys, and each `external_id` whose transaction was removed long ago, in bounded portions. A later request under
// such a name is a new one.
import type { Clock } from '../ops/clock.ts'
import { inRounds } from '../ops/in-rounds.ts'
import type { Logger } from '../ops/logger.ts'
import type { Store } from '../store/store.ts'
import { hourlyMs, withBreath } from './with-breath.ts'

interface PruneIdempotencyKeys {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  /** Counted from the end of the transaction; of several, from the last end. */
  readonly keptMs: number
}

/** Rows in one unit: it blocks the store no longer than some requests do. */
const rowsAtOnce = 500

export function pruneIdempotencyKeys({ store, clock, logger, keptMs }: PruneIdempotencyKeys): AsyncDisposable {
  async function round(signal: AbortSignal): Promise<void> {
    const now = clock.now()
    const before = now - keptMs
    let removed = 0
    for (let more = true; more && !signal.aborted; ) {
      const portion = await withBreath(clock, signal, () =>
        store.commit((session) => session.pruneClaims(before, now, rowsAtOnce)),
      )
      removed += portion.removed
      more = portion.mayHaveMore
    }
    if (removed > 0) logger.info({ removed }, 'old idempotency keys are removed')
    await freeExternalIds(before, signal)
  }

  async function freeExternalIds(before: number, signal: AbortSignal): Promise<void> {
    const portion = () => store.commit((session) => session.pruneExternalIds(before, rowsAtOnce))
    let removed = 0
    for (let last = rowsAtOnce; last === rowsAtOnce && !signal.aborted; removed += last) {
      last = await withBreath(clock, signal, portion)
    }
    if (removed > 0) logger.info({ removed }, 'old external ids are free')
  }

  const lines = {
    began: 'old idempotency keys could not be removed; trying again',
    over: 'old idempotency keys can be removed again',
  }
  return inRounds({ clock, logger, everyMs: hourlyMs, lines, round })
}
