// The child process of one PKCS#11 library. It passes on messages, and ends with the service, also while the library hangs.
import { Worker } from 'node:worker_threads'

// The built package holds the same file as JavaScript.
const file = import.meta.url.endsWith('.ts') ? './pkcs11-thread.ts' : './pkcs11-thread.js'
const [, , module] = process.argv
const thread = new Worker(new URL(file, import.meta.url), { workerData: { module }, execArgv: [] })

/** A call of the library can't be broken off, so an orderly end might wait for it. */
function end(): void {
  process.kill(process.pid, 'SIGKILL')
}

process.on('message', (message) => thread.postMessage(message))
process.on('disconnect', end)
thread.on('message', (message) => process.send?.(message))
thread.on('error', end)
thread.on('exit', () => process.disconnect())
// A terminal and a supervisor signal the whole group; the service ends this process in its own order.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)
