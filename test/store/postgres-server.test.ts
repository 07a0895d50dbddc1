// The server itself: processes that die, a second one that comes, a server that restarts, and what it must promise.
import pg from 'pg'
import { expect, test } from 'vitest'
import type { RelayerId } from '../../src/domain/ids.ts'
import { systemClock } from '../../src/ops/clock.ts'
import { OperatorError } from '../../src/ops/operator-error.ts'
import { secretUrl } from '../../src/ops/secret.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { type Store, StoreInUse } from '../../src/store/store.ts'
import { until } from '../http/support/until.ts'
import { spawnTethered } from '../support/tethered-process.ts'
import { send, storedRelayer } from './contract.ts'
import { sharedPostgres } from './open-postgres.ts'
import { quiet } from './open-store.ts'

const server = sharedPostgres()
const open = (url: string) => openPostgresStore({ url: secretUrl(new URL(url)), clock: systemClock, logger: quiet })
const nameOf = (url: string) => new URL(url).pathname.slice(1)
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
    const told = promised(writer.logs())
    await using store = await open(url)
    const { total } = await store.reads.transactions(relayer, {}, { page: 1, perPage: 1 })
    expect(total).toBeGreaterThanOrEqual(from + told.length)
    expect(Math.max(...told)).toBeLessThanOrEqual(total)
    stored = total
    expect(await count('SELECT count(*) AS n FROM transactions')).toBe(stored)
    expect(await count("SELECT count(*) AS n FROM transactions WHERE phase = 'final' AND version = 2")).toBe(stored)
    expect(await count('SELECT max(sequence) AS n FROM transactions')).toBe(stored)
    expect(await count('SELECT last_sequence AS n FROM relayers')).toBe(stored)
    expect(await count('SELECT count(*) AS n FROM attempts JOIN transactions ON transaction_id = id')).toBe(stored)
    expect(await count('SELECT count(*) AS n FROM outbox WHERE terminal = 1')).toBe(stored)
    expect(await count("SELECT count AS n FROM tallies WHERE status = 'confirmed'")).toBe(stored)
  }
})

test('a second process is refused while the first lives, and let in once it is killed', async () => {
  const url = await (await server()).database()
  const writer = startWriter(url)
  await until(() => writer.logs().includes('open'))
  const refusal = await refusalOf(url)
  expect(refusal).toBeInstanceOf(StoreInUse)
  expect(refusal.message).toContain('127.0.0.1')
  expect(refusal.message).toMatch(/stop the other, or give this one a DATABASE_URL of its own/)
  expect(refusal.message).not.toContain(new URL(url).password)
  writer.signal('SIGKILL')
  await writer.exited
  await (await open(url))[Symbol.asyncDispose]()
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

test('while another process has worked on the database, nothing more is written by this one', async () => {
  const postgres = await server()
  const url = await postgres.database()
  await using store = await open(url)
  const { id } = await storedRelayer(store)
  // Ends the session that holds the lock, and takes it in the same moment, as another process might.
  const other = new pg.Client(url)
  other.on('error', () => undefined)
  await other.connect()
  const [holder] = await postgres.query<{ pid: number; objid: number; classid: number }>(
    "SELECT pid, classid, objid FROM pg_locks WHERE locktype = 'advisory' AND granted",
    nameOf(url),
  )
  if (!holder) throw new Error('nobody holds the lock')
  const taking = other.query('SELECT pg_advisory_lock($1, $2::bigint::bit(32)::int)', [holder.classid, holder.objid])
  await postgres.query(`SELECT pg_terminate_backend(${holder.pid})`)
  await taking
  await until(async () => !(await isWell(store)))
  await expect(send(store, id)).rejects.toThrow('the lock of the database is lost')
  await other.query('UPDATE holder SET turn = turn + 1')
  await other.end()
  await until(() =>
    send(store, id).then(
      () => false,
      (error: Error) => error instanceof StoreInUse,
    ),
  )
  await expect(store.check()).rejects.toThrow('restart this one')
  expect((await store.reads.counts(id)).pending).toBe(0)
})

test('a database of a later version is refused by the migration’s name, and left as it is', async () => {
  const postgres = await server()
  const url = await postgres.database()
  await (await open(url))[Symbol.asyncDispose]()
  await postgres.query("INSERT INTO migrations (name, applied_at) VALUES ('999-from-the-future', 1)", nameOf(url))
  expect((await refusalOf(url)).message).toContain('999-from-the-future')
  expect((await refusalOf(url)).message).toContain('999-from-the-future')
})

test('a server that would lose what it acknowledges, or that can’t be used, is refused in words and without its password', async () => {
  const postgres = await server()
  const url = await postgres.database()
  await postgres.query(`ALTER DATABASE ${nameOf(url)} SET synchronous_commit = off`)
  const careless = await refusalOf(url)
  expect(careless).toBeInstanceOf(OperatorError)
  expect(careless.message).toContain('synchronous_commit is off')
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

function isWell(store: Store): Promise<boolean> {
  return store.check().then(
    () => true,
    () => false,
  )
}
