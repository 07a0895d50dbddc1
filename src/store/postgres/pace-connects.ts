// Paces the connections to a server that takes none: after a failure nobody connects for a while, and then one alone does.
import { backOff, type Clock } from '../../ops/clock.ts'

export interface PacedConnects {
  /** The failure of before, while nobody is to connect; undefined for a caller that connects now. */
  refusal(): Error | undefined
  worked(): void
  failed(error: Error): void
}

/** Requests go on so soon after the server is back, at the latest. */
const longestMs = 1_000

interface Pause {
  readonly failures: number
  readonly error: Error
  readonly untilMs: number
  /** One caller connects. */
  readonly isTrying: boolean
}

export function paceConnects(clock: Clock): PacedConnects {
  let pause: Pause | undefined
  return {
    refusal() {
      if (!pause) return undefined
      if (pause.isTrying || clock.elapsed() < pause.untilMs) return pause.error
      pause = { ...pause, isTrying: true }
      return undefined
    },
    worked() {
      pause = undefined
    },
    failed(error) {
      // Those that connected at the same time prolong nothing.
      if (pause && !pause.isTrying) return
      const failures = (pause?.failures ?? 0) + 1
      const untilMs = clock.elapsed() + Math.min(longestMs, backOff(failures - 1))
      pause = { failures, error, untilMs, isTrying: false }
    },
  }
}
