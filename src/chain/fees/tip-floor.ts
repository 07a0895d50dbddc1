// The smallest tip that a network's nodes were found to take: a pool names it when it refuses less.
import { maxWei, type Wei } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'

export interface TipFloor {
  learn(tip: Wei): void
  /** Zero where nothing was learned lately. */
  current(): Wei
}

/** An operator may lower it: after a while a cheaper bid finds out, for the price of one refusal. */
const keptMs = 3_600_000

export function openTipFloor(clock: Clock): TipFloor {
  let floor = 0n
  let learnedAt = Number.NEGATIVE_INFINITY
  const current = () => (clock.elapsed() - learnedAt < keptMs ? floor : 0n)
  return {
    current,
    learn(tip) {
      // Of several nodes the strictest counts: a transaction should reach them all.
      floor = maxWei(current(), tip)
      learnedAt = clock.elapsed()
    },
  }
}
