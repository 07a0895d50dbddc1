// Logs an outage of a repeated task: the first failure, and the end.
import type { Logger } from './logger.ts'

export interface Outage {
  /** Returns how many failures in a row there are. */
  failed(error: unknown): number
  worked(): void
}

/** `began` and `over` are the messages. */
export function loggingOutage(logger: Logger, began: string, over: string, facts: object = {}): Outage {
  let failures = 0
  return {
    failed(error) {
      failures += 1
      if (failures === 1) logger.error({ err: error, ...facts }, began)
      else logger.debug({ err: error, ...facts, failures }, began)
      return failures
    },
    worked() {
      if (failures > 0) logger.info({ ...facts, failures }, over)
      failures = 0
    },
  }
}
