// Keeps the smallest tip that each of a network's nodes accepts: a pool names it when it refuses a smaller one.
import type { Wei } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Endpoint } from '../nodes/endpoint.ts'

export interface TipFloor {
  learn(tip: Wei, by: Endpoint): void
  /** The highest that two of these endpoints named, or the only one. Zero otherwise. */
  current(endpoints: readonly Endpoint[]): Wei
}

/** An operator may lower the minimum. After this time a cheaper bid tests it, at the cost of one refusal. */
const keptMs = 3_600_000

export function openTipFloor(clock: Pick<Clock, 'elapsed'>): TipFloor {
  const floors = new Map<Endpoint, { readonly tip: Wei; readonly learnedAt: number }>()
  const floorOf = (endpoint: Endpoint): Wei => {
    const floor = floors.get(endpoint)
    return floor && clock.elapsed() - floor.learnedAt < keptMs ? floor.tip : 0n
  }
  return {
    learn: (tip, by) => void floors.set(by, { tip, learnedAt: clock.elapsed() }),
    current(endpoints) {
      const named = endpoints.map(floorOf).sort((one, other) => (one > other ? -1 : Number(one < other)))
      return named[Math.min(1, named.length - 1)] ?? 0n
    },
  }
}
