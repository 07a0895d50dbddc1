// Databases as earlier releases left them, on SQLite and on PostgreSQL.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import pg from 'pg'
import { systemClock } from '../../src/ops/clock.ts'
import { secretUrl } from '../../src/ops/secret.ts'
import { sqlFor } from '../../src/store/migrations/migration.ts'
import { migrations } from '../../src/store/migrations/migrations.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import type { DialectName } from '../../src/store/statement.ts'
import type { Store } from '../../src/store/store.ts'
import type { Postgres } from '../../tooling/postgres.ts'
import { sharedPostgres } from './open-postgres.ts'
import { quiet } from './open-store.ts'

/** As it was before `next`. */
export function schemaBefore(next: string, dialect: DialectName): readonly string[] {
  const earlier = migrations.slice(
    0,
    migrations.findIndex(({ name }) => name === next),
  )
  if (earlier.length === 0) throw new Error(`there is no migration ${next}`)
  return [
    'CREATE TABLE migrations (name TEXT PRIMARY KEY, applied_at BIGINT NOT NULL)',
    ...earlier.flatMap((migration) => [
      ...sqlFor(dialect, migration),
      `INSERT INTO migrations (name, applied_at) VALUES ('${migration.name}', 1)`,
    ]),
  ]
}

async function ofSqlite(disposal: AsyncDisposableStack, statements: readonly string[]): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'rescind-earlier-'))
  disposal.defer(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'rescind.db')
  const database = new Database(path)
  for (const sql of statements) database.exec(sql)
  database.close()
  return disposal.use(await openSqliteStore({ path, clock: systemClock, logger: quiet }))
}

async function ofPostgres(
  postgres: Postgres,
  disposal: AsyncDisposableStack,
  statements: readonly string[],
): Promise<Store> {
  const url = new URL(await postgres.database())
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  for (const sql of statements) await client.query(sql)
  await client.end()
  return disposal.use(await openPostgresStore({ url: secretUrl(url), clock: systemClock, logger: quiet }))
}

/** Called at the top of a test file. Each opens a database that these statements made. */
export function earlierDatabases() {
  const server = sharedPostgres()
  const onServer: typeof ofSqlite = async (...made) => ofPostgres(await server(), ...made)
  return [
    ['SQLite', 'sqlite', ofSqlite],
    ['PostgreSQL', 'postgres', onServer],
  ] as const
}
