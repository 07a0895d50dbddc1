// Tracks the broadcasts that an owner has under way. The owner does not wait for a slow node: it records the answers
// when they come. Until then payloads wait behind a payload, in their order, and no-ops go out beside it.

import type { Hash } from '../domain/ids.ts'
import type { Clock } from '../ops/clock.ts'
import { late, within } from '../ops/within.ts'

/** The time that a step waits for answers: far longer than a healthy node takes, and far shorter than a block. */
const promptMs = 250

export interface BroadcastsUnderWay {
  /** Hashes of the broadcasts under way. Empty while every node answers in time. */
  readonly hashes: ReadonlySet<Hash>
  /** Waits a short time for `performed`, and follows it until it ends. Then `onEnd` is called, also after a failure. */
  attend<T>(hashes: readonly Hash[], performed: Promise<T>): Promise<T | 'hanging'>
  /** Throws the error of a late broadcast that failed, once. */
  throwLateError(): void
  /** Resolves when none is under way. */
  ended(): Promise<void>
}

export function trackBroadcasts(clock: Clock, onEnd: () => void): BroadcastsUnderWay {
  const underWay = new Set<Hash>()
  const hanging = new Set<Promise<void>>()
  const failures: unknown[] = []

  function track(hashes: readonly Hash[], performed: Promise<unknown>): void {
    for (const hash of hashes) underWay.add(hash)
    const ended = performed
      .then(
        () => undefined,
        (error: unknown) => {
          failures.push(error)
        },
      )
      .finally(() => {
        for (const hash of hashes) underWay.delete(hash)
        hanging.delete(ended)
        onEnd()
      })
    hanging.add(ended)
  }

  return {
    hashes: underWay,
    async attend<T>(hashes: readonly Hash[], performed: Promise<T>) {
      const first = await within(clock, promptMs, () => performed)
      if (first !== late) return first
      track(hashes, performed)
      return 'hanging'
    },
    throwLateError() {
      if (failures.length > 0) throw failures.shift()
    },
    async ended() {
      while (hanging.size > 0) await Promise.all(hanging)
    },
  }
}
