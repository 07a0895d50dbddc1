// What a failure of PostgreSQL means for the requester: nothing is stored, or the outcome is unknown.
// SQLSTATEs are listed in appendix A of PostgreSQL's manual.
import type { ClientBase } from 'pg'
import { memberOf } from '../../ops/member.ts'
import { codeOf, inDoubt, type Reasons, reasonAmong, unavailable } from '../failure.ts'

/** The connection was lost during COMMIT: the server may or may not have committed. */
export class CommitInDoubt extends Error {
  override readonly name = 'CommitInDoubt'
  /** The session that was lost. */
  readonly client: ClientBase
  /** The transaction's id; undefined where that answer was lost, too. */
  readonly transaction: string | undefined

  constructor(client: ClientBase, transaction: string | undefined, cause: unknown) {
    super('the connection was lost before the answer to COMMIT', { cause })
    this.client = client
    this.transaction = transaction
  }
}

/** A deadlock, a conflict of transactions, or outdated plans: the server rolled back, and the same statements may pass. */
export function runsAgain(error: unknown): boolean {
  return ['40P01', '40001'].includes(codeOf(error)) || isPlanOutdated(error)
}

/**
 * A later release has added columns to a table: the server refuses, for as long as the connection lives, the plans that were
 * made on it before (PostgreSQL, `plancache.c`, `RevalidateCachedQuery`).
 */
export function isPlanOutdated(error: unknown): boolean {
  return codeOf(error) === '0A000' && memberOf(error, 'routine') === 'RevalidateCachedQuery'
}

/** The connection failed, rather than a statement: its transaction is over, and perhaps the server is down. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error)
  const ended = code.startsWith('08') || code.startsWith('57P') || isTimedOut.test(code) || code.startsWith('E')
  return ended || (error instanceof Error && lostInWords.test(error.message))
}

/** The server ended an idle transaction (25P03), or one that took longer than `transaction_timeout` of PostgreSQL 17 (25P04). */
const isTimedOut = /^25P0[34]$/

export function isDiskFull(error: unknown): boolean {
  return codeOf(error) === '53100'
}

/** The server or the session takes no writes: a standby, or a setting. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === '25006'
}

/** `ALLOW_CONNECTIONS false`. The code alone has other meanings inside a session. */
function isRefusedConnection(error: unknown): boolean {
  return codeOf(error) === '55000' && memberOf(error, 'routine') === 'CheckMyDatabase'
}

const lostInWords = /^(Connection terminated|Client (has encountered|was closed)|timeout exceeded|Query read timeout)/

const silences = /^(timeout exceeded|Query read timeout)/

const reasons: Reasons = [
  [/^53100$/, 'has a full disk'],
  [/^53300$/, 'has no connection left for this service'],
  [/^53/, 'is out of resources'],
  [/^25006$/, 'is read-only'],
  [/^(57014|55P03|25P04)$/, 'did not answer in time'],
  [/^57P03$/, 'is starting or stopping'],
  [/^57P/, 'has ended the connection'],
  [/^(28|42501$)/, 'refuses the user of DATABASE_URL'],
  [/^3D000$/, 'is not there'],
  [/^ESTANDBY$/, 'is a standby, which takes no writes'],
  [/^EPOOLER$/, 'is behind a pooler, which shares sessions'],
  [/^EOTHERSERVER$/, 'is not the server of before, or a failover left it behind'],
  [/^ENOTIMELINE$/, 'does not return its timeline'],
  [/^ENOPASSWORD$/, 'gets no password from the file or the command of DATABASE_URL'],
  [/^58/, 'has failed to read or write its files'],
]

/** The reason why the database as a whole has failed; undefined unless it has. */
export function whyUnavailable(error: unknown): string | undefined {
  const known = reasonAmong(reasons, codeOf(error))
  if (known !== undefined) return known
  if (isRefusedConnection(error)) return 'accepts no connections'
  if (!isConnectionLost(error)) return undefined
  return error instanceof Error && silences.test(error.message) ? 'did not answer in time' : "can't be reached"
}

/** The database as a whole has failed: running the same units again would not help. */
export function isOfDatabase(error: unknown): boolean {
  return whyUnavailable(error) !== undefined
}

/** Translates a database failure for the requester; any other error stays as it is. */
export function translateError(error: unknown): unknown {
  if (error instanceof CommitInDoubt) return inDoubt('the connection to the database was lost', error)
  const why = whyFailed(error)
  return why === undefined ? error : unavailable(why, error)
}

/** Damage is not of the database as a whole: other units of a group may not read what is damaged. */
export function whyFailed(error: unknown): string | undefined {
  return whyUnavailable(error) ?? (/^XX00[12]$/.test(codeOf(error)) ? 'has damaged data' : undefined)
}
