// What the inner layers need of a log. pino stands behind it; secrets never reach it, see ./secret.ts.
export interface Logger {
  debug(facts: object, message: string): void
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
  child(facts: object): Logger
  /** Whether a line of the level is written: for facts that cost more to put together than to leave. */
  isLevelEnabled(level: 'debug' | 'info'): boolean
}
