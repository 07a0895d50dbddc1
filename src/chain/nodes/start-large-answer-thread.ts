// Starts the thread that parses large answers.
import { Worker } from 'node:worker_threads'

/** Limits for the largest answer as a text and as objects. A thread that needs more ends, and the process does not. */
const threadLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 }

export function startLargeAnswerThread(): Worker {
  // The built package holds the same file as JavaScript.
  const isSource = new URL(import.meta.url).pathname.endsWith('.ts')
  const file = isSource ? './large-answer-thread.ts' : './large-answer-thread.js'
  // Flags of the process that are not for threads would end it.
  const thread = new Worker(new URL(file, import.meta.url), { execArgv: [], resourceLimits: threadLimits })
  // Out of memory: `exit` follows.
  thread.on('error', () => undefined)
  thread.unref()
  return thread
}
