// Time and sleep as values: the only file that reads the machine's clock.
import { setImmediate, setTimeout as timer } from 'node:timers/promises'
import type { TimestampMs } from '../domain/units.ts'

export interface Clock {
  now(): TimestampMs
  /** Milliseconds since some moment, for durations. It never goes back, also if the machine's clock does. */
  elapsed(): number
  /** Resolves after `ms`, or as soon as `signal` aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: async (ms, signal) => {
    await timer(ms, undefined, signal ? { signal } : {}).catch(() => undefined)
  },
}

/** Resolves in a later turn of the event loop, after everything that is ready now. */
export async function nextTurn(): Promise<void> {
  await setImmediate()
}
