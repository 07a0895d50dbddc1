// What a failure of SQLite means for the requester. Codes are those of https://sqlite.org/rescode.html.
import { codeOf, inDoubt, type Reasons, reasonAmong, unavailable } from '../failure.ts'

const reasons: Reasons = [
  [/^SQLITE_FULL$/, 'has a full disk'],
  [/^SQLITE_READONLY/, 'is read-only'],
  [/^SQLITE_(IOERR|CANTOPEN)/, 'has failed to read or write its files'],
  [/^SQLITE_(CORRUPT|NOTADB)/, 'is damaged'],
]

/** Undefined for what is no failure of the database as a whole. */
export function whyUnavailable(error: unknown): string | undefined {
  return reasonAmong(reasons, codeOf(error))
}

/** For the requester; an error that is not the database's stays as it is. */
export function translateError(error: unknown): unknown {
  // All is written, and the disk does not say that it is kept: after a power cut it may be there.
  if (codeOf(error) === 'SQLITE_IOERR_FSYNC') return inDoubt('the disk of the database failed', error)
  const why = whyUnavailable(error)
  return why === undefined ? error : unavailable(why, error)
}
