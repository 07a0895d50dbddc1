// Repeats a background task in rounds. A failed round is logged once, and the next round tries again.
import type { Clock } from './clock.ts'
import { loggingOutage, type OutageLines } from './log-outage.ts'
import type { Logger } from './logger.ts'

const failedAgainAfterMs = 60_000

interface Rounds {
  readonly clock: Clock
  readonly logger: Logger
  /** The pause from the end of a round to the next; at most a minute after a failure. */
  readonly everyMs: number
  /** The log lines of an outage. */
  readonly lines: OutageLines
  /** Ends early, between two portions, when the signal aborts. */
  readonly round: (signal: AbortSignal) => Promise<void>
  /** Runs once, after the last round. */
  readonly end?: () => Promise<void>
}

/** Begins at once. Disposing lets the portion under way finish. */
export function inRounds({ clock, logger, everyMs, lines, round, end }: Rounds): AsyncDisposable {
  const stopping = new AbortController()
  const { signal } = stopping
  const outage = loggingOutage(logger, lines)

  async function run(): Promise<void> {
    while (!signal.aborted) {
      let restMs = everyMs
      try {
        await round(signal)
        outage.worked()
      } catch (error) {
        outage.failed(error)
        restMs = Math.min(everyMs, failedAgainAfterMs)
      }
      await clock.sleep(restMs, signal)
    }
    await end?.().catch(outage.failed)
  }

  const running = run()
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await running
    },
  }
}
