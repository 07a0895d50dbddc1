// A schema is migrated whole or not at all, by what the database lacks; and what no version since the first release wrote is refused.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import pg from 'pg'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/ops/clock.ts'
import { OperatorError } from '../../src/ops/operator-error.ts'
import { secretUrl } from '../../src/ops/secret.ts'
import type { Migration } from '../../src/store/migrations/migration.ts'
import { migrations } from '../../src/store/migrations/migrations.ts'
import { migrate as migratePostgres } from '../../src/store/postgres/migrate.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { migrate as migrateSqlite } from '../../src/store/sqlite/migrate.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import type { Store } from '../../src/store/store.ts'
import { now } from '../domain/some.ts'
import { sharedPostgres } from './open-postgres.ts'
import { quiet } from './open-store.ts'

interface Place {
  /** By these, or by those of this version. */
  migrate(known?: typeof migrations): Promise<readonly string[]>
  query(sql: string): Promise<readonly unknown[]>
  /** As a service does. */
  open(): Promise<Store>
}

async function onSqlite(disposal: AsyncDisposableStack): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'rescind-migrations-'))
  disposal.defer(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'rescind.db')
  const database = new Database(path)
  disposal.defer(() => void database.close())
  return {
    migrate: async (known) => migrateSqlite(database, now, known),
    async query(sql) {
      const statement = database.prepare(sql)
      return statement.reader ? statement.all() : [statement.run()]
    },
    open: () => openSqliteStore({ path, clock: systemClock, logger: quiet }),
  }
}

const server = sharedPostgres()

async function onPostgres(disposal: AsyncDisposableStack): Promise<Place> {
  const url = new URL(await (await server()).database())
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  disposal.defer(() => client.end())
  return {
    migrate: (known) => migratePostgres(client, now, { clock: systemClock, logger: quiet }, known),
    query: async (sql) => (await client.query(sql)).rows,
    open: () => openPostgresStore({ url: secretUrl(url), clock: systemClock, logger: quiet }),
  }
}

const databases = [
  ['SQLite', onSqlite],
  ['PostgreSQL', onPostgres],
] as const

const pausing = `INSERT INTO network_pauses (network, pause) VALUES ('one', '{}')`
const later: Migration = {
  name: '002-later',
  statements: [
    'ALTER TABLE network_pauses ADD COLUMN later BIGINT',
    { sqlite: 'UPDATE network_pauses SET later = 1', postgres: 'UPDATE network_pauses SET later = 2' },
  ],
}

test.each(databases)('a later migration keeps the rows, and is applied once, on %s', async (dialect, openPlace) => {
  await using disposal = new AsyncDisposableStack()
  const { migrate, query } = await openPlace(disposal)
  expect(await migrate()).toEqual(migrations.map(({ name }) => name))
  await query(pausing)
  expect(await migrate([...migrations, later])).toEqual(['002-later'])
  expect(await migrate([...migrations, later])).toEqual([])
  expect(await query('SELECT network, later FROM network_pauses')).toMatchObject([
    { network: 'one', later: dialect === 'SQLite' ? 1 : '2' },
  ])
  await expect(migrate()).rejects.toThrow('the database was written by a later version (migration 002-later); ')
})

test.each(databases)('migrations of which one fails leave the database as it was, on %s', async (_, openPlace) => {
  await using disposal = new AsyncDisposableStack()
  const { migrate, query } = await openPlace(disposal)
  await migrate()
  const failing = { name: '003-failing', statements: ['UPDATE network_pauses SET nowhere = 1'] }
  await expect(migrate([...migrations, later, failing])).rejects.toThrow('nowhere')
  expect(await query('SELECT name FROM migrations')).toEqual(migrations.map(({ name }) => ({ name })))
  await expect(query('SELECT later FROM network_pauses')).rejects.toThrow('later')
  expect(await migrate([...migrations, later])).toEqual(['002-later'])
})

test.each(databases)(
  'a database from before the first release is refused, and left as it is, on %s',
  async (_, openPlace) => {
    await using disposal = new AsyncDisposableStack()
    const { query, open } = await openPlace(disposal)
    await query('CREATE TABLE migrations (name TEXT PRIMARY KEY, applied_at BIGINT NOT NULL)')
    await query(`INSERT INTO migrations (name, applied_at) VALUES ('001-foundation', 1)`)
    const refusal = await open().catch((error: unknown) => error)
    expect(refusal).toEqual(
      new OperatorError(
        "the database was written by a version before the first release (migration 001-foundation), which this version can't read; start with an empty database",
      ),
    )
    expect(await query('SELECT name FROM migrations')).toEqual([{ name: '001-foundation' }])
    await expect(query('SELECT 1 FROM transactions')).rejects.toThrow('transactions')
  },
)
