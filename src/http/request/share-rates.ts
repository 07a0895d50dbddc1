// Shares an allowance across replicas: each regularly sends its own use to the others, and counts theirs.
import type { Clock } from '../../ops/clock.ts'
import type { Hints } from '../../store/hints.ts'
import { rateSharedEveryMs } from '../limits.ts'
import type { RateLimits } from './limit-rate.ts'

export interface ShareRates {
  readonly rates: Pick<RateLimits, 'spent' | 'take'>
  readonly hints: Pick<Hints, 'notify' | 'listen'>
  readonly clock: Clock
  /** The name of this replica, unique among replicas. */
  readonly self: string
}

/** A lost message gives a key more than its share, and never less. Disposing ends the exchange. */
export function shareRates({ rates, hints, clock, self }: ShareRates): AsyncDisposable {
  const ended = new AbortController()

  async function run(): Promise<void> {
    while (!ended.signal.aborted) {
      await clock.sleep(rateSharedEveryMs, ended.signal)
      const amounts = rates.spent()
      if (amounts.size > 0) hints.notify({ kind: 'spent', by: self, amounts })
    }
  }

  hints.listen((hint) => {
    if (hint.kind === 'spent' && hint.by !== self) void rates.take(hint.amounts)
  }, ended.signal)
  // Starts counting.
  rates.spent()
  const running = run()
  return {
    async [Symbol.asyncDispose]() {
      ended.abort()
      await running
    },
  }
}
