// Events on PostgreSQL across restarts, failovers and dumps that are put back.
import pg from 'pg'
import { expect, test } from 'vitest'
import type { Relayer } from '../../src/domain/relayer.ts'
import { resumeAt } from '../../src/http/events/resume-events.ts'
import { eventsInView } from '../../src/http/events/view-events.ts'
import { administrator } from '../../src/http/request/authenticate.ts'
import { systemClock } from '../../src/ops/clock.ts'
import { secretUrl } from '../../src/ops/secret.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { until } from '../../tooling/client.ts'
import { now } from '../domain/some.ts'
import { storedRelayer } from './contract.ts'
import { happen } from './contract-deliveries.ts'
import { compareReaders, type Ground, seal } from './events-model.ts'
import { sharedPostgres } from './open-postgres.ts'
import { quiet } from './open-store.ts'

const server = sharedPostgres()

async function openGround(): Promise<Ground> {
  const postgres = await server()
  const first = new URL(await postgres.database())
  const names = [first.pathname.slice(1)]
  let current = names[0] as string
  const urlOf = (name: string) => Object.assign(new URL(first), { pathname: `/${name}` })
  const copyOf = async (name: string) => {
    const copy = `${names[0]}_${names.length}`
    names.push(copy)
    await postgres.query(`CREATE DATABASE ${copy} OWNER rescind TEMPLATE ${name}`)
    return copy
  }
  return {
    givesIdsOnce: true,
    open: () => openPostgresStore({ url: secretUrl(urlOf(current)), clock: systemClock, logger: quiet }),
    query: (sql) => postgres.query(sql, current),
    async starts() {
      const rows = await postgres.query<{ id: number }>('SELECT through_id AS id FROM lost_events', current)
      return rows.map(({ id }) => id)
    },
    async copy() {
      return names.indexOf(await copyOf(current))
    },
    async putBack(copy, as) {
      current = await copyOf(names[copy] as string)
      // What a promotion or a restore leaves: the server's timeline, or the table, is another than on record.
      await postgres.query(`UPDATE server_identity SET ${as === 'standby' ? 'timeline' : 'outbox_oid'} = 0`, current)
    },
    async write({ relayer, transaction, occurredAt }) {
      const client = new pg.Client({ connectionString: urlOf(current).href })
      await client.connect()
      await client.query('BEGIN')
      const { rows } = await client.query(
        `INSERT INTO outbox (relayer_id, transaction_id, status, terminal, occurred_at, notification_id)
          SELECT id, $2, 'pending', 0, $3, notification_id FROM relayers WHERE id = $1 RETURNING id`,
        [relayer, transaction, occurredAt],
      )
      return {
        id: Number(rows[0].id),
        async end(how) {
          await client.query(how)
          await client.end()
        },
      }
    },
    async [Symbol.asyncDispose]() {
      for (const name of names) await postgres.query(`DROP DATABASE ${name} WITH (FORCE)`)
    },
  }
}

const never = { eventsKeptMs: 1e12, eventsKeptMax: 1_000_000, deadLettersKeptMs: 1e12, deadLettersKeptMax: 1 }
const everything = () => true

test('readers miss no event, and pruning leaves what is to stay', () => compareReaders(openGround, 12))

test('after a failover, and before the next event, pruning deletes nothing and ends, and a reader goes on', async () => {
  await using ground = await openGround()
  {
    await using store = await ground.open()
    await happen(store, await storedRelayer(store), 30)
  }
  await ground.putBack(await ground.copy(), 'standby')
  await using store = await ground.open()
  expect(await store.commit((session) => session.pruneEvents(never, now))).toBe(0)
  expect((await store.reads.events(10, 100, everything)).events).toHaveLength(20)
  // By age all may go but the newest: a reader that has read it misses none.
  await store.commit((session) => session.pruneEvents({ ...never, eventsKeptMs: 0 }, now + 1))
  expect(await ground.query('SELECT id FROM outbox')).toEqual([{ id: 30 }])
  expect(await store.reads.eventsPrunedThrough()).toBe(29)
})

test('a backup that is put back twice gives no id out twice', async () => {
  await using ground = await openGround()
  {
    await using store = await ground.open()
    await happen(store, await storedRelayer(store), 3)
  }
  const backup = await ground.copy()
  const ids: number[] = []
  for (const as of ['dump', 'dump', 'standby'] as const) {
    await ground.putBack(backup, as)
    await using store = await ground.open()
    await happen(store, await storedRelayer(store), 2)
    ids.push(
      ...(await ground.query<{ id: number }>('SELECT id FROM outbox WHERE id > 3 ORDER BY id')).map(({ id }) => id),
    )
  }
  expect(new Set(ids).size).toBe(6)
  expect(ids).toEqual(ids.toSorted((one, other) => one - other))
})

test('a reader that comes from a replica that is ahead is not refused', async () => {
  await using ground = await openGround()
  await using ahead = await ground.open()
  const { id: relayer } = await storedRelayer(ahead)
  await happen(ahead, { id: relayer } as Relayer, 2)
  await until(async () => (await ahead.reads.newestEvent()) === 2, { what: 'the events' })
  const writer = await ground.write?.({ relayer, transaction: 'some', occurredAt: now })
  await using behind = await ground.open()
  expect(await behind.reads.newestEvent()).toBe(0)
  const view = eventsInView(behind.reads, seal, administrator)
  expect(await resumeAt(behind.reads, seal, view, '2', undefined)).toBe(2)
  await expect(resumeAt(behind.reads, seal, view, '4', undefined)).rejects.toThrow('there is no event 4 yet')
  await writer?.end('COMMIT')
})
