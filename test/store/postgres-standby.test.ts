// What a replica does whose sessions are on different servers, or on a standby that looked like the primary when they began.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LocksElsewhere } from '../../src/domain/errors.ts'
import type { RelayerId } from '../../src/domain/ids.ts'
import { type Clock, systemClock } from '../../src/ops/clock.ts'
import { secretUrl } from '../../src/ops/secret.ts'
import { slotOf } from '../../src/ownership/choose-slots.ts'
import { ownByLocks } from '../../src/ownership/own-by-locks.ts'
import type { LockProof } from '../../src/store/locks.ts'
import { type KnownServer, openKnownServer } from '../../src/store/postgres/known-server.ts'
import { openPostgresLocks } from '../../src/store/postgres/locks.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { until } from '../../tooling/client.ts'
import { openMovingAddress } from '../support/moving-address.ts'
import { openTwoServers, type TwoServers } from '../support/two-servers.ts'
import { send, storedRelayer } from './contract.ts'
import { quiet } from './open-store.ts'

/** What is due each few seconds is due at once, or never. */
const hurried: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms / 50, signal) }
const neverDue: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(ms < 5_000 ? ms : 3_600_000, signal),
}

let servers: TwoServers
beforeAll(async () => {
  servers = await openTwoServers()
})
afterAll(() => servers?.[Symbol.asyncDispose]())

const given = (server: KnownServer, clock: Clock) => ({ url: secretUrl(new URL(servers.url)), clock, server })
const openStore = (server: KnownServer, clock: Clock) => openPostgresStore({ ...given(server, clock), logger: quiet })
const joinAt = (server: KnownServer) => openPostgresLocks(given(server, systemClock)).join()

/**
 * Functions of another schema hide those of the server while a session begins. Afterwards its search_path is that of the
 * service, so that it sees the standby as it is.
 */
async function disguiseStandby(): Promise<void> {
  const { primary, name, caughtUp } = servers
  const user = new URL(servers.url).username
  for (const sql of [
    'CREATE SCHEMA disguise',
    `GRANT USAGE ON SCHEMA disguise TO ${user}`,
    "CREATE FUNCTION disguise.pg_is_in_recovery() RETURNS bool LANGUAGE sql AS 'SELECT false'",
    `CREATE FUNCTION disguise.pg_current_wal_lsn() RETURNS pg_lsn LANGUAGE sql AS $$ SELECT '0/0'::pg_lsn $$`,
    `CREATE FUNCTION disguise.pg_walfile_name(pg_lsn) RETURNS text LANGUAGE sql AS $$ SELECT '000000010000000000000001' $$`,
    `ALTER ROLE ${user} SET search_path = public, disguise, pg_catalog`,
  ]) {
    await primary.query(sql, name)
  }
  await caughtUp()
}

/** Sessions of the service on the primary end, and those that follow are on the standby. */
async function leadToStandby(): Promise<void> {
  const { primary, standby, address } = servers
  address.moveTo(standby.port)
  await primary.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'rescind' AND backend_type = 'client backend'",
  )
}

const isRefused = (sending: Promise<unknown>) =>
  sending.then(
    () => false,
    ({ message }: Error) => /is read-only/.test(message),
  )
const isTaken = (sending: Promise<unknown>) =>
  sending.then(
    () => true,
    () => false,
  )

test('a setting that refuses writes ends no session', async () => {
  const { primary } = servers
  const server = openKnownServer()
  await using store = await openStore(server, neverDue)
  const { id } = await storedRelayer(store)
  const locks = await joinAt(server)
  const set = async (sql: string) => {
    await primary.query(sql)
    await primary.query('SELECT pg_reload_conf()')
  }
  await set('ALTER SYSTEM SET default_transaction_read_only = on')
  await until(() => isRefused(send(store, id)), { what: 'a refused write' })
  await server.check()
  expect(locks.isAlive()).toBe(true)
  await set('ALTER SYSTEM RESET default_transaction_read_only')
  await until(() => isTaken(send(store, id)), { what: 'a write' })
  expect(locks.isAlive()).toBe(true)
  await locks.end()
})

test('a write that a standby refuses ends every session there, and so does a check of those that write nothing', async () => {
  const { primary, address } = servers
  const server = openKnownServer()
  await using store = await openStore(server, neverDue)
  const { id } = await storedRelayer(store)
  await disguiseStandby()
  await leadToStandby()
  const locks = await until(() => joinAt(server).catch(() => undefined), { what: 'locks of the standby' })
  await until(() => isRefused(send(store, id)), { what: 'a refused write' })
  await until(() => locks.lost.aborted, { limitMs: 60_000, what: 'the end of the locks' })

  address.moveTo(primary.port)
  const other = openKnownServer()
  await using _idle = await openStore(other, hurried)
  await leadToStandby()
  const others = await until(() => joinAt(other).catch(() => undefined), { what: 'locks of the standby' })
  await until(() => others.lost.aborted, { limitMs: 60_000, what: 'the end of the idle locks' })

  address.moveTo(primary.port)
  await primary.query(`ALTER ROLE ${new URL(servers.url).username} RESET search_path`)
  await until(() => isTaken(send(store, id)), { what: 'a write' })
})

test('an epoch rises only where the locks are', async () => {
  const { primary, standby, address, name } = servers
  const server = openKnownServer()
  await using store = await openStore(server, neverDue)
  const { id } = await storedRelayer(store)
  const locks = await joinAt(server)
  const slot = slotOf(id)
  await locks.lock([slot])
  const proof = locks.proof?.([slot]) as LockProof
  const prove = (claimed: Partial<LockProof>) => store.commit((session) => session.proveLocks({ ...proof, ...claimed }))
  await prove({})
  await prove({ slots: [slot, slot] })
  for (const claimed of [
    { member: proof.member + 1 },
    { lockClass: proof.lockClass ^ 1 },
    { slots: [slot, (slot + 1) % 4_096] },
    { token: proof.token ^ 1n },
  ]) {
    await expect(prove(claimed)).rejects.toBeInstanceOf(LocksElsewhere)
  }
  await locks.unlock([slot])
  await expect(prove({})).rejects.toBeInstanceOf(LocksElsewhere)
  await locks.end()

  // The locks stay behind at the old primary, as if nothing had noticed the failover.
  await servers.caughtUp()
  await using behind = await openMovingAddress(primary.port)
  await servers.failOver()
  await using promoted = await until(() => openStore(openKnownServer(), neverDue).catch(() => undefined), {
    what: 'the promoted server',
  })
  const url = secretUrl(new URL(behind.through(servers.url)))
  const ownerships = ownByLocks({
    ...{ store: promoted, clock: hurried, logger: quiet },
    locks: openPostgresLocks({ url, clock: systemClock }),
    hints: { notify: () => undefined, listen: () => undefined, [Symbol.asyncDispose]: async () => undefined },
  })
  const acquired: RelayerId[] = []
  await ownerships.start({
    acquired: ({ relayer }) => acquired.push(relayer),
    wake: () => undefined,
    wakeIfIdle: () => undefined,
    released: async () => undefined,
  })
  await ownerships.assign([id])
  const members = async (each: TwoServers['primary']) =>
    (await each.query<{ pid: number }>("SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = 4096")).map(
      ({ pid }) => pid,
    )
  const epochs = async (each: TwoServers['primary']) =>
    (await each.query<{ epoch: number }>(`SELECT epoch FROM relayers WHERE id = '${id}'`, name)).map(
      ({ epoch }) => epoch,
    )
  // One session of locks after the other ends without effect.
  const seen = new Set<number>()
  await until(
    async () => {
      for (const pid of await members(primary)) seen.add(pid)
      return seen.size > 2
    },
    { limitMs: 60_000, what: 'three sessions' },
  )
  expect(acquired).toEqual([])
  expect([await epochs(primary), await epochs(standby)]).toEqual([[0], [0]])
  behind.moveTo(standby.port)
  await until(() => acquired.length > 0, { limitMs: 60_000, what: 'the relayer' })
  expect([await epochs(primary), await epochs(standby)]).toEqual([[0], [1]])
  await ownerships.stop()
  address.moveTo(standby.port)
})
