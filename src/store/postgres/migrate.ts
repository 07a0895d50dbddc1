// Brings a PostgreSQL database to the schema of this version, all or nothing; one from a later version is refused.
import type { ClientBase } from 'pg'
import type { TimestampMs } from '../../domain/units.ts'
import { OperatorError } from '../../ops/operator-error.ts'
import { migrations, sqlFor } from '../migrations.ts'

/** Of advisory locks: the other half of the key is the schema, so that two installations may share a database. */
const lockClass = 1_919_251_298

/** The names of the migrations applied now. Throws OperatorError when the database holds one that this version does not know. */
export async function migrate(client: ClientBase, now: TimestampMs): Promise<readonly string[]> {
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE')
  try {
    // Of several that start at once one migrates, and the others find it done.
    await client.query(`SELECT pg_advisory_xact_lock(${lockClass}, hashtext(current_schema()))`)
    await client.query('CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at BIGINT NOT NULL)')
    await client.query('CREATE TABLE IF NOT EXISTS probe (id INTEGER PRIMARY KEY, at BIGINT NOT NULL)')
    const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations')
    const applied = new Set(rows.map(({ name }) => name))
    const unknown = [...applied].find((name) => !migrations.some((migration) => migration.name === name))
    if (unknown) {
      throw new OperatorError(
        `the database was written by a later version (migration ${unknown}); run that version, or restore a back-up`,
      )
    }
    const missing = migrations.filter((migration) => !applied.has(migration.name))
    for (const { name, statements } of missing) {
      for (const sql of statements) await client.query(bytewise(sqlFor('postgres', sql)))
      await client.query('INSERT INTO migrations (name, applied_at) VALUES ($1, $2)', [name, now])
    }
    await client.query('COMMIT')
    return missing.map((migration) => migration.name)
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}

/** Texts are ordered by their bytes, as on SQLite, whatever the language of the database is. */
function bytewise(sql: string): string {
  return sql.replaceAll(/\bTEXT\b/g, 'TEXT COLLATE "C"')
}
