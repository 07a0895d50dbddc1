// A bare loop in a process of its own, on the same disk as the service: with a SQLite file, or with the service's PostgreSQL.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

interface BareProcess extends AsyncDisposable {
  readonly pid: number
  send(message: object): void
  /** Its next message. Rejects if it ends without one. */
  message(): Promise<unknown>
}

/** `script` lies beside this file. Without `databaseUrl`, of an empty database of PostgreSQL, it gets a file for SQLite. */
export async function startBareProcess(script: string, databaseUrl?: string): Promise<BareProcess> {
  const directory = await mkdtemp(join(tmpdir(), 'rescind-bench-'))
  const file = fileURLToPath(new URL(script, import.meta.url))
  const child = fork(file, [join(directory, 'bare.db')], {
    execArgv: ['--max-semi-space-size=16'],
    env: { ...process.env, DATABASE_URL: databaseUrl ?? '' },
  })
  const gone = once(child, 'close')
  return {
    pid: child.pid ?? 0,
    send: (message) => void child.send(message),
    async message() {
      const [message] = await Promise.race([
        once(child, 'message'),
        gone.then(() => Promise.reject(new Error(`${script} ended too early`))),
      ])
      return message
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await gone
      await rm(directory, { recursive: true, force: true })
    },
  }
}
