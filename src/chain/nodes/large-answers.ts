// The large answers of one network: how many bytes of them may be under way, and the thread that parses them.
import type { Worker } from 'node:worker_threads'
import type { Clock } from '../../ops/clock.ts'
import { type ByteBudget, openByteBudget, openShare } from './byte-budget.ts'
import { answerLimits, type ExpectedMember } from './expected-answer.ts'
import { type LargeReading, readLargeAnswer } from './read-large-answer.ts'

/** A message to the thread. Its reply is a `LargeReading`. */
export interface LargeAnswer {
  readonly bytes: Uint8Array
  readonly calls: readonly ExpectedMember[]
}

export interface LargeAnswers {
  /** The budget of one more endpoint. */
  share(): ByteBudget
  /** Takes the bytes away from their buffer. Never rejects. */
  read(answer: LargeAnswer): Promise<LargeReading>
  close(): Promise<void>
}

export type StartThread = () => Worker

/** A thread takes memory, and large answers are rare. */
const idleMs = 30_000

const gaveUp: LargeReading = { refused: 'an answer that no memory is left for', isTooLarge: true, isJson: true }

/** Starts no thread before the first large answer. Without `startThread`, this thread parses all of them. */
export function openLargeAnswers(clock: Clock, startThread: StartThread | undefined): LargeAnswers {
  const budget = openByteBudget(answerLimits.networkBytes)
  let thread: Worker | undefined
  let turn: Promise<unknown> = Promise.resolve()
  let idle = new AbortController()

  async function readNext(start: StartThread, { bytes, calls }: LargeAnswer): Promise<LargeReading> {
    idle.abort()
    thread ??= start()
    const reader = thread
    const reading = await new Promise<LargeReading>((resolve) => {
      const ended = () => {
        if (thread === reader) thread = undefined
        settle(gaveUp)
      }
      const settle = (result: LargeReading) => {
        reader.off('message', settle)
        reader.off('exit', ended)
        reader.unref()
        resolve(result)
      }
      reader.once('message', settle)
      reader.once('exit', ended)
      reader.ref()
      const { buffer } = bytes
      reader.postMessage({ bytes, calls } satisfies LargeAnswer, buffer instanceof ArrayBuffer ? [buffer] : [])
    })
    endWhenIdle()
    return reading
  }

  function endWhenIdle(): void {
    const mine = new AbortController()
    idle = mine
    void clock.sleep(idleMs, mine.signal).then(() => (mine.signal.aborted ? undefined : end()))
  }

  async function end(): Promise<void> {
    const ending = thread
    thread = undefined
    await ending?.terminate()
  }

  return {
    share: () => openShare(budget, answerLimits.endpointBytes),
    read(answer) {
      const read = turn.then(() =>
        startThread ? readNext(startThread, answer) : readLargeAnswer(answer.bytes, answer),
      )
      turn = read
      return read
    },
    async close() {
      idle.abort()
      await end()
    },
  }
}
