// Deep pages of a list on PostgreSQL: exact after any writes, and while replicas of an earlier version write beside this one.
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
import { listTransactions, pageByBuckets } from '../../src/store/transactions/list-transactions.ts'
import { now } from '../domain/some.ts'
import { send, storedRelayer } from './contract.ts'
import { schemaBefore } from './earlier-database.ts'
import { sharedPostgres } from './open-postgres.ts'
import { quiet } from './open-store.ts'
import { comparePages } from './pages-model.ts'

const server = sharedPostgres()
const rows = 40_000

test('pages by buckets are the pages by OFFSET, after any sequence of writes', async () => {
  await using opened = await openDatabase()
  const { client, executor } = opened
  await migrate(client, now)
  await comparePages({ executor, query: async (sql) => (await client.query(sql)).rows })
})

test('what an earlier version stored goes by OFFSET until it is counted, and then by buckets', async () => {
  await using opened = await openDatabase()
  const { client, executor, url } = opened
  for (const sql of schemaBefore('029-uncounted-relayers', 'postgres')) await client.query(sql)
  const relayer = 'one' as RelayerId
  await insertEnded(client, relayer, 1)
  await using store = await openPostgresStore({ url, clock: systemClock, logger: quiet })
  const last = { page: rows / 100, perPage: 100 }
  const window = { relayerId: relayer, limit: 100, offset: rows - 100 }
  const sequences = Array.from({ length: 100 }, (_, index) => 100 - index)
  const page = async () => {
    const { items, total } = await listTransactions(executor, relayer, { status: 'canceled' }, last)
    return { total, sequences: items.map(({ sequence }) => sequence) }
  }
  expect(await pageByBuckets(executor, window, 'canceled')).toBeUndefined()
  expect(await page()).toEqual({ total: rows, sequences })

  await countAll(store)
  expect(await uncounted(client)).toEqual([])
  expect((await pageByBuckets(executor, window, 'canceled'))?.map(({ sequence }) => sequence)).toEqual(sequences)
  expect(await page()).toEqual({ total: rows, sequences })
})

test('what a replica of an earlier version changes meanwhile leaves the relayer uncounted', async () => {
  await using opened = await openDatabase()
  const { client, executor, url } = opened
  await using store = await openPostgresStore({ url, clock: systemClock, logger: quiet })
  const earlier = new pg.Client({ connectionString: url.reveal() })
  await earlier.connect()
  opened.defer(() => earlier.end())
  const { id: relayer } = await storedRelayer(store)
  await send(store, relayer)
  expect(await uncounted(client)).toEqual([])

  await insertEnded(earlier, relayer, 2)
  await earlier.query('DELETE FROM transactions WHERE id = $1', [`${relayer}-5`])
  await earlier.query(`UPDATE tallies SET count = count - 1 WHERE status = 'canceled'`)
  const window = { relayerId: relayer, limit: 1, offset: rows - 1 }
  expect(await uncounted(client)).toEqual([{ relayer_id: relayer, changes: 2 }])
  expect(await pageByBuckets(executor, window)).toBeUndefined()

  const [seen] = await store.reads.uncountedRelayers()
  expect(seen).toEqual({ relayerId: relayer, changes: 2, buckets: 3 })
  await earlier.query(`UPDATE tallies SET count = count WHERE status = 'canceled'`)
  expect(seen && (await store.commit((session) => session.completeBuckets(seen)))).toBe(false)
  await countAll(store)
  expect(await uncounted(client)).toEqual([])
  expect((await pageByBuckets(executor, window))?.map(({ sequence }) => sequence)).toEqual([1])
  const { rows: counted } = await client.query(
    'SELECT bucket::int, status, count::int FROM tally_buckets ORDER BY bucket, status',
  )
  const { rows: stored } = await client.query(
    'SELECT (sequence / 16384)::int AS bucket, status, count(*)::int FROM transactions GROUP BY 1, 2 ORDER BY 1, 2',
  )
  expect(counted).toEqual(stored)

  // The sums do not show it: one transaction more and one less of the same status, in different buckets.
  await earlier.query('UPDATE transactions SET sequence = 60000 WHERE id = $1', [`${relayer}-7`])
  await earlier.query(`UPDATE tallies SET count = count WHERE status = 'canceled'`)
  expect(await pageByBuckets(executor, { ...window, offset: 20_000 })).toBeUndefined()
})

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
  const pool = openPool(url, 1, () => undefined)
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
