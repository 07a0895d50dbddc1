// The schema's history, oldest first. The next migration goes to the end of the newest release.
import { OperatorError } from '../../ops/operator-error.ts'
import type { Migration } from './migration.ts'
import { ofRelease01 } from './release-0.1.ts'
import { ofRelease02 } from './release-0.2.ts'

export const migrations: readonly Migration[] = [...ofRelease01, ...ofRelease02]

/** The migrations that the database lacks. Throws OperatorError when it holds one that this version does not have. */
export function missingMigrations(applied: readonly string[]): readonly Migration[] {
  const unknown = applied.find((name) => !migrations.some((migration) => migration.name === name))
  if (unknown !== undefined) {
    throw new OperatorError(
      `the database was written by a later version (migration ${unknown}); run that version, or restore a back-up`,
    )
  }
  return migrations.filter(({ name }) => !applied.includes(name))
}
