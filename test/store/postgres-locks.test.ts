// Locks of sessions on a real server: one holder at a time, and none that outlives its lease.
import pg from 'pg'
import { expect, test } from 'vitest'
import type { RelayerId } from '../../src/domain/ids.ts'
import { type Clock, systemClock } from '../../src/ops/clock.ts'
import { secretUrl } from '../../src/ops/secret.ts'
import { type LockSession, lease, slotsMax } from '../../src/store/locks.ts'
import { openDirectSession } from '../../src/store/postgres/direct-session.ts'
import { openKnownServer } from '../../src/store/postgres/known-server.ts'
import { openPostgresLocks } from '../../src/store/postgres/locks.ts'
import { until } from '../http/support/until.ts'
import { sharedPostgres } from './open-postgres.ts'

const server = sharedPostgres()

async function openPlace() {
  const postgres = await server()
  const url = await postgres.database()
  const opened = new AsyncDisposableStack()
  const query = <Row>(sql: string) => postgres.query<Row>(sql, new URL(url).pathname.slice(1))
  return {
    url,
    query,
    async join(clock: Clock = systemClock, search = '') {
      const session = await openPostgresLocks({ url: secretUrl(new URL(url + search)), clock }).join()
      opened.defer(() => session.end())
      return session
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

const heldBy = async (session: LockSession) => {
  const { members, self } = await session.survey()
  return [...(members.get(self) ?? [])].sort((one, other) => one - other)
}

test('a slot is one session’s at a time, and free again when it is given up or its session ends', async () => {
  await using place = await openPlace()
  const [one, other] = [await place.join(), await place.join()]
  expect(await one.lock([0, 7, slotsMax - 1])).toEqual([0, 7, slotsMax - 1])
  expect(await other.lock([7, 8])).toEqual([8])
  const { members, self, barred } = await other.survey()
  expect(members.size).toBe(2)
  expect(members.get(self)).toEqual(new Set([8]))
  expect([...members].find(([member]) => member !== self)?.[1]).toEqual(new Set([0, 7, slotsMax - 1]))
  expect(barred.size).toBe(0)
  await one.unlock([7])
  expect(await other.lock([7, 0])).toEqual([7])
  await one.end()
  expect(one.lost.aborted).toBe(true)
  await until(async () => (await other.survey()).members.size === 1)
  expect(await other.lock([0])).toEqual([0])
  expect(await heldBy(other)).toEqual([0, 7, 8])
})

test('two schemas of a database have locks of their own', async () => {
  await using place = await openPlace()
  await place.query('CREATE SCHEMA second AUTHORIZATION rescind')
  const first = await place.join()
  const second = await place.join(systemClock, '?options=-c%20search_path%3Dsecond')
  expect(await first.lock([1])).toEqual([1])
  expect(await second.lock([1])).toEqual([1])
  expect((await second.survey()).members.size).toBe(1)
})

test('an account is one session’s in the whole database, whatever the schema, and free again with its lock or its session', async () => {
  await using place = await openPlace()
  await place.query('CREATE SCHEMA second AUTHORIZATION rescind')
  const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
  for (const [schema, id, written] of [
    ['public', 'one', address],
    ['second', 'two', address.toLowerCase()],
  ] as const) {
    await place.query(`CREATE TABLE ${schema}.relayers (id TEXT PRIMARY KEY, chain_id BIGINT, address TEXT)`)
    await place.query(
      `INSERT INTO ${schema}.relayers VALUES ('${id}', 1, '${written}'), ('other chain', 2, '${written}')`,
    )
    await place.query(`GRANT SELECT ON ${schema}.relayers TO rescind`)
  }
  const [one, two] = ['one', 'two'] as RelayerId[]
  const first = await place.join(systemClock, '?schema=public')
  const second = await place.join(systemClock, '?schema=second')
  expect(await first.accounts?.lock(ids('one', 'gone'))).toEqual([one])
  expect(await second.accounts?.lock(ids('two', 'other chain'))).toEqual(['other chain'])
  await first.accounts?.unlock(ids('one'))
  expect(await second.accounts?.lock(ids('two'))).toEqual([two])
  await second.end()
  await until(async () => (await first.accounts?.lock(ids('one')))?.length === 1)
})

const ids = (...names: readonly string[]) => names.map((name) => name as RelayerId)

test('a lock that somebody else holds is told as barred', async () => {
  await using place = await openPlace()
  const session = await place.join()
  await session.lock([5])
  const [lock] = await place.query<{ classid: number }>(
    "SELECT classid FROM pg_locks WHERE locktype = 'advisory' AND objid = 5",
  )
  const other = new pg.Client(place.url)
  await other.connect()
  await other.query('SELECT pg_advisory_lock($1::bigint::bit(32)::int, 6)', [lock?.classid])
  expect(await session.lock([6])).toEqual([])
  expect((await session.survey()).barred).toEqual(new Set([6]))
  await other.end()
})

test('a session that the server ends, or that dies with the server, is lost', async () => {
  await using place = await openPlace()
  const session = await place.join()
  await session.lock([1])
  await place.query("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = 1")
  await until(() => session.lost.aborted)
  expect(session.isAlive()).toBe(false)
  await expect(session.survey()).rejects.toThrow('is over')
  const next = await place.join()
  // The server says good-bye first, and lets go of the locks then.
  await until(async () => (await next.lock([1])).length === 1)
})

test('whoever slept longer than it may believe in its locks knows it at its first look at the clock', async () => {
  await using place = await openPlace()
  let sleptMs = 0
  const session = await place.join({ ...systemClock, elapsed: () => systemClock.elapsed() + sleptMs })
  await session.lock([1])
  expect(session.isAlive()).toBe(true)
  sleptMs = 3_000
  expect(session.isAlive()).toBe(false)
  expect(session.lost.aborted).toBe(true)
})

test('the server ends a session that says nothing: a lease, whatever has become of its process', async () => {
  await using place = await openPlace()
  // A process that stands still: its beats never come, and it does not look at its clock either.
  const frozen = await place.join({ ...systemClock, elapsed: () => 0, sleep: () => new Promise(() => {}) })
  await frozen.lock([1])
  const other = await place.join()
  expect(await other.lock([1])).toEqual([])
  await until(async () => (await other.lock([1])).length === 1)
})

test('where the database can’t be asked, joining is refused', async () => {
  await using place = await openPlace()
  const url = new URL(place.url)
  url.pathname = '/nowhere'
  await expect(openPostgresLocks({ url: secretUrl(url), clock: systemClock }).join()).rejects.toThrow('nowhere')
})

test('a server that is slow to connect to is joined: nobody has believed in the locks until then', async () => {
  await using place = await openPlace()
  const server = openKnownServer()
  let connectedMs = 0
  const slow: typeof server = {
    ...server,
    async begin(client, end) {
      await server.begin(client, end)
      connectedMs = lease.serverMs
    },
  }
  const clock = { ...systemClock, elapsed: () => systemClock.elapsed() + connectedMs }
  const session = await openPostgresLocks({ url: secretUrl(new URL(place.url)), clock, server: slow }).join()
  expect(await session.lock([1])).toEqual([1])
  await session.end()
})

test('questions that come together leave together: the driver warns of none that waits, and the heart beats beside them', async () => {
  const warnings: string[] = []
  const hear = (warning: Error) => void warnings.push(warning.message)
  process.on('warning', hear)
  try {
    await using place = await openPlace()
    const session = await place.join()
    await Promise.all([session.lock([1, 2]), ...[1, 2, 3, 4].map(() => session.survey()), session.unlock([2])])
    expect(await heldBy(session)).toEqual([1])
    expect(warnings).toEqual([])
  } finally {
    process.off('warning', hear)
  }
})

test('a session that is given up waits for no answer, and who asked it gets an error', async () => {
  await using place = await openPlace()
  const { client, ended, pid, end } = await openDirectSession(secretUrl(new URL(place.url)), openKnownServer(), [])
  const requested = [client.query('SELECT pg_sleep(600)'), client.query('SELECT 1')].map((each) => each.catch(String))
  await until(
    async () =>
      (await place.query(`SELECT 1 FROM pg_stat_activity WHERE pid = ${pid} AND state = 'active'`)).length > 0,
  )
  end()
  expect(ended.aborted).toBe(true)
  expect(await Promise.all(requested)).toEqual([
    expect.stringMatching('terminated'),
    expect.stringMatching('terminated'),
  ])
})
