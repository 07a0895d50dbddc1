// The logger on pino: JSON lines, ISO time, the level as a word, causes of errors told, credentials struck out.
import { type DestinationStream, pino, stdSerializers, stdTimeFunctions } from 'pino'
import type { Logger } from './logger.ts'

export interface LoggerOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** Standard output when absent. */
  readonly destination?: DestinationStream
}

const errorSerializers = { err: stdSerializers.errWithCause, error: stdSerializers.errWithCause }

/** Facts of one request, relayer or transaction are bound with `child({ request_id, relayer_id, transaction_id })`. */
export function openLogger({ level, destination }: LoggerOptions): Logger {
  const options = {
    level,
    // A container's platform knows host and process already.
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: errorSerializers,
    redact: { paths: credentialPaths, censor: '[secret]' },
  }
  return destination ? pino(options, destination) : pino(options)
}

/** Nobody should log these; if somebody does, nothing is told. */
const credentialPaths = ['', '*.', 'req.headers.', 'request.headers.', 'err.headers.'].flatMap((owner) =>
  ['authorization', 'Authorization', 'cookie', 'Cookie'].map((name) => `${owner}${name}`),
)
