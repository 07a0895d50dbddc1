// The answers to clients when PostgreSQL fails, which must be true: an error is no promise, an unknown outcome is called
// unknown, and the service goes on by itself.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../../src/ops/clock.ts'
import { sharedPostgres } from '../../store/open-postgres.ts'
import { expectFailure, expectSuccess } from '../support/expectations.ts'
import type { Answer } from '../support/serve.ts'
import { type Place, sendBody, sendInDoubt, servingOn } from '../support/serve-on-postgres.ts'
import { until } from '../support/until.ts'

const openPlace = servingOn(sharedPostgres())

const transactions = '/api/v1/relayers/one/transactions'

function send({ serving }: Place, key?: string): Promise<Answer> {
  const headers = { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) }
  return serving.ask('POST', transactions, { headers, body: sendBody })
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

test('a connection that is lost at COMMIT, before the server has it: nothing is stored, and the answer says so', async () => {
  await using place = await openPlace()
  const cut = place.line.cutAtCommit('before')
  const lost = await send(place)
  await cut
  expectUnavailable(lost, "can't be reached")
  expect(lost.headers['retry-after']).toBeDefined()
  await expectWell(place, 0)
})

test.each(['after', 'late'] as const)(
  'a COMMIT that is done, and whose answer is lost, is answered as any other, where the server gets it: %s',
  async (moment) => {
    await using place = await openPlace()
    const cut = place.line.cutAtCommit(moment)
    const sent = await send(place)
    await cut
    expectSuccess(sent)
    expect(await place.query('SELECT id FROM transactions')).toEqual([{ id: sent.body.data.id }])
    await expectWell(place, 1)
  },
)

test('while the fate of a COMMIT is open, the relayer and its lane are free for others', async () => {
  await using place = await openPlace()
  place.line.hideFates(true)
  const cut = place.line.cutAtCommit('after')
  const open = send(place)
  await cut
  expectSuccess(await send(place))
  place.line.hideFates(false)
  expectSuccess(await open)
  await expectWell(place, 2)
})

function expectUnknown(answer: Answer): void {
  expect([answer.status, answer.headers['relayer-error-code']]).toEqual([500, 'OUTCOME_UNKNOWN'])
}

test('a COMMIT whose fate can’t be read in time: unknown, and repeatable only under its key', async () => {
  await using place = await openPlace({ clock: systemClock })
  const lost = await sendInDoubt(place, () => send(place))
  expectUnknown(lost)
  expect(lost.body.message).toMatch(
    /^the connection to the database was lost .* it may or may not be stored; .*Idempotency-Key$/,
  )
  expect(lost.headers['retry-after']).toBeUndefined()
  const keyed = await sendInDoubt(place, () => send(place, 'the-same'))
  expectUnknown(keyed)
  expect(keyed.headers['retry-after']).toBeDefined()
  const again = await send(place, 'the-same')
  expectSuccess(again)
  expect(again.headers['idempotency-replayed']).toBe('true')
  await expectWell(place, 2)
})

test('at SIGTERM nothing waits for the fate of a COMMIT', async () => {
  const stop = new AbortController()
  await using place = await openPlace({ stop: stop.signal })
  const sending = sendInDoubt(place, () => send(place))
  await until(async () => (await place.stored()) === 1)
  stop.abort()
  expectUnknown(await sending)
})

test('a server that crashed gives ids of transactions out again: what it says of one is no proof', async () => {
  await using place = await openPlace()
  place.line.hideFates(true)
  const cut = place.line.cutAtCommit('before')
  const sending = send(place)
  await cut
  await place.postgres.kill9()
  await place.postgres.restart()
  await place.query('CREATE TABLE others (id INT)')
  for (let id = 0; id < 20; id += 1) await place.query(`INSERT INTO others VALUES (${id})`)
  place.line.hideFates(false)
  expectUnknown(await sending)
  await expectWell(place, 0)
})

test('a connection that is lost at any moment of a send: each key is one transaction, and an error is true', async () => {
  await using place = await openPlace()
  const heard = new Set<unknown>()
  // The number of packets of a send differs: a request and its answer may arrive as one.
  for (let sends = 0; sends < 240 && (sends < 24 || heard.size < 2); sends += 1) {
    place.line.cutAfter(sends % 8)
    const first = await send(place, `key-${sends}`)
    const code = first.headers['relayer-error-code']
    heard.add(code)
    if (code === 'DATABASE_UNAVAILABLE') expect(await place.stored()).toBe(sends)
    if (code === undefined) expectSuccess(first)
    place.line.cutAfter(Number.POSITIVE_INFINITY)
    let again = await send(place, `key-${sends}`)
    // After a connect that failed nobody connects for a moment.
    await until(async () => {
      if (again.headers['relayer-error-code'] !== 'DATABASE_UNAVAILABLE') return true
      again = await send(place, `key-${sends}`)
      return false
    })
    expectSuccess(again)
    if (code === undefined) expect(again.body.data.id).toBe(first.body.data.id)
    expect(await place.stored()).toBe(sends + 1)
  }
  expect(heard).toEqual(new Set(['DATABASE_UNAVAILABLE', undefined]))
})

test('a cancel whose COMMIT is done, and whose fate can’t be read in time, may be requested again', async () => {
  await using place = await openPlace({ clock: systemClock })
  const { id } = (await send(place)).body.data
  const lost = await sendInDoubt(place, () => place.serving.ask('DELETE', `${transactions}/${id}`))
  expectUnknown(lost)
  expect(lost.headers['retry-after']).toBeDefined()
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
