// Logs an outage of a repeated task: a line at its first failure, and a line at its end. The failures in between are `debug`.
import type { Logger } from './logger.ts'

export interface Outage {
  /** Returns how many failures in a row there are. */
  failed(error: unknown, facts?: object): number
  worked(): void
}

export interface OutageLines {
  readonly began: string
  readonly over: string
  /** The level of the first line; `error` by default. */
  readonly level?: 'warn' | 'error'
  readonly facts?: object
}

export function loggingOutage(logger: Logger, { began, over, level = 'error', facts = {} }: OutageLines): Outage {
  let failures = 0
  return {
    failed(err, more = {}) {
      failures += 1
      const line = { err, ...facts, ...more }
      if (failures === 1) logger[level](line, began)
      else logger.debug({ ...line, failures }, began)
      return failures
    },
    worked() {
      if (failures > 0) logger.info({ ...facts, failures }, over)
      failures = 0
    },
  }
}
