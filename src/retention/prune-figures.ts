// Removes the figures of five minutes that are older than eight days, in bounded portions, and the contradictions between endpoints that
// are older than a week.
import { contradictionKeptMs } from '../domain/contradiction.ts'
import { figuresKeptMs } from '../domain/figures.ts'
import type { Clock } from '../ops/clock.ts'
import { inRounds } from '../ops/in-rounds.ts'
import type { Logger } from '../ops/logger.ts'
import type { Store } from '../store/store.ts'
import { hourlyMs, withBreath } from './with-breath.ts'

interface PruneFigures {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
}

/** Rows in one unit: it blocks the store no longer than some requests do. */
const rowsAtOnce = 500

export function pruneFigures({ store, clock, logger }: PruneFigures): AsyncDisposable {
  async function round(signal: AbortSignal): Promise<void> {
    const before = clock.now() - figuresKeptMs
    // Each network has few of them.
    await store.commit((session) => session.pruneContradictions(clock.now() - contradictionKeptMs))
    const portion = () => store.commit((session) => session.pruneFigures(before, rowsAtOnce))
    for (let last = rowsAtOnce; last === rowsAtOnce && !signal.aborted; )
      last = await withBreath(clock, signal, portion)
  }

  const lines = {
    began: 'old figures and contradictions could not be removed; trying again',
    over: 'old figures and contradictions can be removed again',
  }
  return inRounds({ clock, logger, everyMs: hourlyMs, lines, round })
}
