// Migrates a PostgreSQL database to this version's schema, all or nothing; refuses a database of a later version.

import type { ClientBase, QueryConfig } from 'pg'
import type { TimestampMs } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Logger } from '../../ops/logger.ts'
import { memberOf } from '../../ops/member.ts'
import { OperatorError } from '../../ops/operator-error.ts'
import { sqlFor } from '../migrations/migration.ts'
import { migrations, missingMigrations } from '../migrations/migrations.ts'
import { StoreInUse } from '../store.ts'

/** The first half of an advisory lock's key. The other half is the schema, so two installations can share a database. */
export const lockOfMigrations = 1_919_251_298

interface MigrationWait {
  readonly clock: Pick<Clock, 'sleep'>
  readonly logger: Pick<Logger, 'info'>
  /** Ends the wait for another process. */
  readonly stop?: AbortSignal | undefined
}

type Known = typeof migrations

const betweenTriesMs = 500

/**
 * Returns the migrations that it applied. When several processes start at once, the first one migrates, and the others wait for as
 * long as that takes. Throws OperatorError when the database holds a migration that is not `known`, or tables of another user,
 * or when the wait is stopped, and StoreInUse when another session locks a table for longer than the lock timeout.
 */
export async function migrate(
  client: ClientBase,
  now: TimestampMs,
  { clock, logger, stop }: MigrationWait,
  known: Known = migrations,
): Promise<readonly string[]> {
  const never = new AbortController().signal
  for (let tries = 0; ; tries += 1) {
    const applied = await tryToMigrate(client, now, logger, known)
    if (applied) return applied
    if (stop?.aborted) throw new OperatorError('stopped while another process migrates this database')
    if (tries === 0) {
      logger.info(
        {},
        'another process changes the schema of this database, or moves data into it: this one waits until that is done',
      )
    }
    await clock.sleep(betweenTriesMs, stop ?? never)
  }
}

/**
 * Tries once; undefined where another process has the lock. Each try is a transaction of its own, so that none is open while it
 * waits.
 */
async function tryToMigrate(
  client: ClientBase,
  now: TimestampMs,
  logger: Pick<Logger, 'info'>,
  known: Known,
): Promise<readonly string[] | undefined> {
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED')
  try {
    const { rows } = await client.query<{ held: boolean }>(
      `SELECT pg_try_advisory_xact_lock(${lockOfMigrations}, hashtext(current_schema())) AS held`,
    )
    const applied = rows[0]?.held ? await migrateWithin(client, now, logger, known) : undefined
    await client.query(applied ? 'COMMIT' : 'ROLLBACK')
    return applied
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined)
    throw withRemedy(error)
  }
}

/** A missing right, or a lock that another session does not give up, in words for the operator; any other error stays as it is. */
export function withRemedy(error: unknown): unknown {
  const code = memberOf(error, 'code')
  if (code === insufficientPrivilege) {
    return new OperatorError(
      `DATABASE_URL: the user may not change the tables that are there (${memberOf(error, 'message')}); name the one that owns them`,
      { cause: error },
    )
  }
  if (code !== lockNotAvailable) return error
  return new StoreInUse(
    'DATABASE_URL: another session holds a lock on a table that this version has to change: start again when that is done',
    { cause: error },
  )
}

const lockNotAvailable = '55P03'
const insufficientPrivilege = '42501'

/** Migrates like `migrate`, inside a transaction that holds the lock of migrations. */
export async function migrateWithin(
  client: ClientBase,
  now: TimestampMs,
  logger?: Pick<Logger, 'info'>,
  known: Known = migrations,
): Promise<readonly string[]> {
  await client.query('CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at BIGINT NOT NULL)')
  await client.query('CREATE TABLE IF NOT EXISTS probe (id INTEGER PRIMARY KEY, at BIGINT NOT NULL)')
  const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations')
  const missing = missingMigrations(
    rows.map(({ name }) => name),
    known,
  )
  if (rows.length > 0 && missing.length > 0) await logSize(client, missing.length, logger)
  await client.query('SET LOCAL statement_timeout = 0')
  for (const migration of missing) {
    for (const sql of sqlFor('postgres', migration)) await client.query(withoutLimit(bytewise(sql)))
    await client.query('INSERT INTO migrations (name, applied_at) VALUES ($1, $2)', [migration.name, now])
  }
  await client.query('SET LOCAL statement_timeout TO DEFAULT')
  return missing.map((migration) => migration.name)
}

/** Replicas that run already wait for a table while it is changed, and an index takes longer the larger the table is. */
async function logSize(client: ClientBase, missing: number, logger: Pick<Logger, 'info'> | undefined): Promise<void> {
  const { rows } = await client.query<{ rows: number; bytes: number }>(
    `SELECT GREATEST(reltuples, 0)::float8 AS rows, pg_total_relation_size(oid)::float8 AS bytes
      FROM pg_class WHERE oid = to_regclass('transactions')`,
  )
  const [transactions] = rows
  logger?.info(
    { migrations: missing, transactions: transactions?.rows ?? 0, bytes: transactions?.bytes ?? 0 },
    'the tables are migrated; meanwhile writes of other replicas to them may wait',
  )
}

/** An index over tens of millions of rows takes minutes. The driver takes the longest time that a timer can wait. */
function withoutLimit(text: string): QueryConfig & { readonly query_timeout: number } {
  return { text, query_timeout: 2 ** 31 - 1 }
}

/** Orders texts by their bytes, as SQLite does, whatever the database's collation. */
function bytewise(sql: string): string {
  return sql.replaceAll(/\bTEXT\b/g, 'TEXT COLLATE "C"')
}
