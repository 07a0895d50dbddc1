// Repeats a background task in rounds. A failed round is logged once, and the next round tries again.
import type { Clock } from '../ops/clock.ts'
import { loggingOutage, type OutageLines } from '../ops/log-outage.ts'
import type { Logger } from '../ops/logger.ts'

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
}

/** Begins at once. Disposing lets the portion under way finish. */
export function inRounds({ clock, logger, everyMs, lines, round }: Rounds): AsyncDisposable {
  const stopping = new AbortController()
  const { signal } = stopping

  async function run(): Promise<void> {
    const outage = loggingOutage(logger, lines)
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
  }

  const running = run()
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await running
    },
  }
}

/** The pause of rounds that remove rows by their age in days. */
export const hourlyMs = 3_600_000

const breathMinMs = 20
/** A portion takes at most a tenth of the time. */
const breathOfPortion = 9

/** Runs one portion, then pauses, so that requests come through. */
export async function withBreath<T>(clock: Clock, signal: AbortSignal, portion: () => Promise<T>): Promise<T> {
  const began = clock.elapsed()
  const done = await portion()
  await clock.sleep(Math.max(breathMinMs, breathOfPortion * (clock.elapsed() - began)), signal)
  return done
}
