// Lists on PostgreSQL: exact after any writes.
import { test } from 'vitest'
import { systemClock } from '../../src/ops/clock.ts'
import { secretUrl } from '../../src/ops/secret.ts'
import { openPool } from '../../src/store/postgres/connect.ts'
import { migrate } from '../../src/store/postgres/migrate.ts'
import type { Executor } from '../../src/store/statement.ts'
import { now } from '../domain/some.ts'
import { compareLists } from './lists-model.ts'
import { sharedPostgres } from './open-postgres.ts'
import { quiet } from './open-store.ts'
import { comparePages } from './pages-model.ts'

const server = sharedPostgres()

test('pages are the rows in their order, after any sequence of writes', async () => {
  await using opened = await openDatabase()
  const { client, executor } = opened
  await comparePages({ executor, query: async (sql) => (await client.query(sql)).rows })
})

test('filters find what a model finds, in its order, window after window', async () => {
  await using opened = await openDatabase()
  await compareLists(opened.executor)
})

async function openDatabase() {
  const opened = new AsyncDisposableStack()
  const url = secretUrl(new URL(await (await server()).database()))
  const pool = openPool(url, { max: 1, onIdleError: () => undefined })
  opened.defer(() => pool.end())
  const client = await pool.connect()
  opened.defer(() => client.release())
  await migrate(client, now, { clock: systemClock, logger: quiet })
  const executor: Executor = {
    async all(statement, parameters) {
      const { sql, bind } = statement.compiled('postgres')
      return (await client.query(sql, [...bind(parameters)])).rows
    },
  }
  return Object.assign(opened, { client, executor })
}
