// The logger on pino: JSON lines, ISO time, the level as a word, errors with their causes, credentials removed.
import { type DestinationStream, pino, stdTimeFunctions } from 'pino'
import type { Logger } from './logger.ts'
import { memberOf } from './member.ts'
import { withoutControls } from './readable-log.ts'

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

/** Members by which the system, PostgreSQL, SQLite and HTTP clients name an error: each a word or a number. */
const namingFields = ['code', 'errno', 'errcode', 'syscall', 'address', 'port', 'constraint'] as const
const causesMax = 8

/**
 * The parts of an error that go to the log. Drivers and clients attach whole connections, keys, requests and rows to their errors,
 * so every member not named here stays out. For JSON: type, message, stack, the naming fields, and the same for its causes. Other
 * values are logged as text.
 */
function describeError(error: unknown, causesLeft = causesMax): unknown {
  if (!(error instanceof Error)) return typeof error === 'object' && error !== null ? String(error) : error
  const { message, stack, cause } = error
  const facts = namingFields.flatMap((name) => {
    const value = memberOf(error, name)
    return typeof value === 'string' || typeof value === 'number' ? [[name, value]] : []
  })
  const further = causesLeft > 0
  return {
    type: error.constructor.name,
    message,
    stack,
    ...Object.fromEntries(facts),
    ...(further && cause !== undefined && { cause: describeError(cause, causesLeft - 1) }),
    ...(further &&
      error instanceof AggregateError && {
        aggregateErrors: error.errors.slice(0, causesMax).map((each) => describeError(each, causesLeft - 1)),
      }),
  }
}
