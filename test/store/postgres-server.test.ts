// The server itself: processes that die, several that come at once, a server that restarts, and what it must promise.
import pg from 'pg'
import { expect, test } from 'vitest'
import type { RelayerId } from '../../src/domain/ids.ts'
import { systemClock } from '../../src/ops/clock.ts'
import { OperatorError } from '../../src/ops/operator-error.ts'
import { openLogger } from '../../src/ops/pino.ts'
import { secretUrl } from '../../src/ops/secret.ts'
import { lockOfMigrations, migrate } from '../../src/store/postgres/migrate.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import type { Store } from '../../src/store/store.ts'
import { spawnTethered } from '../../tooling/tethered-process.ts'
import { now } from '../domain/some.ts'
import { until } from '../http/support/until.ts'
import { send, storedRelayer } from './contract.ts'
import { sharedPostgres } from './open-postgres.ts'
import { quiet } from './open-store.ts'

const server = sharedPostgres()
const open = (url: string) => openPostgresStore({ url: secretUrl(new URL(url)), clock: systemClock, logger: quiet })
const nameOf = (url: string) => new URL(url).pathname.slice(1)
const waiting = { clock: systemClock, logger: quiet }
const relayer = 'writer' as RelayerId

async function refusalOf(url: string): Promise<Error> {
  const outcome = await open(url).catch((error: Error) => error)
  if (outcome instanceof Error) return outcome
  await outcome[Symbol.asyncDispose]()
  throw new Error('it was not refused')
}

function startWriter(url: string) {
  const writer = new URL('./writer.ts', import.meta.url).pathname
  return spawnTethered([writer, url, relayer], { cwd: process.cwd(), env: {} })
}

const promised = (logs: string) => [...logs.matchAll(/^stored (\d+)$/gm)].map(([, sequence]) => Number(sequence))

test('killed at any moment: all that was promised is there, and nothing is there by half', async () => {
  const postgres = await server()
  const url = await postgres.database()
  const count = async (sql: string) => (await postgres.query<{ n: number }>(sql, nameOf(url)))[0]?.n
  let stored = 0
  for (const wanted of [1, 40, 150]) {
    const writer = startWriter(url)
    const from = stored
    await until(() => promised(writer.logs()).length >= wanted)
    writer.signal('SIGKILL')
    await writer.exited
    const reported = promised(writer.logs())
    // What it had asked for already may still be at work, and commit.
    const sessions = `SELECT 1 FROM pg_stat_activity WHERE datname = '${nameOf(url)}'`
    await until(async () => (await postgres.query(sessions)).length === 0)
    await using store = await open(url)
    const { total } = await store.reads.transactions(relayer, {}, { page: 1, perPage: 1 })
    expect(total).toBeGreaterThanOrEqual(from + reported.length)
    expect(Math.max(...reported)).toBeLessThanOrEqual(total)
    stored = total
    expect(await count('SELECT count(*) AS n FROM transactions')).toBe(stored)
    expect(await count("SELECT count(*) AS n FROM transactions WHERE phase = 'final' AND version = 2")).toBe(stored)
    expect(await count('SELECT max(sequence) AS n FROM transactions')).toBe(stored)
    expect((await store.reads.work(relayer))?.lastSequence).toBe(stored)
    expect(await count('SELECT count(*) AS n FROM attempts JOIN transactions ON transaction_id = id')).toBe(stored)
    expect(await count('SELECT count(*) AS n FROM outbox WHERE terminal = 1')).toBe(stored)
    expect((await store.reads.counts(relayer)).confirmed).toBe(stored)
  }
})

test('a server that is killed and comes back: what was promised is there, and the store goes on by itself', async () => {
  const postgres = await server()
  await using store = await open(await postgres.database())
  const { id } = await storedRelayer(store)
  await send(store, id)
  await postgres.kill9()
  await expect(send(store, id)).rejects.toThrow()
  await expect(store.check()).rejects.toThrow()
  await expect(store.reads.relayer(id)).rejects.toThrow()
  await postgres.restart()
  await until(() => isWell(store))
  expect((await send(store, id)).sequence).toBe(2)
  expect((await store.reads.counts(id)).pending).toBe(2)
})

test('frozen in the middle of a transaction: the server ends it, its relayer is taken over, and nothing of it is stored', async () => {
  const postgres = await server()
  const url = await postgres.database()
  const writer = startWriter(url)
  await until(() => promised(writer.logs()).length > 0)
  const idle = `SELECT 1 FROM pg_stat_activity WHERE state = 'idle in transaction' AND datname = '${nameOf(url)}'`
  await until(async () => {
    writer.signal('SIGSTOP')
    // Twice: what was sent before may still be at work.
    const isFrozen = (await postgres.query(idle)).length > 0 && (await postgres.query(idle)).length > 0
    if (!isFrozen) writer.signal('SIGCONT')
    return isFrozen
  })
  await using store = await open(url)
  const before = (await store.reads.work(relayer))?.lastSequence
  expect(await store.commit((session) => session.acquire(relayer), relayer)).toBe(1n)
  const { sequence } = await send(store, relayer)
  expect(sequence).toBe((before ?? 0) + 1)
  writer.signal('SIGKILL')
  await writer.exited
})

test('several that open a fresh database at once make its tables once, and all of them write', async () => {
  const url = await (await server()).database()
  const opening = await Promise.all([open(url), open(url), open(url), open(url)])
  await using opened = new AsyncDisposableStack()
  for (const store of opening) opened.use(store)
  const [first] = opening
  if (!first) throw new Error('none was opened')
  const { id } = await storedRelayer(first)
  const sent = await Promise.all(opening.map((store) => send(store, id)))
  expect(sent.map(({ sequence }) => sequence).sort()).toEqual([1, 2, 3, 4])
})

test('a migration may take longer than any other statement', async () => {
  const postgres = await server()
  const url = await postgres.database()
  const limitMs = 300
  await using opened = new AsyncDisposableStack()
  const connect = async (settings: object) => {
    const client = new pg.Client({ connectionString: url, ...settings })
    await client.connect()
    opened.defer(() => client.end())
    return client
  }
  // Its table is in the way until its end.
  const other = await connect({})
  await other.query('BEGIN')
  await other.query('CREATE TABLE relayers (id TEXT)')
  const client = await connect({ statement_timeout: limitMs, query_timeout: limitMs })
  const migrating = migrate(client, now, waiting)
  const isLate = `SELECT 1 FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND now() - query_start > interval '${2 * limitMs} ms'`
  await Promise.race([until(async () => (await postgres.query(isLate)).length > 0), migrating])
  await other.query('ROLLBACK')
  expect(await migrating).toContain('001-first')
  expect((await client.query('SHOW statement_timeout')).rows).toEqual([{ statement_timeout: `${limitMs}ms` }])
})

test('another process may migrate for as long as it takes: a start waits for it, with no transaction open, and can be stopped', async () => {
  const postgres = await server()
  const url = await postgres.database()
  await using opened = new AsyncDisposableStack()
  const first = new pg.Client(url)
  await first.connect()
  opened.defer(() => first.end())
  await first.query('BEGIN')
  await first.query(`SELECT pg_advisory_xact_lock(${lockOfMigrations}, hashtext('public'))`)
  let tries = 0
  const stopping = new AbortController()
  const migrating = (stop?: AbortSignal) => {
    const sleep = async () => {
      tries += 1
    }
    const clock = { sleep }
    return openedBy(url, opened).then((client) => migrate(client, now, { clock, logger: quiet, stop }))
  }
  const waits = migrating()
  const stopped = migrating(stopping.signal).catch((error: Error) => error)
  await until(() => tries > 200)
  stopping.abort()
  expect(await stopped).toMatchObject({ message: 'stopped while another process migrates this database' })
  await first.query('COMMIT')
  expect(await waits).toContain('001-first')
})

/** A wait inside the server would fail at the limit for locks, which is a thousand times shorter here. */
async function openedBy(url: string, opened: AsyncDisposableStack): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, lock_timeout: 10 })
  await client.connect()
  opened.defer(() => client.end())
  return client
}

test('a database of a later version is refused by the migration’s name, and left as it is', async () => {
  const postgres = await server()
  const url = await postgres.database()
  await (await open(url))[Symbol.asyncDispose]()
  await postgres.query("INSERT INTO migrations (name, applied_at) VALUES ('999-from-the-future', 1)", nameOf(url))
  const refusal = await refusalOf(url)
  expect(refusal).toBeInstanceOf(OperatorError)
  expect(refusal.message).toContain('999-from-the-future')
  expect((await refusalOf(url)).message).toBe(refusal.message)
})

test('a server that would lose what it acknowledges, or that can’t be used, is refused in words and without its password', async () => {
  const postgres = await server()
  const url = await postgres.database()
  await postgres.query(`ALTER DATABASE ${nameOf(url)} SET synchronous_commit = off`)
  const careless = await refusalOf(url)
  expect(careless).toBeInstanceOf(OperatorError)
  expect(careless.message).toContain('synchronous_commit is off')
  await postgres.query(`ALTER DATABASE ${nameOf(url)} RESET synchronous_commit`)
  await postgres.query(`ALTER DATABASE ${nameOf(url)} SET default_transaction_read_only = on`)
  const readOnly = await refusalOf(url)
  expect(readOnly).toBeInstanceOf(OperatorError)
  expect(readOnly.message).toContain('default_transaction_read_only is on')
  const { host, password, pathname } = new URL(url)
  for (const wrong of [
    `postgres://rescind:S3CRET@${host}${pathname}`,
    `postgres://rescind:${password}@127.0.0.1:1${pathname}`,
    `postgres://rescind:${password}@${host}/nowhere`,
  ]) {
    const refusal = await refusalOf(wrong)
    expect(refusal).toBeInstanceOf(OperatorError)
    expect(refusal.message).toMatch(/^DATABASE_URL: the PostgreSQL server can't be used: .{5}/)
    expect(refusal.message).not.toContain('S3CRET')
    expect(refusal.message).not.toContain(password)
  }
})

test('a user who may create no tables is refused in words that say what to grant', async () => {
  const postgres = await server()
  const url = await postgres.database()
  const database = nameOf(url)
  await postgres.query('REVOKE CREATE ON SCHEMA public FROM public', database)
  const refusal = await refusalOf(url)
  expect(refusal).toBeInstanceOf(OperatorError)
  expect(refusal.message).toBe(
    'DATABASE_URL: the user rescind may create no tables in the schema public; as its owner: GRANT CREATE ON SCHEMA public TO rescind',
  )
  await postgres.query('GRANT CREATE ON SCHEMA public TO rescind', database)
  await (await open(url))[Symbol.asyncDispose]()
  await postgres.query('REVOKE CREATE ON SCHEMA public FROM rescind', database)
  expect((await refusalOf(url)).message).toBe(refusal.message)
})

test('so is one without a schema', async () => {
  const postgres = await server()
  const url = await postgres.database()
  await postgres.query(`ALTER DATABASE ${nameOf(url)} SET search_path = nowhere`)
  const refusal = await refusalOf(url)
  expect(refusal).toBeInstanceOf(OperatorError)
  expect(refusal.message).toBe(
    'DATABASE_URL: no schema of the search_path is there for the user rescind; create one, or set it: ALTER USER rescind SET search_path = SCHEMA',
  )
})

test('and one whose tables are somebody else’s', async () => {
  const postgres = await server()
  const url = await postgres.database()
  await postgres.query('CREATE TABLE migrations (name TEXT PRIMARY KEY, applied_at BIGINT NOT NULL)', nameOf(url))
  const refusal = await refusalOf(url)
  expect(refusal).toBeInstanceOf(OperatorError)
  expect(refusal.message).toBe(
    'DATABASE_URL: the user may not change the tables that are there (permission denied for table migrations); name the one that owns them',
  )
})

test('a server whose functions of the write-ahead log are off, as those of Aurora, is refused with the parameter', async () => {
  const postgres = await server()
  const url = await postgres.database()
  for (const sql of [
    'CREATE SCHEMA aurora',
    `CREATE FUNCTION aurora.pg_current_wal_lsn() RETURNS pg_lsn LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'it is off' USING ERRCODE = '55000'; END $$`,
    'GRANT USAGE ON SCHEMA aurora TO public',
  ]) {
    await postgres.query(sql, nameOf(url))
  }
  const refusal = await refusalOf(`${url}?options=-c%20search_path%3Dpublic,aurora,pg_catalog`)
  expect(refusal).toBeInstanceOf(OperatorError)
  expect(refusal.message).toBe(
    'DATABASE_URL: the server does not return its system identifier and its timeline (it is off), by which the service notices a failover; on Aurora set rds.logical_replication to 1 in the parameter group of the cluster, and restart it',
  )
})

function isWell(store: Store): Promise<boolean> {
  return store.check().then(
    () => true,
    () => false,
  )
}

test('a connection that the server ends while nobody uses it is logged by its code, without the connection itself', async () => {
  const postgres = await server()
  const url = new URL(await postgres.database())
  const lines: string[] = []
  const logger = openLogger({ level: 'info', destination: { write: (line) => void lines.push(line) } })
  await using _ = await openPostgresStore({ url: secretUrl(url), clock: systemClock, logger })
  const name = url.pathname.slice(1)
  await postgres.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`)
  await until(() => lines.some((line) => line.includes('a connection to the database was lost')))
  const line = JSON.parse(lines.find((each) => each.includes('was lost')) ?? '')
  expect(line).toMatchObject({ level: 'warn', err: { type: expect.any(String), code: '57P01' } })
  expect(lines.join('')).not.toMatch(/secretKey|processID|connectionParameters|application_name/)
  expect(lines.join('')).not.toContain(url.password)
})
