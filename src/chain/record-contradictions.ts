// Records contradictions between endpoints beside the steps: no step waits for the store, and a crash loses the last ones at worst.
// Each is in the log as well.
import { LRUCache } from 'lru-cache'
import {
  answerCharactersMax,
  answersMax,
  type Contradiction,
  type NoteContradiction,
  type RecordedContradiction,
} from '../domain/contradiction.ts'
import type { Clock } from '../ops/clock.ts'
import type { Logger } from '../ops/logger.ts'

export interface ContradictionMemory {
  save(contradiction: RecordedContradiction): Promise<void>
}

interface RecordContradictions {
  readonly memory: ContradictionMemory
  /** Hosts by the index of the endpoint. */
  readonly hosts: readonly string[]
  readonly clock: Pick<Clock, 'now' | 'elapsed'>
  readonly logger: Pick<Logger, 'debug'>
}

export interface ContradictionRecorder {
  readonly note: NoteContradiction
  /** Waits for the write under way, not for those behind it. */
  close(): Promise<void>
}

/** An endpoint that keeps changing its mind about the same question leaves a row an hour. */
const againMs = 3_600_000
const rememberedMax = 1_000
/** The most that wait: more are not stored while the store is slow. */
const waitingMax = 32

export function recordingContradictions({ memory, hosts, clock, logger }: RecordContradictions): ContradictionRecorder {
  const notedAt = new LRUCache<string, number>({ max: rememberedMax })
  let waiting = 0
  let isClosed = false
  let written = Promise.resolve()

  async function write(contradiction: RecordedContradiction): Promise<void> {
    try {
      if (!isClosed) await memory.save(contradiction)
    } catch (err) {
      logger.debug({ err }, 'a contradiction between endpoints could not be stored')
    }
    waiting -= 1
  }

  return {
    note(contradiction) {
      const key = keyOf(contradiction)
      const last = notedAt.get(key)
      const isRepeated = last !== undefined && clock.elapsed() - last < againMs
      if (isRepeated || waiting >= waitingMax) return
      notedAt.set(key, clock.elapsed())
      const { condition, question } = contradiction
      const answers = contradiction.answers.slice(0, answersMax).map(({ endpoint, answer }) => {
        return { endpoint, host: hosts[endpoint] ?? '', answer: answer.slice(0, answerCharactersMax) }
      })
      waiting += 1
      const recorded = { at: clock.now(), condition, question, answers }
      written = written.then(() => write(recorded))
    },
    async close() {
      isClosed = true
      await written
    },
  }
}

/** The answers of branches name new blocks all the time. */
function keyOf({ condition, question, answers }: Contradiction): string {
  return JSON.stringify([condition, question, answers.map(({ endpoint }) => endpoint).sort()])
}
