// How long all endpoints but one have been silent: then the only one that answers may be enough.
import type { Clock } from '../../ops/clock.ts'

export interface Silence {
  /** Notes after each reading whether all others were silent. */
  note(isSilent: boolean): void
  /** The time from the first of the silent readings to the last one. 0 once another endpoint has answered. */
  ms(): number
}

/** `countedMaxMs`: the most time that counts between two readings, where an endpoint may have been back between them. */
export function measureSilence(
  clock: Pick<Clock, 'elapsed'>,
  countedMaxMs: number = Number.POSITIVE_INFINITY,
): Silence {
  let countedMs = 0
  let last: number | undefined
  return {
    note(isSilent) {
      const now = clock.elapsed()
      countedMs = isSilent && last !== undefined ? countedMs + Math.min(now - last, countedMaxMs) : 0
      last = isSilent ? now : undefined
    },
    ms: () => countedMs,
  }
}
