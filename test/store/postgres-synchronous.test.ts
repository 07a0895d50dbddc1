// A primary with a synchronous standby: what is answered as stored is on both, also where the session of the COMMIT is ended while it waits.
import { expect, test } from 'vitest'
import { type Clock, systemClock } from '../../src/ops/clock.ts'
import { secretUrl } from '../../src/ops/secret.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { until } from '../../tooling/client.ts'
import { openTwoServers } from '../support/two-servers.ts'
import { send, storedRelayer } from './contract.ts'
import { quiet } from './open-store.ts'

/** The fate of a COMMIT is waited for as long as it takes. */
const patient: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(ms === 5_000 ? 3_600_000 : ms, signal),
}

test('a COMMIT that only the primary has, and whose session is ended, is answered once the standby has it, too', async () => {
  await using servers = await openTwoServers({ synchronous_commit: 'remote_apply' })
  const { primary, standby, replication, url, name } = servers
  await using store = await openPostgresStore({ url: secretUrl(new URL(url)), clock: patient, logger: quiet })
  const { id } = await storedRelayer(store)
  await primary.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
  await primary.query('SELECT pg_reload_conf()')
  const isSynchronous = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"
  await until(async () => (await primary.query(isSynchronous)).length > 0, { what: 'a synchronous standby' })

  replication.freeze()
  let isAnswered = false
  const sending = send(store, id).finally(() => {
    isAnswered = true
  })
  const waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' ORDER BY pid"
  const first = await until(async () => (await primary.query<{ pid: number }>(waiting))[0], { what: 'a COMMIT' })
  await primary.query(`SELECT pg_terminate_backend(${first.pid}, 60000)`)
  await until(async () => isAnswered || (await primary.query(waiting)).length > 0, { what: 'a further write' })
  expect(isAnswered).toBe(false)

  replication.thaw()
  const sent = await sending
  expect(await standby.query('SELECT id FROM transactions', name)).toEqual([{ id: sent.id }])
})
