// Whether the service could open its database. Changes nothing in it.
import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import type pg from 'pg'
import type { DatabaseConfig } from '../../config/config.ts'
import { memberOf } from '../../ops/member.ts'
import { OperatorError } from '../../ops/operator-error.ts'
import { missingMigrations } from '../../store/migrations/migrations.ts'
import { checkServer, openPool } from '../../store/postgres/connect.ts'
import { lockDatabase } from '../../store/sqlite/lock.ts'
import { refuseTransferred } from '../../store/sqlite/transfer-mark.ts'
import { StoreInUse } from '../../store/store.ts'
import type { Finding } from './finding.ts'

const place = 'database'

export async function checkDatabase(database: DatabaseConfig): Promise<readonly Finding[]> {
  const check = database.kind === 'sqlite' ? database.path : String(database.url)
  try {
    const found = database.kind === 'sqlite' ? [await checkFile(database.path)] : await checkPostgres(database)
    return found.map((each) => ({ place, check, ...each }))
  } catch (error) {
    if (error instanceof StoreInUse) {
      return [{ level: 'warning', place, check, text: 'in use, by a service that runs already' }]
    }
    if (error instanceof OperatorError) return [{ level: 'error', place, check, text: error.message }]
    const code = memberOf(error, 'code')
    if (typeof code !== 'string') throw error
    return [{ level: 'error', place, check, text: `can't be used: ${memberOf(error, 'message')} (${code})` }]
  }
}

type Found = Pick<Finding, 'level' | 'text'>

async function checkFile(path: string): Promise<Found> {
  if (!(await exists(path))) {
    const folder = await firstThatExists(dirname(path))
    await access(folder, constants.W_OK | constants.X_OK)
    if (!(await stat(folder)).isDirectory()) return { level: 'error', text: `${folder} is no folder` }
    return { level: 'ok', text: 'is created at the first start' }
  }
  await access(path, constants.R_OK | constants.W_OK)
  await access(dirname(path), constants.W_OK | constants.X_OK)
  // A lock file that is missing is no lock, and none is left behind.
  if (await exists(`${path}-lock`)) lockDatabase(path).release()
  const database = new Database(path, { readonly: true })
  try {
    refuseTransferred(database)
    const table = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migrations'").get()
    const rows = table ? database.prepare<[], { name: string }>('SELECT name FROM migrations').all() : []
    return schemaFound(rows)
  } finally {
    database.close()
  }
}

async function checkPostgres({ url }: Extract<DatabaseConfig, { kind: 'postgres' }>): Promise<readonly Found[]> {
  const pool = openPool(url, { max: 1, onIdleError: () => undefined })
  try {
    await checkServer(pool)
    const table = await pool.query("SELECT 1 WHERE to_regclass('migrations') IS NOT NULL")
    const applied =
      table.rows.length === 0 ? [] : (await pool.query<{ name: string }>('SELECT name FROM migrations')).rows
    return [schemaFound(applied), ...(await openDoor(pool))]
  } finally {
    await pool.end()
  }
}

/** A role that may connect needs no other right to send messages on the channel of the replicas, and to listen to theirs. */
async function openDoor(pool: pg.Pool): Promise<readonly Found[]> {
  const { rows } = await pool.query<{ name: string; isOpen: boolean }>(
    `SELECT quote_ident(current_database()) AS name,
      has_database_privilege('public', current_database(), 'CONNECT') AS "isOpen"`,
  )
  return rows
    .filter(({ isOpen }) => isOpen)
    .map(({ name }) => ({
      level: 'warning',
      text: `every role of the server may connect: REVOKE CONNECT ON DATABASE ${name} FROM PUBLIC`,
    }))
}

/** Throws OperatorError for the schema of a later version. */
function schemaFound(applied: readonly { readonly name: string }[]): Found {
  const missing = missingMigrations(applied.map(({ name }) => name)).length
  if (missing === 0) return { level: 'ok', text: 'has the schema of this version' }
  if (applied.length === 0) return { level: 'ok', text: 'is empty; the first start creates the schema' }
  return { level: 'ok', text: `the next start applies ${missing} migrations: back it up before` }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

async function firstThatExists(folder: string): Promise<string> {
  return (await exists(folder)) || dirname(folder) === folder ? folder : firstThatExists(dirname(folder))
}
