// Two real servers with streaming replication, and an address that moves: a failover that loses commits, also where the old server
// goes on, and its sessions with it.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cancel } from '../../src/domain/cancel.ts'
import { RescindError } from '../../src/domain/errors.ts'
import type { RelayerId } from '../../src/domain/ids.ts'
import { type Clock, systemClock } from '../../src/ops/clock.ts'
import { secretUrl } from '../../src/ops/secret.ts'
import { openKnownServer } from '../../src/store/postgres/known-server.ts'
import { openPostgresLocks } from '../../src/store/postgres/locks.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import type { Store } from '../../src/store/store.ts'
import { until } from '../../tooling/client.ts'
import { type Postgres, startPostgres } from '../../tooling/postgres.ts'
import { now } from '../domain/some.ts'
import { openTwoServers, type TwoServers } from '../support/two-servers.ts'
import { send, storedRelayer } from './contract.ts'
import { quiet } from './open-store.ts'

/** Sleeps are short: what is due each few seconds is due at once. */
const hurried: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms / 50, signal) }

let servers: TwoServers
beforeAll(async () => {
  servers = await openTwoServers()
})
afterAll(() => servers?.[Symbol.asyncDispose]())

const idsOn = async (server: Postgres) =>
  (await server.query<{ id: string }>('SELECT id FROM transactions', servers.name)).map(({ id }) => id)

const everything = () => true
const eventsAfter = async (store: Store, after: number) => (await store.reads.events(after, 100, everything)).events

/** Its cancellation is an event. */
async function sendAndCancel(store: Store, relayer: RelayerId): Promise<string> {
  const sent = await send(store, relayer)
  await store.commit((session) => session.saveTransaction(sent, cancel(sent, now), now), relayer)
  return sent.id
}

/** Until a send arrives at the server. */
async function sendTo(server: Postgres, store: Store, relayer: RelayerId): Promise<void> {
  await until(
    async () => {
      const sent = await sendAndCancel(store, relayer).catch(() => 'nothing')
      return (await idsOn(server)).includes(sent)
    },
    { limitMs: 60_000, what: 'a send on the new server' },
  )
}

const newestIs = (store: Store, id: (newest: number) => boolean) =>
  until(async () => id(await store.reads.newestEvent()), { limitMs: 60_000, what: 'the newest event' })

test('a failover that loses commits, while the old primary and its sessions go on', async () => {
  const { primary, standby, replication, address, url, caughtUp, failOver } = servers
  const server = openKnownServer()
  const given = { url: secretUrl(new URL(url)), clock: hurried, server }
  await using store = await openPostgresStore({ ...given, logger: quiet })
  const locks = await openPostgresLocks({ ...given, clock: systemClock }).join()
  const { id: relayer } = await storedRelayer(store)
  await sendAndCancel(store, relayer)
  await newestIs(store, (newest) => newest === 1)
  await caughtUp()
  replication.freeze()
  for (let sends = 0; sends < 40; sends += 1) await sendAndCancel(store, relayer)
  await newestIs(store, (newest) => newest === 41)
  const lost = await idsOn(primary)

  await failOver()
  await sendTo(standby, store, relayer)
  // Every session went with it, the one with the locks, too.
  await until(() => locks.lost.aborted, { limitMs: 60_000, what: 'the end of the locks' })
  const here = await primary.query(
    "SELECT 1 FROM pg_stat_activity WHERE usename = 'rescind' AND backend_type = 'client backend'",
  )
  expect(here).toEqual([])
  expect(server.identity()?.timeline).toBe(2)
  expect((await idsOn(standby)).filter((id) => lost.includes(id))).toHaveLength(1)

  // Ids go on above all that the old primary has given out, so that no receiver drops an event as an older one.
  await newestIs(store, (newest) => newest > 2 ** 32)
  const fresh = await until(
    async () => {
      const found = await eventsAfter(store, 1)
      return found.length > 0 && found
    },
    { limitMs: 60_000, what: 'the events of the new server' },
  )
  expect(fresh.every(({ id }) => id > 2 ** 32)).toBe(true)
  // A reader that is ahead has seen what is lost: it is told so, instead of waiting in silence.
  for (const id of [2, 41, 10_000]) {
    expect(await store.reads.isLostEvent(id)).toBe(true)
    await expect(eventsAfter(store, id)).rejects.toBeInstanceOf(RescindError)
  }
  expect(await store.reads.isLostEvent(1)).toBe(false)
  expect(await store.reads.isLostEvent((fresh[0]?.id ?? 0) - 1)).toBe(false)

  // The skipped ids count as no events: those before the failover stay as long as others, and then go at once.
  const keep = { eventsKeptMs: 1e12, eventsKeptMax: 1_000, deadLettersKeptMs: 1, deadLettersKeptMax: 1 }
  const prune = (changes: object) => store.commit((session) => session.pruneEvents({ ...keep, ...changes }, now))
  expect(await prune({})).toBe(0)
  expect((await eventsAfter(store, 0))[0]?.id).toBe(1)
  let rounds = 0
  for (let more = 1; more > 0; rounds += 1) more = await prune({ eventsKeptMax: 1 })
  expect(rounds).toBeLessThan(5)
  expect(await standby.query('SELECT count(*) AS left FROM outbox', servers.name)).toEqual([{ left: 1 }])

  // The address leads back to the server that was left behind: nothing new begins there.
  address.moveTo(primary.port)
  const behind = /leads to a server that a failover left behind/
  await expect(openPostgresLocks({ ...given, clock: systemClock }).join()).rejects.toThrow(behind)
  address.moveTo(standby.port)
})

test('a process that starts later finds the events as they are, and skips no second time', async () => {
  const { standby, url, name } = servers
  for (const _ of [1, 2]) {
    await using store = await openPostgresStore({ url: secretUrl(new URL(url)), clock: systemClock, logger: quiet })
    await store.check()
  }
  const gaps = await standby.query('SELECT above_id FROM lost_events', name)
  expect(gaps).toEqual([{ above_id: 1 }])
})

test('another cluster at the address is refused for the life of the process', async () => {
  await using other = await startPostgres()
  const { address, url, standby } = servers
  const given = { url: secretUrl(new URL(url)), clock: systemClock, server: openKnownServer() }
  await using _store = await openPostgresStore({ ...given, logger: quiet })
  await other.query(`CREATE DATABASE ${servers.name} OWNER rescind`)
  address.moveTo(other.port)
  await expect(openPostgresLocks(given).join()).rejects.toThrow(/leads to another cluster than at the start/)
  address.moveTo(standby.port)
})
