// The thread that parses the large answers of one network, one after the other.
import { parentPort } from 'node:worker_threads'
import type { LargeAnswer } from './large-answers.ts'
import { readLargeAnswer } from './read-large-answer.ts'

parentPort?.on('message', ({ bytes, calls }: LargeAnswer) => {
  parentPort?.postMessage(readLargeAnswer(bytes, { calls }))
})
