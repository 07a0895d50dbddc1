// Learns how many calls one request to an endpoint may hold, from the batches that its gateway refuses and answers.
import type { Clock } from '../../ops/clock.ts'

const callsMax = 100
/** Limits that gateways use. The size grows one step at a time, so that a fixed limit costs few refusals. */
const steps = [2, 5, 10, 20, 50, callsMax]
/** The most common limit, so the first size to try below a refused one. */
const commonLimit = 10
/** A gateway may refuse a batch for a passing reason, so a larger one is tried after this time. */
const refusalHoldsMs = 300_000
/** Batches in a row, answered in part, after which calls go singly: some gateways answer the first call only. */
const partsMax = 2

export interface BatchSize {
  /**
   * How many of `waiting` calls the next request takes. Where more wait than the proven size, one request tries a
   * larger size.
   */
  take(waiting: number): number
  /** A batch of so many calls, more than one, was refused. */
  refused(calls: number): void
  /** A batch of so many calls was answered, each of them. */
  answered(calls: number): void
  /** Calls of such a batch were left out. Returns whether it is time to send them singly: the second time in a row. */
  partlyAnswered(calls: number): boolean
}

/** `resized` is called with each new size. */
export function learnBatchSize(clock: Clock, resized: (calls: number) => void): BatchSize {
  let size = callsMax
  let triesAt = Number.NEGATIVE_INFINITY
  let partsInRow = 0

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
      partsInRow = 0
      if (calls <= size || calls > stepAbove(size)) return
      triesAt = Number.NEGATIVE_INFINITY
      resize(calls)
    },
    partlyAnswered(calls) {
      // A larger batch was a try.
      if (calls > size) return true
      partsInRow += 1
      if (partsInRow < partsMax) return false
      partsInRow = 0
      triesAt = clock.elapsed() + refusalHoldsMs
      resize(1)
      return true
    },
  }
}

function stepAbove(size: number): number {
  return steps.find((step) => step > size) ?? callsMax
}
