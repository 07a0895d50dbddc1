// What PostgreSQL's own errors come to for the requester.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/ops/clock.ts'
import { secretUrl } from '../../src/ops/secret.ts'
import { openPool } from '../../src/store/postgres/connect.ts'
import { isConnectionLost, translateError } from '../../src/store/postgres/failure.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { until } from '../../tooling/client.ts'
import { startPostgres } from '../../tooling/postgres.ts'
import { now, someBulk } from '../domain/some.ts'
import { send, storedRelayer } from './contract.ts'
import { sharedPostgres } from './open-postgres.ts'
import { quiet } from './open-store.ts'

const server = sharedPostgres()

test.each([
  ['53100', 'has a full disk'],
  ['53300', 'has no connection left for this service'],
  ['25006', 'is read-only'],
  ['55P03', 'did not answer in time'],
  // transaction_timeout, since PostgreSQL 17.
  ['25P04', 'did not answer in time'],
  ['57P03', 'is starting or stopping'],
  ['28P01', 'refuses the user of DATABASE_URL'],
])('%s: the database %s', async (code, why) => {
  const pool = openPool(secretUrl(new URL(await (await server()).database())), { max: 1, onIdleError: () => undefined })
  const raise = `DO $$ BEGIN RAISE EXCEPTION 'words of the server' USING ERRCODE = '${code}'; END $$`
  const failure = await pool.query(raise).catch((error: unknown) => error)
  await pool.end()
  expect(translateError(failure)).toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
    message: `the database ${why}: nothing of this is stored`,
  })
})

test('a database that accepts no connections: nothing is stored, and it is not ready until it does', async () => {
  const postgres = await server()
  const url = await postgres.database()
  const name = new URL(url).pathname.slice(1)
  await using store = await openPostgresStore({ url: secretUrl(new URL(url)), clock: systemClock, logger: quiet })
  await postgres.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
  await postgres.query(`SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = '${name}'`)
  const why = 'the database accepts no connections'
  const refused = { code: 'DATABASE_UNAVAILABLE', message: `${why}: nothing of this is stored` }
  // A session that has ended may be noticed by its next use.
  const last = (run: () => Promise<unknown>) =>
    until(
      async () => {
        const error = await run().catch((thrown: unknown) => thrown)
        return error instanceof Error && !/can't be reached|ended the connection/.test(error.message) && error
      },
      { what: 'a new connection' },
    )
  expect(await last(() => storedRelayer(store))).toMatchObject(refused)
  expect(await last(() => store.check())).toMatchObject({ code: 'NOT_READY', message: why })
  await postgres.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)
  // A pause of up to a second follows connections that failed.
  await until(
    () =>
      store.check().then(
        () => true,
        () => false,
      ),
    { what: 'a connection' },
  )
  await storedRelayer(store)
})

test('a right that is revoked, and row level security, which hides no row: what it would leave out is an error', async () => {
  const postgres = await server()
  const url = await postgres.database()
  await using store = await openPostgresStore({ url: secretUrl(new URL(url)), clock: systemClock, logger: quiet })
  const { id } = await storedRelayer(store)
  const name = new URL(url).pathname.slice(1)
  const refused = { message: 'the database refuses the user of DATABASE_URL: nothing of this is stored' }
  await postgres.query('REVOKE INSERT ON transactions FROM rescind', name)
  await expect(send(store, id)).rejects.toMatchObject(refused)
  // Cancellations need no such right.
  await store.check()
  await postgres.query('REVOKE UPDATE ON transactions FROM rescind', name)
  const notReady = { code: 'NOT_READY', message: 'the database refuses the user of DATABASE_URL' }
  await expect(store.check()).rejects.toMatchObject(notReady)
  await postgres.query('GRANT UPDATE ON transactions TO rescind', name)
  await store.check()
  await postgres.query(
    'ALTER TABLE outbox ENABLE ROW LEVEL SECURITY; ALTER TABLE outbox FORCE ROW LEVEL SECURITY',
    name,
  )
  await expect(store.check()).rejects.toMatchObject(notReady)
  const secure = 'ALTER TABLE relayers ENABLE ROW LEVEL SECURITY; ALTER TABLE relayers FORCE ROW LEVEL SECURITY'
  await postgres.query(secure, name)
  await expect(store.reads.relayer(id)).rejects.toMatchObject(refused)
})

/** Opens the store again on a server that finds the file of this table or index damaged. */
async function onDamaged(name: string) {
  await using opened = new AsyncDisposableStack()
  const postgres = opened.use(await startPostgres())
  const url = await postgres.database()
  const open = () => openPostgresStore({ url: secretUrl(new URL(url)), clock: systemClock, logger: quiet })
  const sent = await (async () => {
    await using store = await open()
    return send(store, (await storedRelayer(store)).id)
  })()
  const path = `SELECT pg_relation_filepath('${name}') AS path`
  const [file] = await postgres.query<{ path: string }>(path, new URL(url).pathname.slice(1))
  await postgres.stop()
  await writeFile(join(postgres.data, file?.path ?? ''), Buffer.alloc(8_192, 0x5a))
  await postgres.restart()
  const store = opened.use(await open())
  const everything = opened.move()
  return { store, sent, [Symbol.asyncDispose]: () => everything.disposeAsync() }
}

const damaged = {
  code: 'DATABASE_UNAVAILABLE',
  message: 'the database has damaged data: nothing of this is stored',
}

test('a page of a table that is damaged fails what reads it, and nothing else', async () => {
  await using place = await onDamaged('transactions')
  const { store, sent } = place
  expect((await store.reads.relayer(sent.relayerId))?.id).toBe(sent.relayerId)
  await expect(send(store, sent.relayerId)).rejects.toMatchObject(damaged)
  await store.check()
})

test.each(['relayers_pkey', 'transactions_pkey', 'transactions_queue', 'figures_pkey'])(
  'an index that every cancellation reads, and that is damaged: not ready (%s)',
  async (index) => {
    await using place = await onDamaged(index)
    const { store, sent } = place
    const canceling = (async () => {
      const { relayerId, id } = sent
      await store.commit((session) => session.transaction(relayerId, id), relayerId, { transactions: [id] })
      await store.commit((session) => session.cancelPending(relayerId, now, someBulk()), relayerId)
    })()
    await expect(canceling).rejects.toMatchObject(damaged)
    await expect(store.check()).rejects.toMatchObject({ code: 'NOT_READY', message: 'the database has damaged data' })
  },
)

test.each(['25P03', '25P04', '57P01', '08006', 'ECONNRESET'])('%s ends the connection', (code) => {
  expect(isConnectionLost(Object.assign(new Error('words'), { code }))).toBe(true)
})
