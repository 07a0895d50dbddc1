// Remembers in which words that no table has all endpoints refused a payload, and for how long. In another nonce it does not wait as long
// again. A restart forgets them.
import { hash } from 'node:crypto'
import type { UnknownWordsInquiry } from '../../domain/observation.ts'
import type { Nonce } from '../../domain/units.ts'

interface UnknownWords {
  /**
   * Notes that no endpoint has shown the payload for `forMs`. `words`: those of each endpoint that answered. `acceptedAt`: when one last
   * accepted other bytes. Returns how long all refused the payload in like words at an earlier nonce, if others were accepted since.
   */
  note(requested: UnknownWordsInquiry, words: readonly string[], forMs: number, acceptedAt: number): number | undefined
  /** An endpoint shows it. */
  forget(requested: UnknownWordsInquiry): void
}

/** At the last nonce. `beforeMs`: in like words at an earlier one. */
interface Run {
  readonly nonce: Nonce
  readonly words: readonly string[]
  readonly notedAt: number
  readonly forMs: number
  readonly beforeMs: number | undefined
}

/** The most payloads: far more than are refused at a time. */
const keptMax = 1_000

export function rememberUnknownWords(elapsed: () => number): UnknownWords {
  const runs = new Map<string, Run>()
  return {
    note(requested, words, forMs, acceptedAt) {
      const { nonce } = requested
      const key = keyOf(requested)
      const last = runs.get(key)
      const isLike = last !== undefined && words.every((each) => last.words.includes(each))
      const earlierMs = last && acceptedAt >= last.notedAt ? Math.max(last.forMs, last.beforeMs ?? 0) : undefined
      const beforeMs = isLike ? (last.nonce === nonce ? last.beforeMs : earlierMs) : undefined
      if (runs.size >= keptMax) runs.clear()
      runs.set(key, { nonce, words, notedAt: elapsed(), forMs, beforeMs })
      return beforeMs
    },
    forget: (requested) => void runs.delete(keyOf(requested)),
  }
}

function keyOf({ payload: { from, to, value, data } }: UnknownWordsInquiry): string {
  return hash('sha256', `${from} ${to} ${value} ${data}`)
}
