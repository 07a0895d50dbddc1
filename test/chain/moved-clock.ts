// The system's clock, which a test moves on.
import { type Clock, systemClock } from '../../src/ops/clock.ts'

export function movedClock(): Clock & { move(ms: number): void } {
  let ahead = 0
  return {
    ...systemClock,
    now: () => systemClock.now() + ahead,
    elapsed: () => systemClock.elapsed() + ahead,
    move(ms) {
      ahead += ms
    },
  }
}
