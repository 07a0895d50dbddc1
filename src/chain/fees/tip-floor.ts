// Keeps the smallest tip that a network's nodes accept: a pool names it when it refuses a smaller one.
import { maxWei, type Wei } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'

export interface TipFloor {
  learn(tip: Wei): void
  /** Zero where no pool named one lately. */
  current(): Wei
}

/** An operator may lower the minimum. After this time a cheaper bid tests it, at the cost of one refusal. */
const keptMs = 3_600_000

export function openTipFloor(clock: Clock): TipFloor {
  let floor = 0n
  let learnedAt = Number.NEGATIVE_INFINITY
  const current = () => (clock.elapsed() - learnedAt < keptMs ? floor : 0n)
  return {
    current,
    learn(tip) {
      // The strictest node counts, since a transaction should reach all of them.
      floor = maxWei(current(), tip)
      learnedAt = clock.elapsed()
    },
  }
}
