// Tracks the broadcasts that an owner has under way. No step waits for their answers: they are recorded when they come. Until then
// payloads wait behind a payload, in their order, and no-ops go out beside it.
import { type Attempt, isNoOp } from '../domain/attempt.ts'
import type { Hash } from '../domain/ids.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { Performed } from './perform.ts'

export interface BroadcastsUnderWay {
  /** Hashes of the broadcasts under way. Work may now wait for their answers, so `onEnd` is called after each of them. */
  hashes(): ReadonlySet<Hash>
  /** Whether any is under way, for a caller that waits for none. */
  areUnderWay(): boolean
  /** Whether a payload is among them. Signed ones wait for its answer, as `hashes` says. */
  havePayload(): boolean
  /**
   * Follows broadcasts until their answers are recorded. Then `onEnd` is called if work waits for these. Otherwise, if one of them failed,
   * `onFailed` with `repeatMs`: bytes that no node was given are due again in any step, and repeats would follow each other without pause.
   */
  follow(attempts: readonly Attempt[], performed: Promise<Performed>, repeatMs: number): void
  /** The transactions with answers that came since the last call, as their rows were written. */
  takeAnswered(): readonly Transaction[]
  /** Throws the error of a broadcast that failed, once. */
  throwLateError(): void
  /** Resolves when none is under way. */
  ended(): Promise<void>
}

interface Broadcast {
  readonly attempts: readonly Attempt[]
  isAwaited: boolean
}

export function trackBroadcasts(onEnd: () => void, onFailed: (repeatMs: number) => void): BroadcastsUnderWay {
  const underWay = new Map<Broadcast, Promise<void>>()
  const failures: unknown[] = []
  let answered: Transaction[] = []

  async function settled(broadcast: Broadcast, performed: Promise<Performed>, repeatMs: number): Promise<void> {
    let hasFailed = false
    try {
      const { written, failed } = await performed
      answered.push(...written)
      hasFailed = failed
    } catch (error) {
      failures.push(error)
      broadcast.isAwaited = true
    }
    underWay.delete(broadcast)
    if (broadcast.isAwaited) onEnd()
    else if (hasFailed) onFailed(repeatMs)
  }

  /** Work may now wait for their answers. */
  function awaited(): readonly Attempt[] {
    for (const broadcast of underWay.keys()) broadcast.isAwaited = true
    return [...underWay.keys()].flatMap(({ attempts }) => attempts)
  }

  return {
    hashes: () => new Set(awaited().map(({ hash }) => hash)),
    areUnderWay: () => underWay.size > 0,
    havePayload: () => !awaited().every(isNoOp),
    follow(attempts, performed, repeatMs) {
      const broadcast = { attempts, isAwaited: false }
      underWay.set(broadcast, settled(broadcast, performed, repeatMs))
    },
    takeAnswered() {
      const taken = answered
      answered = []
      return taken
    },
    throwLateError() {
      if (failures.length > 0) throw failures.shift()
    },
    async ended() {
      while (underWay.size > 0) await Promise.all(underWay.values())
    },
  }
}
