// Failures of something that is tried again and again into the log: the first of them, and that it is over.
import type { Logger } from './logger.ts'

export interface Outage {
  /** Answers how often in a row by now. */
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
