// A server that took over by logical replication, which copies rows and no sequences.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import pg from 'pg'
import { expect, test } from 'vitest'
import { cancel } from '../../src/domain/cancel.ts'
import type { RelayerId } from '../../src/domain/ids.ts'
import { systemClock } from '../../src/ops/clock.ts'
import { secretUrl } from '../../src/ops/secret.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import type { Store } from '../../src/store/store.ts'
import { until } from '../../tooling/client.ts'
import { startPostgres } from '../../tooling/postgres.ts'
import { now } from '../domain/some.ts'
import { isSkipped } from '../support/is-skipped.ts'
import { send, storedRelayer } from './contract.ts'
import { sharedPostgres } from './open-postgres.ts'
import { quiet } from './open-store.ts'

const server = sharedPostgres()
const run = promisify(execFile)
const openAt = (url: string) => openPostgresStore({ url: secretUrl(new URL(url)), clock: systemClock, logger: quiet })
const nameIn = (url: string) => new URL(url).pathname.slice(1)
/** Of a table without one a publication takes no change of a row. */
const withoutKey = `SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
  AND NOT EXISTS (SELECT 1 FROM pg_index WHERE indrelid = pg_class.oid AND indisprimary)`
const sequences = `SELECT sequencename AS name, last_value AS value FROM pg_sequences WHERE schemaname = 'public' ORDER BY 1`

/** Each is an event. */
async function sendAndCancel(store: Store, relayer: RelayerId, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += 1) {
    const transaction = await send(store, relayer)
    await store.commit((session) => session.saveTransaction(transaction, cancel(transaction, now), now), relayer)
  }
}

test('sequences at their start are raised above all ids of their tables, and those that tallies have passed', async () => {
  const postgres = await server()
  const url = await postgres.database()
  const query = <Row>(sql: string) => postgres.query<Row>(sql, nameIn(url))
  let sent = 0
  const { id } = await (async () => {
    await using store = await openAt(url)
    const relayer = await storedRelayer(store)
    // Until all changes of tallies are folded, and their rows gone.
    const changes = async () => (await query('SELECT 1 FROM tally_changes')).length
    while (sent === 0 || (await changes()) > 0) {
      await sendAndCancel(store, relayer.id, 1)
      sent += 1
    }
    return relayer
  })()
  expect(await query(withoutKey)).toEqual([])
  const before = await query<{ name: string; value: number | null }>(sequences)
  for (const { name } of before) await query(`ALTER SEQUENCE ${name} RESTART WITH 1`)
  await using store = await openAt(url)
  await sendAndCancel(store, id, 1)
  expect(await store.reads.counts(id)).toMatchObject({ canceled: sent + 1, pending: 0 })
  const ids = (await query<{ id: number }>('SELECT id FROM outbox ORDER BY id')).map((row) => row.id)
  expect(ids).toEqual(Array.from({ length: sent + 1 }, (_, place) => place + 1))
})

/** A database whose relayer has sent three transactions, and canceled them. */
async function usedDatabase() {
  const postgres = await server()
  const url = await postgres.database()
  const query = <Row>(sql: string) => postgres.query<Row>(sql, nameIn(url))
  await using store = await openAt(url)
  const { id } = await storedRelayer(store)
  await sendAndCancel(store, id, 3)
  return { url, query, id }
}

test('a user that does not own the tables raises them where it may; otherwise the start is refused', async () => {
  const { url, query, id } = await usedDatabase()
  await query('REASSIGN OWNED BY rescind TO postgres; GRANT ALL ON SCHEMA public TO rescind')
  await query('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO rescind')
  await query('ALTER SEQUENCE outbox_id_seq RESTART WITH 1')
  await expect(openAt(url)).rejects.toThrow(
    /^DATABASE_URL: the user may not change .*permission denied for sequence .*; name the one that owns them$/,
  )
  await query('GRANT SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA public TO rescind')
  await using store = await openAt(url)
  await sendAndCancel(store, id, 1)
  expect(await query('SELECT max(id) AS newest FROM outbox')).toEqual([{ newest: 4 }])
})

test('a row that is still being copied counts for the sequence, too', async () => {
  const { url, query, id } = await usedDatabase()
  await query('ALTER SEQUENCE outbox_id_seq RESTART WITH 1')
  const copying = new pg.Client({ connectionString: url })
  await copying.connect()
  await copying.query('BEGIN')
  await copying.query(
    "INSERT INTO outbox (id, relayer_id, transaction_id, status, terminal, occurred_at) VALUES (7, 'a', 'b', 'canceled', 1, 1)",
  )
  let isOpen = false
  const opening = openAt(url).finally(() => {
    isOpen = true
  })
  const waits = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = '${nameIn(url)}'`
  await until(async () => isOpen || (await query(waits)).length > 0, { what: 'the start' })
  await copying.query('COMMIT')
  await copying.end()
  await using store = await opening
  await sendAndCancel(store, id, 1)
  expect(await query('SELECT id FROM outbox WHERE id > 3 ORDER BY id')).toEqual([{ id: 7 }, { id: 8 }])
})

test('a sequence that is ahead of its table stays', async () => {
  const postgres = await server()
  const url = await postgres.database()
  const query = <Row>(sql: string) => postgres.query<Row>(sql, nameIn(url))
  await (await openAt(url))[Symbol.asyncDispose]()
  for (const { name } of await query<{ name: string }>(sequences)) await query(`SELECT setval('${name}', 700)`)
  const before = await query(sequences)
  await (await openAt(url))[Symbol.asyncDispose]()
  expect(await query(sequences)).toEqual(before)
})

test.skipIf(isSkipped(!existsSync('/usr/bin/pg_dump')))(
  'a server that took over by a subscription goes on with sends, events and counts (skipped without pg_dump)',
  async () => {
    const settings = { wal_level: 'logical' }
    await using old = await startPostgres({ installed: true, settings })
    await using next = await startPostgres({ installed: true, settings })
    const [from, to] = [await old.database(), await next.database()]
    const { id } = await (async () => {
      await using store = await openAt(from)
      const relayer = await storedRelayer(store)
      await sendAndCancel(store, relayer.id, 20)
      // As docs/postgres.md has it.
      const { stdout } = await run('pg_dump', ['--schema-only', '--no-owner', from])
      const plain = stdout
        .split('\n')
        .filter((line) => !line.startsWith('\\'))
        .join('\n')
      await next.query(`SET ROLE rescind; ${plain}`, nameIn(to))
      await old.query('CREATE PUBLICATION everything FOR ALL TABLES', nameIn(from))
      await next.query(
        `CREATE SUBSCRIPTION upgrade CONNECTION '${old.conninfo(old.port)} dbname=${nameIn(from)}' PUBLICATION everything`,
        nameIn(to),
      )
      // The service goes on meanwhile: what it updates is published, too.
      await sendAndCancel(store, relayer.id, 20)
      return relayer
    })()
    const rowsOf = async () => (await next.query<{ n: number }>('SELECT count(*) AS n FROM outbox', nameIn(to)))[0]?.n
    const isIdle = "SELECT 1 FROM pg_subscription_rel WHERE srsubstate <> 'r'"
    await until(async () => (await next.query(isIdle, nameIn(to))).length === 0 && (await rowsOf()) === 40, {
      limitMs: 60_000,
      what: 'the subscription',
    })
    await next.query('DROP SUBSCRIPTION upgrade', nameIn(to))
    await using store = await openAt(to)
    await sendAndCancel(store, id, 1)
    expect(await store.reads.counts(id)).toMatchObject({ canceled: 41, pending: 0 })
    const newest = await until(
      async () => {
        const { events } = await store.reads.events(40, 10, () => true)
        return events.length > 0 && events
      },
      { what: 'the event' },
    )
    expect(newest).toHaveLength(1)
    // The other server may have given ids out since.
    expect(newest[0]?.id).toBeGreaterThan(2 ** 32)
  },
)
