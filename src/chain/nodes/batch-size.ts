// Learns how many calls one request to an endpoint may hold, from the batches that its gateway refuses and answers.
import type { Clock } from '../../ops/clock.ts'

const callsMax = 100
/** Limits that gateways use. The size grows one step at a time, so that a fixed limit costs few refusals. */
const steps = [2, 5, 10, 20, 50, callsMax]
/** The most common limit, so the first size to try below a refused one. */
const commonLimit = 10
/** A gateway may refuse a batch for a passing reason, so a larger one is tried after this time. */
const refusalHoldsMs = 300_000

export interface BatchSize {
  /**
   * How many of `waiting` calls the next request takes. Where more wait than the proven size, one request tries a
   * larger size.
   */
  take(waiting: number): number
  /** A batch of so many calls, more than one, was refused. */
  refused(calls: number): void
  /** A batch of so many calls was answered. */
  answered(calls: number): void
}

/** `resized` is called with each new size. */
export function learnBatchSize(clock: Clock, resized: (calls: number) => void): BatchSize {
  let size = callsMax
  let triesAt = Number.NEGATIVE_INFINITY

  function resize(calls: number): void {
    size = calls
    resized(calls)
  }

  return {
    take(waiting) {
      if (waiting <= size || size === callsMax || clock.elapsed() < triesAt) return Math.min(waiting, size)
      triesAt = clock.elapsed() + refusalHoldsMs
      return Math.min(waiting, stepAbove(size))
    },
    refused(calls) {
      triesAt = clock.elapsed() + refusalHoldsMs
      // A larger batch was a try, or left before the limit was found.
      if (calls <= size) resize(calls > commonLimit ? commonLimit : 1)
    },
    answered(calls) {
      if (calls <= size || calls > stepAbove(size)) return
      triesAt = Number.NEGATIVE_INFINITY
      resize(calls)
    },
  }
}

function stepAbove(size: number): number {
  return steps.find((step) => step > size) ?? callsMax
}
