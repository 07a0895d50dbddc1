// How far this machine's clock is ahead of a key service's, by the dates of its answers.
import type { Clock } from '../ops/clock.ts'

interface NotedDates {
  note(date: string | undefined): void
  /** The time by which this machine's clock is ahead; undefined before an answer with a date. */
  aheadMs(): number | undefined
}

/** A date in a header leaves out the part of its second (RFC 9110 §5.6.7): half of one is the best guess. */
const leftOutMs = 500

export function noteDates(clock: Clock): NotedDates {
  let aheadMs: number | undefined
  return {
    note(date) {
      const at = date === undefined ? Number.NaN : Date.parse(date)
      if (Number.isFinite(at)) aheadMs = clock.now() - at - leftOutMs
    },
    aheadMs: () => aheadMs,
  }
}
