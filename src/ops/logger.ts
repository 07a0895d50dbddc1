// What the inner layers need of a log. pino stands behind it; secrets never reach it, see ./secret.ts.
export interface Logger {
  debug(facts: object, message: string): void
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
  child(facts: object): Logger
}
