// Shrinks the rows of attempts whose transactions have ended, in bounded portions.
import type { Clock } from '../ops/clock.ts'
import { inRounds } from '../ops/in-rounds.ts'
import type { Logger } from '../ops/logger.ts'
import type { ShrinkableAccount } from '../store/retention-port.ts'
import type { Store } from '../store/store.ts'
import { hourlyMs, withBreath } from './with-breath.ts'

interface ShrinkAttempts {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  readonly pace?: ShrinkingPace
}

interface ShrinkingPace {
  /** Transactions in one unit. */
  readonly rowsAtOnce: number
  readonly everyMs: number
}

/**
 * A unit blocks the store for a few milliseconds. Rounds are long apart: only pages that lose all their rows have room for
 * new ones, so many neighbors have to go at once.
 */
const usualPace: ShrinkingPace = { rowsAtOnce: 200, everyMs: hourlyMs }

/** Each replica does it: an ended transaction has no owner, and the recorded position lets one of them do each portion. */
export function shrinkAttempts(given: ShrinkAttempts): AsyncDisposable {
  const { store, clock, logger, pace = usualPace } = given

  async function round(signal: AbortSignal): Promise<void> {
    let accounts = await store.reads.shrinkableAccounts()
    let shrunk = 0
    // By turns, since the rows of all relayers share pages.
    while (accounts.length > 0 && !signal.aborted) {
      const unfinished: ShrinkableAccount[] = []
      for (const account of accounts) {
        if (signal.aborted) break
        const portion = () => store.commit((session) => session.shrinkAttempts(account, pace.rowsAtOnce))
        const { transactions, mayHaveMore } = await withBreath(clock, signal, portion)
        shrunk += transactions
        if (mayHaveMore) unfinished.push(account)
      }
      accounts = unfinished
    }
    if (shrunk > 0) logger.info({ transactions: shrunk }, 'attempts of ended transactions are shrunk')
  }

  const lines = {
    began: 'attempts of ended transactions could not be shrunk; trying again',
    over: 'attempts of ended transactions can be shrunk again',
  }
  return inRounds({ clock, logger, everyMs: pace.everyMs, lines, round })
}
