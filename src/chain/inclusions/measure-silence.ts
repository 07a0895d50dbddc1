// How long only one provider has answered as a witness. Only time during which the others were called counts.
import type { Clock } from '../../ops/clock.ts'

export interface Silence {
  /** Notes after each reading whether all providers but one were silent. */
  note(isSilent: boolean): void
  /** The silence in milliseconds. 0 while two answer. */
  ms(): number
}

/** The most time that counts between two readings: a provider may have been back for a while. */
const countedMaxMs = 30_000

export function measureSilence(clock: Clock): Silence {
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
