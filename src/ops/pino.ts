// The logger on pino: JSON lines, ISO time, the level as a word, errors with their causes, credentials removed.
import { type DestinationStream, pino, stdTimeFunctions } from 'pino'
import { describeError } from './describe-error.ts'
import type { Logger } from './logger.ts'
import { withoutControls } from './without-controls.ts'

interface LoggerOptions {
  readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** Standard output when absent. */
  readonly destination?: DestinationStream
}

const errorSerializers = {
  err: (error: unknown) => describeError(error),
  error: (error: unknown) => describeError(error),
}

/** Facts of one request, relayer or transaction are bound with `child({ request_id, relayer_id, transaction_id })`. */
export function openLogger({ level, destination }: LoggerOptions): Logger {
  const options = {
    level,
    // A container's platform adds host and process itself.
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: errorSerializers,
    redact: { paths: credentialPaths, censor: '[secret]' },
    hooks: { streamWrite: withoutControls },
  }
  return destination ? pino(options, destination) : pino(options)
}

/** No code should log these. If some does, the log shows only a placeholder. */
const credentialPaths = ['', '*.', 'req.headers.', 'request.headers.'].flatMap((owner) =>
  ['authorization', 'Authorization', 'cookie', 'Cookie'].map((name) => `${owner}${name}`),
)
