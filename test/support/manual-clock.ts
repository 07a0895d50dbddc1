// Time that stands still until a test moves it on.
import type { Clock } from '../../src/ops/clock.ts'
import { now } from '../domain/some.ts'

export interface ManualClock extends Clock {
  /** Wakes whoever sleeps no longer than this. */
  advance(ms: number): void
  /** Sets the machine's clock, forwards or back: nobody sleeps shorter or longer for it. */
  set(ms: number): void
  /** What each sleeper asked for, in the order in which they lay down. */
  readonly sleeping: readonly number[]
}

interface Sleeper {
  readonly ms: number
  readonly until: number
  wake(): void
}

export function manualClock(): ManualClock {
  let time = now
  let skew = 0
  let sleepers: Sleeper[] = []
  return {
    now: () => time + skew,
    elapsed: () => time - now,
    afterThis: (act) => act(),
    sleep(ms, signal) {
      return new Promise((resolve) => {
        if (signal?.aborted) return resolve()
        const sleeper: Sleeper = {
          ms,
          until: time + ms,
          wake() {
            sleepers = sleepers.filter((each) => each !== sleeper)
            signal?.removeEventListener('abort', sleeper.wake)
            resolve()
          },
        }
        sleepers.push(sleeper)
        signal?.addEventListener('abort', sleeper.wake)
      })
    },
    advance(ms) {
      time += ms
      for (const sleeper of sleepers.filter(({ until }) => until <= time)) sleeper.wake()
    },
    set(ms) {
      skew += ms
    },
    get sleeping() {
      return sleepers.map(({ ms }) => ms)
    },
  }
}
