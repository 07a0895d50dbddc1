// Migrates a PostgreSQL database to this version's schema, all or nothing; refuses a database of a later version.

import type { ClientBase, QueryConfig } from 'pg'
import type { TimestampMs } from '../../domain/units.ts'
import { memberOf } from '../../ops/member.ts'
import { OperatorError } from '../../ops/operator-error.ts'
import { missingMigrations, sqlFor } from '../migrations.ts'
import { StoreInUse } from '../store.ts'

/** The first half of an advisory lock's key. The other half is the schema, so two installations can share a database. */
export const lockOfMigrations = 1_919_251_298

/**
 * Returns the migrations that it applied. Throws OperatorError when the database holds a migration that this version lacks,
 * or tables of another user, and StoreInUse when another session changes the schema for longer than the lock timeout.
 */
export async function migrate(client: ClientBase, now: TimestampMs): Promise<readonly string[]> {
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED')
  try {
    // When several processes start at once, the first one migrates.
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

/** The same, inside a transaction that holds the lock of migrations. */
export async function migrateWithin(client: ClientBase, now: TimestampMs): Promise<readonly string[]> {
  await client.query('CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at BIGINT NOT NULL)')
  await client.query('CREATE TABLE IF NOT EXISTS probe (id INTEGER PRIMARY KEY, at BIGINT NOT NULL)')
  const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations')
  const missing = missingMigrations(rows.map(({ name }) => name))
  await client.query('SET LOCAL statement_timeout = 0')
  for (const migration of missing) {
    for (const sql of sqlFor('postgres', migration)) await client.query(withoutLimit(bytewise(sql)))
    await client.query('INSERT INTO migrations (name, applied_at) VALUES ($1, $2)', [migration.name, now])
  }
  await client.query('SET LOCAL statement_timeout TO DEFAULT')
  return missing.map((migration) => migration.name)
}

/** An index over tens of millions of rows takes minutes. The driver takes the longest time that a timer can wait. */
function withoutLimit(text: string): QueryConfig & { readonly query_timeout: number } {
  return { text, query_timeout: 2 ** 31 - 1 }
}

/** Orders texts by their bytes, as SQLite does, whatever the database's collation. */
function bytewise(sql: string): string {
  return sql.replaceAll(/\bTEXT\b/g, 'TEXT COLLATE "C"')
}
