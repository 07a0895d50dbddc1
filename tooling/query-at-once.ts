// Queries PostgreSQL without a turn of the event loop, so that a test compares one moment, as with a SQLite file.
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'

export interface Question {
  readonly url: string
  readonly sql: string
  readonly parameters: readonly string[]
}

export type Reply = { readonly rows: readonly unknown[] } | { readonly error: string }

const patienceMs = 30_000

let ask: ((question: Question) => Reply) | undefined

/** The thread that runs the queries. */
function startAsking(): (question: Question) => Reply {
  const bell = new Int32Array(new SharedArrayBuffer(4))
  const { port1: ours, port2: theirs } = new MessageChannel()
  const thread = new Worker(new URL('./query-thread.ts', import.meta.url), {
    workerData: { bell, port: theirs },
    transferList: [theirs],
  })
  thread.unref()
  return (question) => {
    Atomics.store(bell, 0, 0)
    ours.postMessage(question)
    Atomics.wait(bell, 0, 0, patienceMs)
    const received = receiveMessageOnPort(ours) as { readonly message: Reply } | undefined
    if (!received) throw new Error(`no answer to: ${question.sql}`)
    return received.message
  }
}

export function queryAtOnce(url: string, sql: string, parameters: readonly string[] = []): readonly unknown[] {
  ask ??= startAsking()
  const reply = ask({ url, sql, parameters })
  if ('error' in reply) throw new Error(`${reply.error}: ${sql}`)
  return reply.rows
}
