// Hints between replicas, over a line that loses, doubles and delays them.
import type { Hint, Hints } from '../../src/store/hints.ts'
import type { Dice } from '../../tooling/dice.ts'
import type { Timeline } from '../timeline.ts'
import { type Instance, leave, reach } from './instance.ts'

type Listener = (hint: Hint) => void

/** One a database. `isFaulty` says whether hints still go astray. */
export function openHintLine(timeline: Timeline, dice: Dice, isFaulty: () => boolean): (instance: Instance) => Hints {
  const listeners = new Map<Listener, Instance>()

  function deliver(listener: Listener, instance: Instance, hint: Hint): void {
    const outcome = isFaulty() ? dice.weighted(hintOutcomes) : 'arrived'
    if (outcome === 'lost') return
    const arrive = (afterMs: number) =>
      timeline.after(afterMs, () => reach(instance, () => listeners.has(listener) && listener(hint)))
    arrive(outcome === 'late' ? dice.between(100, 8_000) : dice.between(1, 20))
    if (outcome === 'doubled') arrive(dice.between(1, 3_000))
  }

  return (instance) => ({
    notify(hint) {
      leave(instance, () => {
        for (const [listener, of] of listeners) deliver(listener, of, hint)
      })
    },
    listen(listener, signal) {
      if (signal.aborted) return
      const own: Listener = (hint) => listener(hint)
      listeners.set(own, instance)
      signal.addEventListener('abort', () => listeners.delete(own), { once: true })
    },
    async [Symbol.asyncDispose]() {
      for (const [listener, of] of listeners) if (of === instance) listeners.delete(listener)
    },
  })
}

const hintOutcomes = { arrived: 7, lost: 2, doubled: 1, late: 1 } as const
