// A dump that is put back: the ids of events that it lacks are not given out again, also on the same server.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cancel } from '../../src/domain/cancel.ts'
import type { RelayerId } from '../../src/domain/ids.ts'
import { systemClock } from '../../src/ops/clock.ts'
import { secretUrl } from '../../src/ops/secret.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import type { Store } from '../../src/store/store.ts'
import { until } from '../../tooling/client.ts'
import { type Postgres, startPostgres } from '../../tooling/postgres.ts'
import { now } from '../domain/some.ts'
import { isSkipped } from '../support/is-skipped.ts'
import { send, storedRelayer } from './contract.ts'
import { quiet } from './open-store.ts'

const run = promisify(execFile)
/** Debian's package `postgresql` brings them. */
const isMissing = !existsSync('/usr/bin/pg_dump')
let server: Postgres
let folder: string
beforeAll(async () => {
  server = await startPostgres({ installed: true })
  folder = await mkdtemp(join(tmpdir(), 'rescind-dump-'))
})
afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const openAt = (url: string) => openPostgresStore({ url: secretUrl(new URL(url)), clock: systemClock, logger: quiet })
const nameIn = (url: string) => new URL(url).pathname.slice(1)

/** Each is a send and its cancellation. Resolves to the newest id. */
async function makeEvents(store: Store, relayer: RelayerId, count: number): Promise<number> {
  const before = await store.reads.newestEvent()
  for (let made = 0; made < count; made += 1) {
    const sent = await send(store, relayer)
    await store.commit((session) => session.saveTransaction(sent, cancel(sent, now), now), relayer)
  }
  return until(
    async () => {
      const newest = await store.reads.newestEvent()
      return newest > before && newest
    },
    { what: 'the events' },
  )
}

test.skipIf(isSkipped(isMissing))(
  'a dump in another database, and in the one that it was made of: ids go on above all that were given out (skipped without pg_dump)',
  async () => {
    const [url, other] = [await server.database(), await server.database()]
    const dump = join(folder, 'rescind.dump')
    const { id: relayer } = await (async () => {
      await using store = await openAt(url)
      const stored = await storedRelayer(store)
      await makeEvents(store, stored.id, 3)
      await run('pg_dump', ['--format=custom', `--file=${dump}`, url])
      await makeEvents(store, stored.id, 2)
      return stored
    })()
    {
      // A start without a restore changes nothing.
      await using store = await openAt(url)
      expect(await makeEvents(store, relayer, 1)).toBeLessThan(2 ** 32)
    }
    const lost = 5
    await run('pg_restore', ['--no-owner', `--dbname=${other}`, dump])
    await run('pg_restore', ['--no-owner', '--clean', `--dbname=${url}`, dump])
    for (const restored of [other, url]) {
      expect(await server.query('SELECT max(id) AS newest FROM outbox', nameIn(restored))).toEqual([{ newest: 3 }])
      await using store = await openAt(restored)
      expect(await makeEvents(store, relayer, 1)).toBeGreaterThan(2 ** 32)
      expect(await store.reads.isLostEvent(lost)).toBe(true)
    }
    // Once for each restore, however many processes start.
    await (await openAt(other))[Symbol.asyncDispose]()
    expect(await server.query('SELECT count(*) AS gaps FROM lost_events', nameIn(other))).toEqual([{ gaps: 1 }])
  },
)
