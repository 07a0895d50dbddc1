// What a failure of PostgreSQL means for who asked: nothing of it is stored, or nobody knows.
// SQLSTATEs are those of appendix A of PostgreSQL's manual.
import { RescindError } from '../../domain/errors.ts'

/** The connection was lost when COMMIT was on its way: the server has done it, or it has not. */
export class CommitInDoubt extends Error {
  override readonly name = 'CommitInDoubt'

  constructor(cause: unknown) {
    super('the connection was lost before the answer to COMMIT', { cause })
  }
}

/** A deadlock, or a conflict of transactions: nothing of it is durable. */
export function isGivenUp(error: unknown): boolean {
  return ['40P01', '40001'].includes(codeOf(error))
}

/** Not an answer of the server about a statement: then its transaction is over, and perhaps the server with it. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error)
  const ended = code.startsWith('08') || code.startsWith('57P') || code === '25P03' || code.startsWith('E')
  return ended || (error instanceof Error && lostInWords.test(error.message))
}

export function isDiskFull(error: unknown): boolean {
  return codeOf(error) === '53100'
}

const lostInWords = /^(Connection terminated|Client (has encountered|was closed)|timeout exceeded|Query read timeout)/

const silences = /^(timeout exceeded|Query read timeout)/

const reasons: readonly (readonly [RegExp, string])[] = [
  [/^53100$/, 'has a full disk'],
  [/^53300$/, 'has no connection left for this service'],
  [/^53/, 'is out of resources'],
  [/^25006$/, 'is read-only'],
  [/^(57014|55P03)$/, 'did not answer in time'],
  [/^57P03$/, 'is starting or stopping'],
  [/^57P/, 'has ended the connection'],
  [/^(28|42501$)/, 'refuses the user of DATABASE_URL'],
  [/^3D000$/, 'is not there'],
  [/^58/, 'has failed to read or write its files'],
]

/** Undefined for what is no failure of the database as a whole. */
export function whyUnavailable(error: unknown): string | undefined {
  const code = codeOf(error)
  const known = reasons.find(([codes]) => codes.test(code))
  if (known) return known[1]
  if (!isConnectionLost(error)) return undefined
  return error instanceof Error && silences.test(error.message) ? 'did not answer in time' : "can't be reached"
}

/** Of the database as a whole: to run the same units again would not help. */
export function isOfDatabase(error: unknown): boolean {
  return error instanceof CommitInDoubt || whyUnavailable(error) !== undefined
}

/** For who asked; an error that is not the database's stays as it is. */
export function told(error: unknown): unknown {
  if (error instanceof CommitInDoubt) {
    return new RescindError(
      'OUTCOME_UNKNOWN',
      'the connection to the database was lost while this was being stored: it is stored, or it is not; look, or send again under the same Idempotency-Key',
      { cause: error },
    )
  }
  const why = whyUnavailable(error)
  if (why === undefined) return error
  return new RescindError('DATABASE_UNAVAILABLE', `the database ${why}: nothing of this is stored`, { cause: error })
}

/** What these functions promise fails as it is told. */
export function telling<F extends object>(functions: F): F {
  const all = Object.entries(functions).map(([name, each]) => [name, typeof each === 'function' ? tell(each) : each])
  return Object.fromEntries(all) as F
}

function tell(asked: (...parameters: unknown[]) => unknown): typeof asked {
  return (...parameters) => {
    const answer = asked(...parameters)
    if (!(answer instanceof Promise)) return answer
    return answer.catch((error: unknown) => {
      throw told(error)
    })
  }
}

/** An answer of our own has a code, too, which is none of the server's. */
function codeOf(error: unknown): string {
  if (error instanceof RescindError) return ''
  const code = (error as { code?: unknown } | undefined)?.code
  return typeof code === 'string' ? code : ''
}
