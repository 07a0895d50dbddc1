// Repeats a background task once a second. A failed round is logged once, and the next round tries again.
import type { Clock } from '../ops/clock.ts'
import { loggingOutage, type OutageLines } from '../ops/log-outage.ts'
import type { Logger } from '../ops/logger.ts'

const roundMs = 1_000

interface EverySecond {
  readonly clock: Clock
  readonly logger: Logger
  /** The log lines of an outage. */
  readonly lines: OutageLines
  /** The signal aborts as the task is disposed. */
  readonly round: (signal: AbortSignal) => Promise<void>
}

/** The first round comes after a second. Disposing runs a last one. */
export function everySecond({ clock, logger, lines, round }: EverySecond): AsyncDisposable {
  const stopping = new AbortController()
  const { signal } = stopping
  const outage = loggingOutage(logger, lines)

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await clock.sleep(roundMs, signal)
      await round(signal).then(outage.worked, outage.failed)
    }
  }

  const running = run()
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await running
    },
  }
}
