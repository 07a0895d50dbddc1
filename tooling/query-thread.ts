// The thread behind query-at-once.ts: a connection for each question, so that none is in the way when a database goes.
import { type MessagePort, workerData } from 'node:worker_threads'
import pg from 'pg'
import { numbers } from './postgres.ts'
import type { Question, Reply } from './query-at-once.ts'

const { bell, port } = workerData as { readonly bell: Int32Array; readonly port: MessagePort }

async function answer({ url, sql, parameters }: Question): Promise<Reply> {
  const client = new pg.Client({ connectionString: url, types: numbers })
  try {
    await client.connect()
    return { rows: (await client.query(sql, [...parameters])).rows }
  } catch (error) {
    return { error: (error as Error).message }
  } finally {
    await client.end()
  }
}

port.on('message', async (question: Question) => {
  port.postMessage(await answer(question))
  Atomics.store(bell, 0, 1)
  Atomics.notify(bell, 0)
})
