// The logger on pino: JSON lines, ISO time, the level as a word, errors with their causes, credentials removed.
import { type DestinationStream, pino, stdTimeFunctions } from 'pino'
import { describeError } from './describe-error.ts'
import type { Logger } from './logger.ts'

export interface LoggerOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent'
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

/**
 * Characters that JSON keeps but a terminal obeys or reorders: DEL, the C1 controls, Unicode's line ends and its marks
 * of direction. They arrive in ids and texts of unauthenticated clients.
 */
const controls = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

function withoutControls(line: string): string {
  return line.replace(controls, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** No code should log these. If some does, the log shows only a placeholder. */
const credentialPaths = ['', '*.', 'req.headers.', 'request.headers.'].flatMap((owner) =>
  ['authorization', 'Authorization', 'cookie', 'Cookie'].map((name) => `${owner}${name}`),
)
