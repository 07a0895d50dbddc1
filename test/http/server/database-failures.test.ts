// The answers to clients when PostgreSQL fails, which must be true: an error is no promise, an unknown outcome is called
// unknown, and the service goes on by itself.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../../src/ops/clock.ts'
import { secretUrl } from '../../../src/ops/secret.ts'
import { openPostgresStore } from '../../../src/store/postgres/open.ts'
import type { Postgres } from '../../../tooling/postgres.ts'
import { sharedPostgres } from '../../store/open-postgres.ts'
import { quiet } from '../../store/open-store.ts'
import { openPostgresLine, type PostgresLine } from '../../support/postgres-line.ts'
import { expectFailure, expectSuccess } from '../support/expectations.ts'
import { receiver } from '../support/rows.ts'
import { type Answer, type Serving, serve } from '../support/serve.ts'
import { until } from '../support/until.ts'

const server = sharedPostgres()

interface Place extends AsyncDisposable {
  readonly postgres: Postgres
  readonly line: PostgresLine
  readonly serving: Serving
  /** As a superuser, past the line. */
  query<Row>(sql: string): Promise<readonly Row[]>
  stored(): Promise<number>
}

async function openPlace(): Promise<Place> {
  const postgres = await server()
  await using pieces = new AsyncDisposableStack()
  const line = pieces.use(await openPostgresLine(postgres.port))
  const url = await postgres.database()
  const query = <Row>(sql: string) => postgres.query<Row>(sql, new URL(url).pathname.slice(1))
  const serving = pieces.use(
    await serve({
      open: async () => {
        const address = secretUrl(new URL(line.through(url)))
        const store = await openPostgresStore({ url: address, clock: systemClock, logger: quiet })
        return { store, query, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
      },
    }),
  )
  const everything = pieces.move()
  return {
    postgres,
    line,
    serving,
    query,
    stored: async () => (await query<{ n: number }>('SELECT count(*) AS n FROM transactions'))[0]?.n ?? 0,
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  }
}

const transactions = '/api/v1/relayers/one/transactions'

function send({ serving }: Place, key?: string): Promise<Answer> {
  const headers = { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) }
  return serving.ask('POST', transactions, { headers, body: JSON.stringify({ to: receiver, value: '1' }) })
}

const ready = ({ serving }: Place) => serving.ask('GET', '/api/v1/ready', { token: null })

function expectUnavailable(answer: Answer, why: string): void {
  expectFailure(answer, 503, `the database ${why}: nothing of this is stored`, 'DATABASE_UNAVAILABLE')
}

/** Sends, lists and is ready again, and has stored so many. */
async function expectWell(place: Place, stored: number): Promise<void> {
  await until(async () => (await ready(place)).status === 200)
  expectSuccess(await send(place))
  expect((await place.serving.ask('GET', transactions)).body.pagination.total_items).toBe(stored + 1)
  expect(await place.stored()).toBe(stored + 1)
}

test.each([
  ['before', 0],
  ['after', 1],
] as const)(
  'a connection that is lost at COMMIT, %s it is done: the outcome is unknown, and the key finds it',
  async (moment, stored) => {
    await using place = await openPlace()
    const cut = place.line.cutAtCommit(moment)
    const lost = await send(place, 'the-same')
    await cut
    expect([lost.status, lost.headers['relayer-error-code']]).toEqual([503, 'OUTCOME_UNKNOWN'])
    expect(lost.body.message).toMatch(
      /^the connection to the database was lost .* it may or may not be stored; .*Idempotency-Key$/,
    )
    expect(await place.stored()).toBe(stored)
    const again = await send(place, 'the-same')
    expectSuccess(again)
    expect(again.body.data.id).toBe((await send(place, 'the-same')).body.data.id)
    expect(await place.stored()).toBe(1)
    await expectWell(place, 1)
  },
)

test('a connection that is lost at any moment of a send: each key is one transaction, and an error is true', async () => {
  await using place = await openPlace()
  const heard = new Set<unknown>()
  // The number of packets of a send differs: a request and its answer may arrive as one.
  for (let sends = 0; sends < 240 && (sends < 24 || heard.size < 3); sends += 1) {
    place.line.cutAfter(sends % 8)
    const first = await send(place, `key-${sends}`)
    const code = first.headers['relayer-error-code']
    heard.add(code)
    if (code === 'DATABASE_UNAVAILABLE') expect(await place.stored()).toBe(sends)
    if (code === undefined) expectSuccess(first)
    place.line.cutAfter(Number.POSITIVE_INFINITY)
    const again = await send(place, `key-${sends}`)
    expectSuccess(again)
    if (code === undefined) expect(again.body.data.id).toBe(first.body.data.id)
    expect(await place.stored()).toBe(sends + 1)
  }
  expect(heard).toEqual(new Set(['DATABASE_UNAVAILABLE', 'OUTCOME_UNKNOWN', undefined]))
})

test('a cancel whose COMMIT is lost after it is done stands, and may be requested again', async () => {
  await using place = await openPlace()
  const { id } = (await send(place)).body.data
  const cut = place.line.cutAtCommit('after')
  const lost = await place.serving.ask('DELETE', `${transactions}/${id}`)
  await cut
  expect([lost.status, lost.headers['relayer-error-code']]).toEqual([500, 'OUTCOME_UNKNOWN'])
  expect((await place.serving.ask('GET', `${transactions}/${id}`)).body.data.status).toBe('canceled')
  expectSuccess(await place.serving.ask('DELETE', `${transactions}/${id}`))
})

test('a server that is killed and comes back', async () => {
  await using place = await openPlace()
  expectSuccess(await send(place))
  await place.postgres.kill9()
  expectUnavailable(await send(place), "can't be reached")
  expectUnavailable(await place.serving.ask('GET', transactions), "can't be reached")
  expectFailure(await ready(place), 503, "the database can't be reached", 'NOT_READY')
  await place.postgres.restart()
  await expectWell(place, 1)
})

test('a server that is read-only for a while: reads go on, and nothing is promised', async () => {
  await using place = await openPlace()
  const { id } = (await send(place)).body.data
  await place.query('ALTER SYSTEM SET default_transaction_read_only = on')
  await place.query('SELECT pg_reload_conf()')
  await until(async () => (await ready(place)).status === 503)
  expectFailure(await ready(place), 503, 'the database is read-only', 'NOT_READY')
  expectUnavailable(await send(place), 'is read-only')
  const refused = await place.serving.ask('DELETE', `${transactions}/${id}`)
  expectFailure(refused, 500, 'Internal Server Error', 'DATABASE_UNAVAILABLE')
  expect((await place.serving.ask('GET', `${transactions}/${id}`)).body.data.status).toBe('pending')
  await place.query('ALTER SYSTEM RESET default_transaction_read_only')
  await place.query('SELECT pg_reload_conf()')
  await expectWell(place, 1)
})

test('a failover to a standby that is not promoted yet: neither reads nor writes, until it is', async () => {
  await using place = await openPlace()
  expectSuccess(await send(place))
  await place.postgres.stop()
  await writeFile(join(place.postgres.data, 'standby.signal'), '')
  await place.postgres.restart()
  const why = 'is a standby, which takes no writes'
  await until(async () => (await ready(place)).body.message === `the database ${why}`)
  expectUnavailable(await send(place), why)
  expectUnavailable(await place.serving.ask('GET', transactions), why)
  await place.query('SELECT pg_promote()')
  await expectWell(place, 1)
})

test('a full disk', async () => {
  await using place = await openPlace()
  // The server's own words, for want of a disk to fill.
  await place.query(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`)
  await place.query('CREATE TRIGGER full_disk BEFORE INSERT ON transactions EXECUTE FUNCTION fail()')
  for (const _ of [1, 2]) expectUnavailable(await send(place), 'has a full disk')
  expectFailure(await ready(place), 503, 'the database has a full disk', 'NOT_READY')
  expect(await place.stored()).toBe(0)
  await place.query('DROP FUNCTION fail CASCADE')
  await expectWell(place, 0)
})

test('a server without a connection for us', async () => {
  await using place = await openPlace()
  expectSuccess(await send(place))
  await place.query('ALTER ROLE rescind CONNECTION LIMIT 0')
  await place.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'rescind'")
  await until(async () => (await ready(place)).body.message === 'the database has no connection left for this service')
  expectUnavailable(await send(place), 'has no connection left for this service')
  await place.query('ALTER ROLE rescind CONNECTION LIMIT -1')
  await expectWell(place, 1)
})

test('a server that is slow answers late, and readiness does not wait for it', async () => {
  await using place = await openPlace()
  expectSuccess(await send(place))
  place.line.freeze()
  const late = send(place)
  const answers = await Promise.all([ready(place), ready(place)])
  for (const answer of answers) expectFailure(answer, 503, 'the store did not answer in time', 'NOT_READY')
  place.line.thaw()
  expectSuccess(await late)
  await expectWell(place, 2)
})

test('a server that falls silent, and a lock that is never given back: an error, and nothing of it is stored later', {
  timeout: 150_000,
}, async () => {
  await using place = await openPlace()
  expectSuccess(await send(place))
  place.line.freeze()
  const [silent, unread] = await Promise.all([send(place), place.serving.ask('GET', transactions)])
  expectUnavailable(silent, 'did not answer in time')
  expectUnavailable(unread, 'did not answer in time')
  place.line.thaw()
  await expectWell(place, 1)
  const holder = place.query('BEGIN; LOCK TABLE transactions; SELECT pg_sleep(15); COMMIT')
  await until(
    async () => (await place.query("SELECT 1 FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted")).length > 0,
  )
  expectUnavailable(await send(place), 'did not answer in time')
  await holder
  await expectWell(place, 2)
})
