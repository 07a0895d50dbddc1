// How many calls one request to an endpoint may hold: learned from what its gateway refuses and answers.
import type { Clock } from '../../ops/clock.ts'

const callsMax = 100
/** Limits that gateways have. A larger size is tried one step at a time, so that a fixed limit costs few refusals. */
const steps = [2, 5, 10, 20, 50, callsMax]
/** The commonest limit, and so the first that is tried below a refused size. */
const commonLimit = 10
/** A gateway may refuse one batch for a reason of the moment: a larger one is tried after a while. */
const refusalHoldsMs = 300_000

export interface BatchSize {
  /** How many of `waiting` calls the next request takes. Where more wait than are known to work, one request tries it. */
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
      // A larger one was a try, or left before the size was known.
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
