// A snapshot that another session keeps open: its holder can be found. And what a send writes.
import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/ops/clock.ts'
import { secretUrl } from '../../src/ops/secret.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { until } from '../../tooling/client.ts'
import { send, storedRelayer } from './contract.ts'
import { sharedPostgres } from './open-postgres.ts'
import { quiet } from './open-store.ts'

const server = sharedPostgres()

/** As docs/postgres.md gives it. */
async function holderQuery(): Promise<string> {
  const text = await readFile(new URL('../../docs/postgres.md', import.meta.url), 'utf8')
  return /### Open snapshots[\s\S]*?```sql\n([\s\S]*?)```/.exec(text)?.[1] ?? ''
}

test('the holder of a snapshot is found until it ends', async () => {
  const postgres = await server()
  const url = await postgres.database()
  const holders = async () =>
    (await postgres.query<{ holder: string }>(await holderQuery())).map(({ holder }) => holder)

  const dump = new pg.Client({ connectionString: url })
  await dump.connect()
  await dump.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  const { rows } = await dump.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const pid = String(rows[0]?.pid)
  expect(await holders()).toContain(pid)

  await dump.end()
  await until(async () => !(await holders()).includes(pid), { what: 'the end of its session' })
})

test('sends leave no version of the row of their relayer, alone or many in one commit', async () => {
  const url = await (await server()).database()
  await using store = await openPostgresStore({ url: secretUrl(new URL(url)), clock: systemClock, logger: quiet })
  const { id } = await storedRelayer(store)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const version = async () => (await client.query('SELECT ctid FROM relayers WHERE id = $1', [id])).rows
  const before = await version()
  for (let sends = 0; sends < 3; sends += 1) await send(store, id)
  await Promise.all(Array.from({ length: 20 }, () => send(store, id)))
  expect(await version()).toEqual(before)
  expect((await store.reads.work(id))?.lastSequence).toBe(23)
  await client.end()
})
