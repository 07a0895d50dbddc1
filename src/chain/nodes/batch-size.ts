// Learns how many calls one request to an endpoint may hold, from the batches that its gateway refuses.
import type { Clock } from '../../ops/clock.ts'

const callsMax = 100
/** The most common limit of gateways, so the first size to try below a refused one. */
const commonLimit = 10
/** A gateway may refuse a batch for a passing reason, so the full size is tried after this time. */
const refusalHoldsMs = 3_600_000
/** Batches in a row, answered in part, after which calls go singly: some gateways answer the first call only. */
const partsMax = 2

export interface BatchSize {
  /** How many of `waiting` calls the next request takes. */
  take(waiting: number): number
  /** A batch of so many calls, more than one, was refused. */
  refused(calls: number): void
  /** A batch was answered, each call of it. */
  answered(): void
  /** Calls of a batch were left out. Returns whether it is time to send them singly: the second time in a row. */
  partlyAnswered(): boolean
}

/** `resized` is called with each lower size. */
export function learnBatchSize(clock: Clock, resized: (calls: number) => void): BatchSize {
  let size = callsMax
  let holdsUntil = Number.POSITIVE_INFINITY
  let partsInRow = 0

  function lower(calls: number): void {
    size = calls
    holdsUntil = clock.elapsed() + refusalHoldsMs
    resized(calls)
  }

  return {
    take(waiting) {
      if (clock.elapsed() >= holdsUntil) size = callsMax
      return Math.min(waiting, size)
    },
    refused(calls) {
      // A larger batch left before the limit was found.
      if (calls <= size) lower(calls > commonLimit ? commonLimit : 1)
    },
    answered() {
      partsInRow = 0
    },
    partlyAnswered() {
      partsInRow += 1
      if (partsInRow < partsMax) return false
      partsInRow = 0
      lower(1)
      return true
    },
  }
}
