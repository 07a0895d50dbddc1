// Brings a PostgreSQL database to the schema of this version, all or nothing; one from a later version is refused.

import type { ClientBase } from 'pg'
import type { TimestampMs } from '../../domain/units.ts'
import { memberOf } from '../../ops/member.ts'
import { OperatorError } from '../../ops/operator-error.ts'
import { missingMigrations, sqlFor } from '../migrations.ts'
import { StoreInUse } from '../store.ts'

/** Of advisory locks: the other half of the key is the schema, so that two installations may share a database. */
export const lockOfMigrations = 1_919_251_298

/**
 * The names of the migrations applied now. Throws OperatorError when the database holds one that this version does not know,
 * or tables of another user, and StoreInUse when somebody else changes the schema for longer than a lock is waited for.
 */
export async function migrate(client: ClientBase, now: TimestampMs): Promise<readonly string[]> {
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED')
  try {
    // Of several that start at once one migrates, and the others find it done.
    await client.query(`SELECT pg_advisory_xact_lock(${lockOfMigrations}, hashtext(current_schema()))`)
    const applied = await migrateWithin(client, now)
    await client.query('COMMIT')
    return applied
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined)
    const code = memberOf(error, 'code')
    if (code === insufficientPrivilege) {
      throw new OperatorError(
        `DATABASE_URL: the user may not change the tables that are there (${memberOf(error, 'message')}); name the one that owns them`,
        { cause: error },
      )
    }
    if (code !== lockNotAvailable) throw error
    throw new StoreInUse(
      'DATABASE_URL: another process changes the schema of this database, or moves data into it: start again when that is done',
      { cause: error },
    )
  }
}

const lockNotAvailable = '55P03'
const insufficientPrivilege = '42501'

/** The same inside a transaction that holds the lock of migrations. */
export async function migrateWithin(client: ClientBase, now: TimestampMs): Promise<readonly string[]> {
  await client.query('CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at BIGINT NOT NULL)')
  await client.query('CREATE TABLE IF NOT EXISTS probe (id INTEGER PRIMARY KEY, at BIGINT NOT NULL)')
  const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations')
  const missing = missingMigrations(rows.map(({ name }) => name))
  for (const migration of missing) {
    for (const sql of sqlFor('postgres', migration)) await client.query(bytewise(sql))
    await client.query('INSERT INTO migrations (name, applied_at) VALUES ($1, $2)', [migration.name, now])
  }
  return missing.map((migration) => migration.name)
}

/** Texts are ordered by their bytes, as on SQLite, whatever the language of the database is. */
function bytewise(sql: string): string {
  return sql.replaceAll(/\bTEXT\b/g, 'TEXT COLLATE "C"')
}
