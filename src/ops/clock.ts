// Time and sleep as values, and the rest before a retry: the only file that reads the machine's clock.
import type { TimestampMs } from '../domain/units.ts'

export interface Clock {
  now(): TimestampMs
  /** Milliseconds since some moment, for durations. It never goes back, also if the machine's clock does. */
  elapsed(): number
  /** Resolves after `ms`, or as soon as `signal` aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Calls `act` after all that is ready now, responses to clients on the same machine included: `act` delays none of it. */
  afterThis(act: () => void): void
}

/**
 * The time that a client gets to read a response before our next step. Linux wakes the reader of a socket on the core of its writer:
 * without the pause a step delayed the response by its own length, 1.2 ms on an idle machine with two cores.
 */
const clientTurnMs = 1

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  // Not the timer of node:timers/promises: that rejects with an error, whose stack costs more than the rest, and most sleeps are aborted.
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const end = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, ms)
      signal?.addEventListener('abort', end)
    }),
  afterThis: (act) => void setTimeout(act, clientTurnMs),
}

/** Resolves in a later turn of the event loop, after everything that is ready now. */
export async function nextTurn(): Promise<void> {
  await new Promise<void>(setImmediate)
}

const firstMs = 250
const mostMs = 5_000

/** The pause in milliseconds before a retry after a failure: doubled `doublings` times, and never longer than five seconds. */
export function backOff(doublings: number): number {
  return Math.min(mostMs, firstMs * 2 ** doublings)
}
