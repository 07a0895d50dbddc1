// One allowance across replicas: each tells the others now and then what was used up of it, and counts what they tell.
import type { Clock } from '../../ops/clock.ts'
import type { Hints } from '../../store/hints.ts'
import { rateSharedEveryMs } from '../limits.ts'
import type { RateLimits } from './limit-rate.ts'

export interface ShareRates {
  readonly rates: Pick<RateLimits, 'spent' | 'take'>
  readonly hints: Pick<Hints, 'notify' | 'listen'>
  readonly clock: Clock
  /** This replica's own name, which no other has. */
  readonly self: string
}

/** What is told may be lost: then a key gets more than its share, and never less. Ends when it is disposed of. */
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
  // Counted from now on.
  rates.spent()
  const running = run()
  return {
    async [Symbol.asyncDispose]() {
      ended.abort()
      await running
    },
  }
}
