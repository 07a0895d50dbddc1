// Learns how many calls one request to an endpoint may hold, from the batches that its gateway refuses.
import type { Clock } from '../../ops/clock.ts'

const callsMax = 256
/** Clients and gateways with a limit have this one at least, or ten. A larger batch of sends leaves only where a read of that size was answered. */
export const usualMax = 100
/** The most common limit of gateways, so the first size to try below a refused one. */
const commonLimit = 10
/** A gateway may refuse a batch for a passing reason, so reads try the full size after this time. */
const refusalHoldsMs = 3_600_000
/** Batches in a row, answered in part, after which calls go singly: some gateways answer the first call only. */
const partsMax = 2

export interface BatchSize {
  /** How many of `waiting` calls the next request takes. The bytes of a refused batch of sends are in doubt, so sends try no new size. */
  take(waiting: number, kind: 'reads' | 'sends'): number
  /** A batch of so many calls, more than one, was refused. */
  refused(calls: number): void
  /** A batch of so many calls was answered, each call of it. */
  answered(calls: number): void
  /**
   * Some of so many calls were left out. Returns whether these go again, in smaller requests: where the batch was large, or the second time
   * in a row.
   */
  partlyAnswered(calls: number): boolean
}

/** `resized` is called with each lower size. */
export function learnBatchSize(clock: Clock, resized: (calls: number) => void): BatchSize {
  let size = callsMax
  let holdsUntil = Number.POSITIVE_INFINITY
  let partsInRow = 0
  let proven = 0

  function lower(calls: number): void {
    size = calls
    proven = 0
    holdsUntil = clock.elapsed() + refusalHoldsMs
    resized(calls)
  }

  return {
    take(waiting, kind) {
      if (clock.elapsed() >= holdsUntil) size = callsMax
      return Math.min(waiting, size, kind === 'reads' ? callsMax : Math.max(usualMax, proven))
    },
    refused(calls) {
      // A larger batch left before the limit was found.
      if (calls <= size) lower(calls > usualMax ? usualMax : calls > commonLimit ? commonLimit : 1)
    },
    answered(calls) {
      partsInRow = 0
      if (calls <= size) proven = Math.max(proven, calls)
    },
    partlyAnswered(calls) {
      partsInRow += 1
      if (calls <= usualMax && partsInRow < partsMax) return false
      partsInRow = 0
      lower(calls > usualMax ? usualMax : 1)
      return true
    },
  }
}
