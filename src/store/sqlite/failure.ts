// What a failure of SQLite means for the requester. https://sqlite.org/rescode.html lists the codes.
import { codeOf, inDoubt, type Reasons, reasonAmong, unavailable } from '../failure.ts'

const reasons: Reasons = [
  [/^SQLITE_FULL$/, 'has a full disk'],
  [/^SQLITE_READONLY/, 'is read-only'],
  [/^SQLITE_(IOERR|CANTOPEN)/, 'has failed to read or write its files'],
  [/^SQLITE_(CORRUPT|NOTADB)/, 'is damaged'],
]

/** Undefined unless the database as a whole has failed. */
export function whyUnavailable(error: unknown): string | undefined {
  return reasonAmong(reasons, codeOf(error))
}

/** Translates a database failure for the requester; any other error stays as it is. */
export function translateError(error: unknown): unknown {
  // Everything is written, but the disk did not confirm it: after a power cut it may be there or not.
  if (codeOf(error) === 'SQLITE_IOERR_FSYNC') return inDoubt('the disk of the database failed', error)
  const why = whyUnavailable(error)
  return why === undefined ? error : unavailable(why, error)
}
