// The logger that the inner layers see. pino implements it; secrets never reach it, see ./secret.ts.
export interface Logger {
  debug(facts: object, message: string): void
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
  child(facts: object): Logger
  /** Whether a line of the level is written: for facts that are expensive to collect. */
  isLevelEnabled(level: 'debug' | 'info'): boolean
}

const ignore = () => undefined
/** For commands, whose output is their own. */
export const silentLogger: Logger = {
  ...{ debug: ignore, info: ignore, warn: ignore, error: ignore },
  isLevelEnabled: () => false,
  child: () => silentLogger,
}
