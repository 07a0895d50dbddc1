// Remembers in which words the estimates of a payload failed. A node that is out of order may fail once in words of any kind, so only like
// words that last end a payload.
import type { TransactionId } from '../../domain/ids.ts'
import type { Clock } from '../../ops/clock.ts'
import { withoutFigures } from '../nodes/like-words.ts'

export interface Failures {
  /** Notes one reading, by the words of each provider. Whether like words have lasted. */
  note(id: TransactionId, words: readonly string[]): boolean
  /** After a reading that did not fail. */
  forget(id: TransactionId): void
}

interface Run {
  readonly since: number
  readonly readings: number
  readonly words: ReadonlySet<string>
}

const readingsMin = 3
const lastingMs = 60_000
/** The payloads kept: far more than wait at a time. */
const keptMax = 10_000

export function rememberFailures(clock: Pick<Clock, 'elapsed'>): Failures {
  const runs = new Map<TransactionId, Run>()
  return {
    note(id, said) {
      const now = clock.elapsed()
      const words = said.map(withoutFigures)
      const last = runs.get(id)
      // Providers take turns, so one of those who spoke before is enough.
      const before = last && words.some((each) => last.words.has(each)) ? last : { since: now, readings: 0, words: [] }
      const run = { ...before, readings: before.readings + 1, words: new Set([...before.words, ...words]) }
      if (runs.size >= keptMax) runs.clear()
      runs.set(id, run)
      return run.readings >= readingsMin && now - run.since >= lastingMs
    },
    forget: (id) => void runs.delete(id),
  }
}
