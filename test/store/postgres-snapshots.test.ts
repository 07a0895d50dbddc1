// A snapshot that another session keeps open: the versions of rows that it keeps are counted, and its holder can be found.
import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { cancel } from '../../src/domain/cancel.ts'
import { systemClock } from '../../src/ops/clock.ts'
import { secretUrl } from '../../src/ops/secret.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { until } from '../../tooling/client.ts'
import { now } from '../domain/some.ts'
import { send, storedRelayer } from './contract.ts'
import { sharedPostgres } from './open-postgres.ts'
import { quiet } from './open-store.ts'

const server = sharedPostgres()

/** As docs/postgres.md gives it. */
async function holderQuery(): Promise<string> {
  const text = await readFile(new URL('../../docs/postgres.md', import.meta.url), 'utf8')
  return /### Open snapshots[\s\S]*?```sql\n([\s\S]*?)```/.exec(text)?.[1] ?? ''
}

test('versions that a snapshot keeps are counted by table, and its holder is found until it ends', async () => {
  const postgres = await server()
  const url = await postgres.database()
  await using store = await openPostgresStore({ url: secretUrl(new URL(url)), clock: systemClock, logger: quiet })
  const { id } = await storedRelayer(store)
  const deadIn = async (table: string) => {
    const counts = (await store.reads.deadRows?.()) ?? []
    expect(counts.map((each) => each.table).sort()).toEqual(['figures', 'tally_changes'])
    return counts.find((each) => each.table === table)?.rows ?? 0
  }
  const end = async () => {
    const sent = await send(store, id)
    await store.commit((session) => session.saveTransaction(sent, cancel(sent, now), now), id)
  }
  const holders = async () =>
    (await postgres.query<{ holder: string }>(await holderQuery())).map(({ holder }) => holder)

  const dump = new pg.Client({ connectionString: url })
  await dump.connect()
  await dump.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  const { rows } = await dump.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const pid = String(rows[0]?.pid)
  for (let ends = 0; ends < 300; ends += 1) await end()
  // The statistics of a session reach the server at the end of a later transaction.
  const counted = (condition: (rows: number) => boolean) =>
    until(
      async () => {
        await end()
        return condition(await deadIn('figures')) || undefined
      },
      { everyMs: 200, limitMs: 60_000, what: 'the count' },
    )
  await counted((dead) => dead >= 290)
  expect(await holders()).toContain(pid)

  await dump.end()
  await until(async () => !(await holders()).includes(pid), { what: 'the end of its session' })
  for (let ends = 0; ends < 300; ends += 1) await end()
  await counted((dead) => dead < 290)
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
