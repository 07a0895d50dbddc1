// Lists on PostgreSQL, and the buckets by which replicas of the version before read deep pages: exact after any writes, and while replicas
// of an earlier version write beside this one.
import pg from 'pg'
import { expect, test } from 'vitest'
import type { RelayerId } from '../../src/domain/ids.ts'
import { systemClock } from '../../src/ops/clock.ts'
import { secretUrl } from '../../src/ops/secret.ts'
import { countBuckets } from '../../src/retention/count-buckets.ts'
import { openPool } from '../../src/store/postgres/connect.ts'
import { migrate } from '../../src/store/postgres/migrate.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import type { Executor } from '../../src/store/statement.ts'
import type { Store } from '../../src/store/store.ts'
import { listTransactions } from '../../src/store/transactions/list-transactions.ts'
import { now } from '../domain/some.ts'
import { send, storedRelayer } from './contract.ts'
import { schemaBefore } from './earlier-database.ts'
import { compareLists } from './lists-model.ts'
import { sharedPostgres } from './open-postgres.ts'
import { quiet } from './open-store.ts'
import { comparePages } from './pages-model.ts'

const server = sharedPostgres()
const rows = 40_000

test('pages are the rows in their order, after any sequence of writes', async () => {
  await using opened = await openDatabase()
  const { client, executor } = opened
  await migrate(client, now, { clock: systemClock, logger: quiet })
  await comparePages({ executor, query: async (sql) => (await client.query(sql)).rows })
})

test('filters find what a model finds, in its order, window after window', async () => {
  await using opened = await openDatabase()
  await migrate(opened.client, now, { clock: systemClock, logger: quiet })
  await compareLists(opened.executor)
})

test('what an earlier version stored is listed before and after it is counted', async () => {
  await using opened = await openDatabase()
  const { client, executor, url } = opened
  for (const sql of schemaBefore('029-uncounted-relayers', 'postgres')) await client.query(sql)
  const relayer = 'one' as RelayerId
  await insertEnded(client, relayer, 1)
  await using store = await openPostgresStore({ url, clock: systemClock, logger: quiet })
  const last = { page: rows / 100, perPage: 100 }
  const sequences = Array.from({ length: 100 }, (_, index) => 100 - index)
  const page = async () => {
    const { items, total } = await listTransactions(executor, relayer, { status: 'canceled' }, last)
    return { total, sequences: items.map(({ sequence }) => sequence) }
  }
  expect(await uncounted(client)).toHaveLength(1)
  expect(await page()).toEqual({ total: rows, sequences })

  await countAll(store)
  expect(await uncounted(client)).toEqual([])
  expect(await page()).toEqual({ total: rows, sequences })
})

test('what a replica of an earlier version changes meanwhile leaves the relayer uncounted', async () => {
  await using opened = await openDatabase()
  const { client, url } = opened
  await using store = await openPostgresStore({ url, clock: systemClock, logger: quiet })
  const earlier = new pg.Client({ connectionString: url.reveal() })
  await earlier.connect()
  opened.defer(() => earlier.end())
  const { id: relayer } = await storedRelayer(store)
  await send(store, relayer)
  expect(await uncounted(client)).toEqual([])

  await insertEnded(earlier, relayer, 2)
  await earlier.query('DELETE FROM transactions WHERE id = $1', [`${relayer}-5`])
  await earlier.query(`UPDATE transactions SET status = 'expired' WHERE id = $1`, [`${relayer}-${rows}`])
  await earlier.query(`UPDATE tallies SET count = count - 2 WHERE status = 'canceled'`)
  await earlier.query(`INSERT INTO tallies (relayer_id, status, count) VALUES ($1, 'expired', 1)`, [relayer])
  expect(await uncounted(client)).toEqual([{ relayer_id: relayer, changes: expect.any(Number) }])

  const [seen] = await store.reads.uncountedRelayers()
  expect(seen).toMatchObject({ relayerId: relayer, buckets: 3 })
  await swapEnds(earlier, relayer)
  expect(seen && (await store.commit((session) => session.completeBuckets(seen)))).toBe(false)
  await countAll(store)
  expect(await uncounted(client)).toEqual([])
  const { rows: counted } = await client.query(
    'SELECT bucket::int, status, count::int FROM tally_buckets ORDER BY bucket, status',
  )
  const { rows: stored } = await client.query(
    'SELECT (sequence / 16384)::int AS bucket, status, count(*)::int FROM transactions GROUP BY 1, 2 ORDER BY 1, 2',
  )
  expect(counted).toEqual(stored)

  await swapEnds(earlier, relayer)
  expect(await uncounted(client)).toHaveLength(1)
})

/** Of one canceled and one expired transaction, in different buckets: no tally changes, and no sum of the buckets. */
async function swapEnds(client: pg.ClientBase, relayer: RelayerId): Promise<void> {
  await client.query(
    `UPDATE transactions SET status = CASE status WHEN 'canceled' THEN 'expired' ELSE 'canceled' END WHERE id IN ($1, $2)`,
    [`${relayer}-10`, `${relayer}-${rows}`],
  )
}

async function countAll(store: Store): Promise<void> {
  const over = Promise.withResolvers<void>()
  const clock = {
    ...systemClock,
    sleep: async (ms: number, signal?: AbortSignal) => {
      if (ms < everyMs) return
      over.resolve()
      await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()))
    },
  }
  await using _ = countBuckets({ store, clock, logger: quiet, isOurs: () => true, everyMs })
  await over.promise
}
const everyMs = 3_600_000

const uncounted = async (client: pg.ClientBase) => (await client.query('SELECT * FROM uncounted_relayers')).rows

/** As an earlier version: the tallies have it, and no bucket. */
async function insertEnded(client: pg.ClientBase, relayer: RelayerId, from: number): Promise<void> {
  await client.query(
    `INSERT INTO transactions (id, relayer_id, sequence, version, created_at, origin, from_address, value, data, pricing,
      speed, phase, open, status, canceled_at, cancel_origin, ended_at, drop_reason)
    SELECT $1 || '-' || i, $1, i, 1, 1, 'client', '0x', '0', '0x', 'speed', 'fast', 'dropped', 0, 'canceled', 1, 'request',
      1, 'canceled' FROM generate_series($2::bigint, $2 + ${rows - 1}) AS i`,
    [relayer, from],
  )
  await client.query(`INSERT INTO tallies (relayer_id, status, count) VALUES ($1, 'canceled', ${rows})`, [relayer])
}

async function openDatabase() {
  const opened = new AsyncDisposableStack()
  const url = secretUrl(new URL(await (await server()).database()))
  const pool = openPool(url, { max: 1, onIdleError: () => undefined })
  opened.defer(() => pool.end())
  const client = await pool.connect()
  opened.defer(() => client.release())
  const executor: Executor = {
    async all(statement, parameters) {
      const { sql, bind } = statement.compiled('postgres')
      return (await client.query(sql, [...bind(parameters)])).rows
    },
  }
  return Object.assign(opened, { client, executor, url })
}
