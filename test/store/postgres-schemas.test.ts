// Schemas of one database: the service works in the one in which it started, and starts in no second one by accident.
import { expect, test } from 'vitest'
import { systemClock } from '../../src/ops/clock.ts'
import { OperatorError } from '../../src/ops/operator-error.ts'
import { secretUrl } from '../../src/ops/secret.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { storedRelayer } from './contract.ts'
import { sharedPostgres } from './open-postgres.ts'
import { quiet } from './open-store.ts'

const server = sharedPostgres()
const open = (url: string) => openPostgresStore({ url: secretUrl(new URL(url)), clock: systemClock, logger: quiet })

async function place() {
  const postgres = await server()
  const url = await postgres.database()
  return { url, query: <Row>(sql: string) => postgres.query<Row>(sql, new URL(url).pathname.slice(1)) }
}

async function refusalOf(url: string): Promise<Error> {
  const outcome = await open(url).catch((error: Error) => error)
  if (outcome instanceof Error) return outcome
  await outcome[Symbol.asyncDispose]()
  throw new Error('it was not refused')
}

const tablesIn = (schema: string) => `SELECT tablename FROM pg_tables WHERE schemaname = '${schema}'`

test('a schema that is created earlier in the search_path starts no second, empty service', async () => {
  const { url, query } = await place()
  await (await open(url))[Symbol.asyncDispose]()
  await query('CREATE SCHEMA rescind AUTHORIZATION rescind')
  const refusal = await refusalOf(url)
  expect(refusal).toBeInstanceOf(OperatorError)
  expect(refusal.message).toBe(
    'DATABASE_URL: the schema rescind comes first in the search_path, and the schema public has the tables of a service, too; name the right one in the URL: ?schema=NAME',
  )
  expect(await query(tablesIn('rescind'))).toEqual([])
  await using _store = await open(`${url}?schema=public`)
})

test('named in the URL, two services share a database', async () => {
  const { url, query } = await place()
  await query('CREATE SCHEMA second AUTHORIZATION rescind')
  await using _first = await open(`${url}?schema=public`)
  await using _second = await open(`${url}?schema=second`)
  expect((await query(tablesIn('second'))).length).toBe((await query(tablesIn('public'))).length)
})

test('tables of others that have the same names are no service', async () => {
  const { url, query } = await place()
  await query('CREATE SCHEMA rescind AUTHORIZATION rescind')
  await query('CREATE TABLE relayers (id INT); CREATE TABLE outbox (id INT)')
  await query('CREATE TABLE migrations (name TEXT); GRANT SELECT ON migrations TO rescind')
  await query("INSERT INTO migrations VALUES ('0001_initial')")
  await using _store = await open(url)
})

test('every session works in the schema of the first, whatever is created later', async () => {
  const { url, query } = await place()
  await using store = await open(url)
  await query('CREATE SCHEMA rescind AUTHORIZATION rescind')
  await query('CREATE TABLE rescind.relayers (id TEXT); CREATE TABLE rescind.probe (id INT)')
  await query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'rescind'")
  await expect.poll(() => store.check().then(() => 'well', String)).toBe('well')
  const { id } = await storedRelayer(store)
  expect(await query('SELECT id FROM public.relayers')).toEqual([{ id }])
})
