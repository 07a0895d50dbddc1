// Time and sleep as values: this is the one file that reads the machine's clock.
import { setTimeout as timer } from 'node:timers/promises'
import type { TimestampMs } from '../domain/units.ts'

export interface Clock {
  now(): TimestampMs
  /** Resolves after `ms`, or as soon as `signal` aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    await timer(ms, undefined, signal ? { signal } : {}).catch(() => undefined)
  },
}
