// One process of the service. It can die at any effect, or be paused there and resume when another has taken its place.
import type { Clock } from '../../src/ops/clock.ts'
import type { Timeline } from '../timeline.ts'

export interface Instance {
  readonly id: number
  state: 'alive' | 'paused' | 'dead'
  /** Effects of the world that arrive while it is paused. */
  held: (() => void)[]
  /** The position of the last commit of each relayer's owner. */
  readonly lastOwned: Map<string, number>
  /** The commit that ordered the last broadcast of an attempt, by its hash: others may follow while it is under way. */
  readonly orderedAt: Map<string, number>
  /** The process dies or pauses after this many more effects. */
  scheduledEnd: { effectsLeft: number; readonly end: 'dead' | 'paused' } | undefined
  ended(how: 'dead' | 'paused'): void
}

export function openInstance(id: number, ended: Instance['ended']): Instance {
  return { id, state: 'alive', held: [], lastOwned: new Map(), orderedAt: new Map(), scheduledEnd: undefined, ended }
}

/** Between two effects. Afterwards `instance.state` may be another. */
export function boundary(instance: Instance): void {
  const { scheduledEnd } = instance
  if (!scheduledEnd || instance.state !== 'alive') return
  scheduledEnd.effectsLeft -= 1
  if (scheduledEnd.effectsLeft > 0) return
  instance.scheduledEnd = undefined
  instance.state = scheduledEnd.end
  instance.ended(scheduledEnd.end)
}

/** An effect of the world on the process: lost if it is dead, late if it is paused. */
export function reach(instance: Instance, run: () => void): void {
  if (instance.state === 'alive') run()
  else if (instance.state === 'paused') instance.held.push(run)
}

/** An effect of the process on the world: none if it is dead, late if it is paused. */
export function leave(instance: Instance, run: () => void): void {
  boundary(instance)
  reach(instance, run)
}

export function resume(instance: Instance): void {
  instance.state = 'alive'
  for (const run of instance.held.splice(0)) reach(instance, run)
}

/** `skewMs` is how far the machine's clock stands from the run's time; it may jump, and sleeping does not follow it. */
export function clockOf(instance: Instance, timeline: Timeline, epochMs: number, skewMs: () => number): Clock {
  return {
    now: () => Math.floor(epochMs + timeline.now() + skewMs()),
    elapsed: () => timeline.now(),
    sleep(ms, signal) {
      return new Promise((resolve) => {
        if (signal?.aborted) return resolve()
        const wake = () => {
          callOff()
          signal?.removeEventListener('abort', wake)
          resolve()
        }
        const callOff = timeline.after(ms, () => reach(instance, wake))
        signal?.addEventListener('abort', wake)
      })
    },
    // A turn takes no time of the run.
    afterThis: (act) => reach(instance, act),
  }
}
