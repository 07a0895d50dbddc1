// A logger whose lines a test reads.
import type { Logger } from '../../src/ops/logger.ts'

export interface LogLine {
  readonly level: string
  readonly facts: Record<string, unknown>
  readonly message: string
}

export function loggerInto(log: LogLine[]): Logger {
  const at = (level: string) => (facts: object, message: string) => {
    log.push({ level, facts: facts as Record<string, unknown>, message })
  }
  const logger: Logger = {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    isLevelEnabled: () => true,
    child: () => logger,
  }
  return logger
}
