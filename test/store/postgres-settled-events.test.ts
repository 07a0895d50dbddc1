// Up to which event all are there, on a real server that fails at the worst moments.
import { sql } from 'kysely'
import pg from 'pg'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/ops/clock.ts'
import { secretUrl } from '../../src/ops/secret.ts'
import { openPool } from '../../src/store/postgres/connect.ts'
import { readingExecutor } from '../../src/store/postgres/executor.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { openSettledEvents } from '../../src/store/postgres/settled-events.ts'
import { type Executor, statement } from '../../src/store/statement.ts'
import { sharedPostgres } from './open-postgres.ts'
import { quiet } from './open-store.ts'

const server = sharedPostgres()

const takesMark = /pg_current_xact_id\(/
/** Of the server's ids. */
const spend = statement<object, object>((db) => db.selectNoFrom(sql<string>`CAST(txid_current() AS TEXT)`.as('spent')))

/** Ids as the store's schema gives them, and a server that fails, or answers otherwise, where a test says so. */
async function openPlace(at?: string) {
  await using opened = new AsyncDisposableStack()
  const url = secretUrl(new URL(at ?? (await (await server()).database())))
  opened.use(await openPostgresStore({ url, clock: systemClock, logger: quiet }))
  const pool = openPool(url, { max: 4, onIdleError: () => undefined })
  opened.defer(() => pool.end())
  const real = readingExecutor(pool)
  const place = { fails: (_sql: string): boolean => false, marksAhead: 0n }
  const passed = { ms: 0 }
  const executor: Executor = {
    async all<P extends object, R>(...requested: Parameters<typeof real.all<P, R>>): Promise<R[]> {
      const { sql } = requested[0].compiled('postgres')
      if (place.fails(sql)) throw new Error('the server is in recovery')
      const rows = await real.all(...requested)
      if (!takesMark.test(sql)) return rows
      return (rows as { at: string }[]).map(({ at }) => ({ at: String(BigInt(at) + place.marksAhead) }) as R)
    },
  }
  const everything = opened.move()
  return {
    place,
    executor,
    passed,
    clock: { elapsed: () => passed.ms },
    /** Of this database, unless of another on the server, with a transaction that has an id. */
    async transaction(of = url.reveal()) {
      const client = new pg.Client(of)
      await client.connect()
      everything.defer(() => client.end())
      await client.query('BEGIN')
      await client.query('SELECT pg_current_xact_id()')
      return client
    },
    async give() {
      const { rows } = await pool.query<{ id: number }>(`SELECT nextval('outbox_id_seq') AS id`)
      return rows[0]?.id
    },
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  }
}

test('the last event is settled also where its first look met a standby: ids can be read there, and none be marked', async () => {
  await using under = await openPlace()
  const events = openSettledEvents(under.executor, under.clock)
  const last = await under.give()
  under.place.fails = (sql) => takesMark.test(sql)
  const looks = await Promise.allSettled([1, 2, 3].map(() => events.read(under.executor)))
  expect(looks.map(({ status }) => status)).toContain('rejected')
  under.place.fails = () => false
  expect(await events.read(under.executor)).toBe(last)
})

test('what was marked at a server that is gone is marked anew: the next may begin with lower transaction ids', async () => {
  await using under = await openPlace()
  const events = openSettledEvents(under.executor, under.clock)
  const last = await under.give()
  under.place.marksAhead = 1_000_000n
  expect(await events.read(under.executor)).toBe(0)
  under.place.marksAhead = 0n
  under.place.fails = () => true
  await expect(events.read(under.executor)).rejects.toThrow('recovery')
  under.place.fails = () => false
  expect(await events.read(under.executor)).toBe(last)
})

test('what could not be marked, since many marks wait for a transaction that is open, is settled once it ends', async () => {
  await using under = await openPlace()
  const events = openSettledEvents(under.executor, under.clock)
  under.place.marksAhead = 1_000n
  let last: number | undefined
  for (let each = 0; each < 300; each++) {
    last = await under.give()
    await Promise.all([events.read(under.executor), events.read(under.executor)])
  }
  expect(await events.read(under.executor)).toBe(0)
  under.place.marksAhead = 0n
  for (let each = 0; each < 1_000; each++) await under.executor.all(spend, {})
  await events.read(under.executor)
  expect(await events.read(under.executor)).toBe(last)
})

const anEvent = `INSERT INTO outbox (relayer_id, transaction_id, status, terminal, occurred_at)
  VALUES ('some', 'some', 'pending', 0, 1) RETURNING id`

test('who has nothing to do with events, here or in another database of the server, holds them up no longer than units take', async () => {
  const url = new URL(await (await server()).database())
  await (await openPlace(url.href))[Symbol.asyncDispose]()
  // A copy, in which even the numbers of tables are the same.
  const copy = new URL(url)
  copy.pathname += '_copy'
  await (await server()).query(`CREATE DATABASE ${copy.pathname.slice(1)} TEMPLATE ${url.pathname.slice(1)}`)
  await using under = await openPlace(url.href)
  const events = openSettledEvents(under.executor, under.clock)
  const elsewhere = await under.transaction(copy.href)
  await elsewhere.query(anEvent)
  const here = await under.transaction()
  await here.query('UPDATE delivery_queues SET waiting = 0')
  await here.query('SELECT COUNT(*) FROM outbox')
  const last = await under.give()
  expect(await events.read(under.executor)).toBe(0)
  under.passed.ms += 100
  expect(await events.read(under.executor)).toBe(last)
  await here.query('COMMIT')
  await elsewhere.query('COMMIT')
})

test('who may still bring an event holds up those after it, however long that takes', async () => {
  await using under = await openPlace()
  const events = openSettledEvents(under.executor, under.clock)
  const ours = await under.transaction()
  const { rows } = await ours.query(anEvent)
  await under.give()
  for (let looks = 0; looks < 5; looks += 1) {
    expect(await events.read(under.executor)).toBe(0)
    under.passed.ms += 3_600_000
  }
  // In the eyes of one who began before it ended, it has not: what it brought can't be seen there.
  const before = await under.transaction()
  await before.query('COMMIT')
  await before.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  expect((await before.query('SELECT id FROM outbox')).rows).toEqual([])
  await ours.query('COMMIT')
  expect(await events.read(readingExecutor((query) => before.query(query)))).toBe(0)
  expect((await before.query('SELECT id FROM outbox')).rows).toEqual([])
  await before.query('COMMIT')
  expect(await events.read(under.executor)).toBe(Number(rows[0].id) + 1)
})

test('an event of a savepoint is still to come until its transaction ends', async () => {
  await using under = await openPlace()
  const events = openSettledEvents(under.executor, under.clock)
  const ours = await under.transaction()
  await ours.query('SAVEPOINT deeper')
  await ours.query(anEvent)
  await under.give()
  under.passed.ms += 1_000
  expect(await events.read(under.executor)).toBe(0)
  under.passed.ms += 1_000
  expect(await events.read(under.executor)).toBe(0)
  await ours.query('ROLLBACK TO deeper')
  await ours.query('COMMIT')
  expect(await events.read(under.executor)).toBe(2)
})
