// What can't be moved is refused, with what to do about it, and both sides are as they were.
import { rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { systemClock } from '../../src/ops/clock.ts'
import { secretUrl } from '../../src/ops/secret.ts'
import { missingMigrations } from '../../src/store/migrations/migrations.ts'
import { openPostgresLocks } from '../../src/store/postgres/locks.ts'
import { lockOfMigrations, migrate } from '../../src/store/postgres/migrate.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { until } from '../../tooling/client.ts'
import { type Postgres, startPostgres } from '../../tooling/postgres.ts'
import { quiet } from '../store/open-store.ts'
import { alter, type FilledFile, fillFile, openFile } from './support/filled-file.ts'
import { transfer } from './support/run-transfer.ts'

// Each test starts several processes, one after the other.
vi.setConfig({ testTimeout: 240_000 })

let filled: FilledFile
let postgres: Postgres
beforeAll(async () => {
  ;[filled, postgres] = await Promise.all([fillFile(100), startPostgres()])
})
afterAll(async () => {
  await postgres?.[Symbol.asyncDispose]()
  filled?.[Symbol.dispose]()
})

/** On which server it is may be recorded in any case. */
async function contentOf(url: string) {
  const database = new URL(url).pathname.slice(1)
  const tables = await postgres.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('migrations', 'estate', 'moves', 'server_identity')",
    database,
  )
  if (tables.length === 0) return []
  const counts = tables.map(({ name }) => `SELECT '${name}' AS name, count(*) AS rows FROM "${name}"`)
  return postgres.query(`SELECT * FROM (${counts.join(' UNION ALL ')}) AS counted WHERE rows > 0`, database)
}

async function refusal(folder: string, url: string, ...more: readonly string[]): Promise<string> {
  const { code, reported } = await transfer(folder, url, ...more)
  expect({ code, reported }).toMatchObject({ code: 1 })
  expect(reported).not.toContain('    at ')
  expect(reported).not.toContain(new URL(url).password)
  return reported
}

test.each<[string, (folder: string) => void, RegExp]>([
  ['no file', (folder) => rmSync(join(folder, 'rescind.db')), /--from: there is no file/],
  [
    'an empty file',
    (folder) => {
      rmSync(join(folder, 'rescind.db-wal'))
      truncateSync(join(folder, 'rescind.db'))
    },
    /is no database of this service/,
  ],
  [
    'a file of something else',
    (folder) => {
      rmSync(join(folder, 'rescind.db-wal'))
      writeFileSync(join(folder, 'rescind.db'), 'Dear diary, '.repeat(1_000))
    },
    /can't be used as a database: file is not a database/,
  ],
  [
    'a file of a later version',
    (folder) => alter(folder, "INSERT INTO migrations (name, applied_at) VALUES ('999-from-the-future', 1)"),
    /written by a later version \(migration 999-from-the-future\); run that version/,
  ],
  [
    'a file of a version before the first release',
    (folder) => alter(folder, "UPDATE migrations SET name = '001-foundation'"),
    /written by a version before the first release \(migration 001-foundation\), which this version can't read/,
  ],
  [
    'a table that nobody knows',
    (folder) => alter(folder, 'CREATE TABLE wishes (id INTEGER PRIMARY KEY)'),
    /the file holds the table wishes, which this version does not have, so nothing was moved/,
  ],
  [
    'a column that nobody knows',
    (folder) => alter(folder, 'ALTER TABLE relayers ADD COLUMN mood TEXT'),
    /the file holds the column mood of relayers, which this version does not have/,
  ],
  [
    'a character that PostgreSQL has no place for',
    (folder) => alter(folder, "UPDATE relayers SET name = 'a' || char(0)"),
    /relayers, id writer: the column name holds the character U\+0000, which PostgreSQL can't store there; correct/,
  ],
  [
    'binary data',
    (folder) => alter(folder, "UPDATE relayers SET name = x'00ff'"),
    /relayers, id writer: the column name holds binary data/,
  ],
])('%s', async (_, spoil, reported) => {
  const folder = filled.copy()
  spoil(folder)
  const url = await postgres.database()
  for (const more of [['--dry-run'], []]) expect(await refusal(folder, url, ...more)).toMatch(reported)
  expect(await contentOf(url)).toEqual([])
})

test('a folder is no file', async () => {
  const folder = filled.copy()
  const url = await postgres.database()
  expect(await refusal(join(folder, '..'), url, '--from', folder)).toMatch(/--from: there is no file/)
})

test.each([
  ['a column', 'BEGIN NEW.name = upper(NEW.name); RETURN NEW; END', /relayers, id writer: the column name differs/],
  ['a row', 'BEGIN RETURN NULL; END', /relayers: the row id writer is not in the target/],
])('%s that arrives otherwise than it left ends the transfer', async (_, body, reported) => {
  const folder = filled.copy()
  const url = await postgres.database()
  await (await openPostgresStore({ url: secretUrl(new URL(url)), clock: systemClock, logger: quiet }))[
    Symbol.asyncDispose
  ]()
  const database = new URL(url).pathname.slice(1)
  await postgres.query(`CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS '${body}'`, database)
  await postgres.query('CREATE TRIGGER spoil BEFORE INSERT ON relayers FOR EACH ROW EXECUTE FUNCTION spoil()', database)
  alter(folder, "UPDATE relayers SET name = 'writer'")
  expect(await refusal(folder, url)).toMatch(reported)
  expect(await contentOf(url)).toEqual([])
  await openFile(folder)
})

test('a target that is not there, or lets nobody in, is told without its password', async () => {
  const folder = filled.copy()
  const url = await postgres.database()
  const wrong = (change: Partial<URL>) => Object.assign(new URL(url), change).href
  expect(await refusal(folder, wrong({ port: '1' }))).toMatch(
    /the PostgreSQL server can't be used: connect ECONNREFUSED/,
  )
  expect(await refusal(folder, wrong({ password: 'a-wrong-password' }))).toMatch(/password authentication failed/)
  expect(await refusal(folder, wrong({ pathname: '/nowhere' }))).toMatch(/database "nowhere" does not exist/)
  await openFile(folder)
})

test('a target on which a service has worked, and one on which it runs', async () => {
  const folder = filled.copy()
  const url = await postgres.database()
  {
    const place = { url: secretUrl(new URL(url)), clock: systemClock }
    await using _store = await openPostgresStore({ ...place, logger: quiet })
    // However long this process may stand still for: while the server believes in it, it does.
    const clock = { ...systemClock, elapsed: () => 0 }
    const replica = await openPostgresLocks({ ...place, clock }).join()
    expect(await refusal(folder, url)).toMatch(/a service runs on the PostgreSQL database "rescind_\d+"/)
    await replica.end()
  }
  // It was started by mistake, and had nothing to do.
  expect(await transfer(folder, url)).toMatchObject({ code: 0 })
  const other = filled.copy()
  expect(await refusal(other, url)).toMatch(/is not empty: there are rows in attempts, .*; name a fresh database/)
  await openFile(other)
})

test('a transfer waits a little for another process that changes the schema, and a service that starts meanwhile until its end', async () => {
  const folder = filled.copy()
  const url = await postgres.database()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('BEGIN')
  await client.query(`SELECT pg_advisory_xact_lock(${lockOfMigrations}, hashtext('public'))`)
  expect(await refusal(folder, url)).toMatch(/a service runs on .*, or another transfer does: stop it/)
  const starting = new pg.Client({ connectionString: url })
  await starting.connect()
  const stopping = new AbortController()
  const stop = stopping.signal
  const lines: string[] = []
  const logger = {
    info(_facts: object, message: string) {
      lines.push(message)
      stopping.abort()
    },
  }
  await expect(migrate(starting, 0, { clock: systemClock, logger, stop })).rejects.toThrow(
    'stopped while another process',
  )
  expect(lines).toEqual([
    expect.stringMatching(/another process .* moves data into it: this one waits until that is done/),
  ])
  await starting.end()
  await client.end()
  expect(await transfer(folder, url)).toMatchObject({ code: 0 })
})

test('what is written to the target before the transfer holds it is seen, and not taken out', async () => {
  const [first, second] = [filled.copy(), filled.copy()]
  const url = await postgres.database()
  expect(await transfer(first, url)).toMatchObject({ code: 0 })
  expect(await transfer(first, url, '--undo')).toMatchObject({ code: 0 })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    "BEGIN; INSERT INTO api_keys (id, name, digest, hint, scopes, created_at, created_by) VALUES ('late', '', '', '', '[]', 1, 'a')",
  )
  const refused = refusal(second, url)
  const isWaiting = async () =>
    (await postgres.query("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'")).length > 0
  await until(isWaiting, { limitMs: 60_000, what: 'the transfer to wait' })
  await client.query('COMMIT')
  expect(await refused).toMatch(/is not empty: there are rows in api_keys;/)
  expect((await client.query('SELECT id FROM api_keys')).rows).toEqual([{ id: 'late' }])
  await client.end()
})

test('a file that lacks a migration is brought up to date by the transfer, and by nothing less', async () => {
  const folder = filled.copy()
  alter(folder, 'VACUUM')
  const path = join(folder, 'old.db')
  const old = new Database(path)
  old.exec('CREATE TABLE migrations (name TEXT PRIMARY KEY, applied_at INTEGER NOT NULL)')
  old.close()
  const url = await postgres.database()
  const tables = () => {
    const eyes = new Database(path, { readonly: true })
    const names = eyes.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").pluck().all()
    eyes.close()
    return names
  }
  const moveOld = (...more: string[]) => transfer(folder, url, '--from', 'old.db', ...more)
  expect(await moveOld('--dry-run')).toMatchObject({ code: 0 })
  expect(tables()).toEqual(['migrations'])
  expect(await moveOld()).toMatchObject({ code: 0 })
  expect(tables()).toContain('transactions')
})

test('a transfer that nobody has built on is undone, once and for all', async () => {
  const folder = filled.copy()
  const url = await postgres.database()
  expect(await refusal(folder, url, '--undo')).toMatch(/is not marked as moved: there is nothing to undo/)
  expect(await transfer(folder, url)).toMatchObject({ code: 0 })
  expect(await refusal(folder, await postgres.database(), '--undo')).toMatch(/has no record of that transfer/)
  expect(await transfer(folder, url, '--undo')).toMatchObject({ code: 0 })
  expect(await contentOf(url)).toEqual([])
  await openFile(folder)
  expect(await refusal(folder, url, '--undo')).toMatch(/there is nothing to undo/)
  // And it can be moved again. Versions that know no marks see a migration that they don't know.
  expect(await transfer(folder, url)).toMatchObject({ code: 0 })
  const names = alter<{ name: string }>(folder, 'SELECT name FROM migrations').map(({ name }) => name)
  expect(() => missingMigrations(names)).toThrow(/written by a later version \(migration moved-to-postgresql\)/)
  await postgres.query('UPDATE relayers SET paused = 1', new URL(url).pathname.slice(1))
  expect(await refusal(folder, url, '--undo')).toMatch(
    /a service has written to .* since the transfer \(relayers, id writer: the column paused differs\): .* can't be undone/,
  )
})
