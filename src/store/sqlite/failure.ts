// What a failure of SQLite means for the requester. https://sqlite.org/rescode.html lists the codes.
import { OperatorError } from '../../ops/operator-error.ts'
import { codeOf, inDoubt, type Reasons, reasonAmong, unavailable } from '../failure.ts'

const reasons: Reasons = [
  [/^SQLITE_FULL$/, 'has a full disk'],
  [/^SQLITE_READONLY/, 'is read-only'],
  [/^SQLITE_(IOERR|CANTOPEN)/, 'has failed to read or write its files'],
  [/^SQLITE_(BUSY|LOCKED)/, 'is locked by another program'],
  [/^SQLITE_(CORRUPT|NOTADB)/, 'is damaged'],
]

/** The reason why the database as a whole has failed; undefined unless it has. */
export function whyUnavailable(error: unknown): string | undefined {
  return reasonAmong(reasons, codeOf(error))
}

/** For the operator, when the file can't be opened at the start; any other error stays as it is. */
export function openError(error: unknown, path: string): unknown {
  const code = codeOf(error)
  if (code === 'SQLITE_NOTADB') {
    const fix = 'name another file in DATABASE_URL, or restore a back-up'
    return new OperatorError(`DATABASE_URL: ${path} is no SQLite database; ${fix}`, { cause: error })
  }
  if (code.startsWith('SQLITE_BUSY')) {
    const text = `DATABASE_URL: ${path} is locked by another program (${code}); end it, and start again`
    return new OperatorError(text, { cause: error })
  }
  if (!/^(SQLITE_CANTOPEN|SQLITE_READONLY|EACCES|EPERM|EROFS|ENOTDIR|EISDIR)/.test(code)) return error
  const fix = 'let the user that runs the service write there, or name another file'
  return new OperatorError(`DATABASE_URL: ${path} can't be opened (${code}); ${fix}`, { cause: error })
}

/** Translates a database failure for the requester; any other error stays as it is. */
export function translateError(error: unknown): unknown {
  // Everything is written, but the disk did not confirm it: after a power cut it may be there or not.
  if (codeOf(error) === 'SQLITE_IOERR_FSYNC') return inDoubt('the disk of the database failed', error)
  const why = whyUnavailable(error)
  return why === undefined ? error : unavailable(why, error)
}
