// Runs, rehearses or undoes one transfer of data from SQLite to PostgreSQL. Returns the exit code.
import { resolve } from 'node:path'
import { loadDatabase } from './config/environment.ts'
import { ConfigError } from './config/report.ts'
import { systemClock } from './ops/clock.ts'
import { OperatorError } from './ops/operator-error.ts'
import { systemRandom } from './ops/random.ts'
import { describeFailure } from './store/transfer/target.ts'
import { rehearse, transferToPostgres, undoTransfer } from './store/transfer/transfer.ts'

interface TransferRun {
  readonly run: 'transfer' | 'rehearsal' | 'undo'
  /** The SQLite file: a path, from `directory`, which may begin with `sqlite:`. */
  readonly from: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly directory: string
  /** Aborts when the process should end: nothing new is started from then on. */
  readonly stop: AbortSignal
  readonly stdout: { write(text: string): unknown }
  readonly stderr: { write(text: string): unknown }
}

const runs = { transfer: transferToPostgres, rehearsal: rehearse, undo: undoTransfer }

/** 0 when the transfer is done, now or earlier; 1 with the reason on `stderr`. */
export async function transfer({ run, from, env, directory, stop, stdout, stderr }: TransferRun): Promise<0 | 1> {
  try {
    const database = await loadDatabase(env, directory)
    if (database.kind !== 'postgres') {
      throw new OperatorError(
        'DATABASE_URL names no PostgreSQL database: set it to the target, postgres://USER:PASSWORD@HOST:PORT/DATABASE',
      )
    }
    await runs[run]({
      path: resolve(directory, from.replace(/^sqlite:(\/\/(?=\/))?/, '')),
      url: database.url,
      clock: systemClock,
      random: systemRandom(),
      stop,
      report: (line) => void stdout.write(`${line}\n`),
    })
    return 0
  } catch (thrown) {
    stderr.write(`${thrown === stop.reason ? 'stopped: nothing was changed' : sayOf(describeFailure(thrown))}\n`)
    return 1
  }
}

/** A mistake that an operator can fix is reported as a message; any other error is a bug, and needs its stack. */
function sayOf(error: unknown): string {
  if (error instanceof ConfigError || error instanceof OperatorError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
