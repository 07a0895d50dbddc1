// The schema's history, oldest first. The next migration goes to the end.
import { OperatorError } from '../../ops/operator-error.ts'
import { first } from './first.ts'
import type { Migration } from './migration.ts'

export const migrations: readonly [Migration, ...Migration[]] = [first]

/**
 * The `known` migrations that the database lacks. Throws OperatorError when it holds another one, of a later version or of one from
 * before the first release.
 */
export function missingMigrations(applied: readonly string[], known = migrations): readonly Migration[] {
  const [written] = applied
  if (written !== undefined && !applied.includes(known[0].name)) {
    throw new OperatorError(
      `the database was written by a version before the first release (migration ${written}), which this version can't read; start with an empty database`,
    )
  }
  const unknown = applied.find((name) => !known.some((migration) => migration.name === name))
  if (unknown !== undefined) {
    throw new OperatorError(
      `the database was written by a later version (migration ${unknown}); run that version, or restore a back-up`,
    )
  }
  return known.filter(({ name }) => !applied.includes(name))
}
