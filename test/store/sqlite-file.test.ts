// The file itself: one process at a time, nothing lost when that is killed, and no file of a later version opened.
import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { RelayerId } from '../../src/domain/ids.ts'
import { systemClock } from '../../src/ops/clock.ts'
import { OperatorError } from '../../src/ops/operator-error.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { StoreInUse } from '../../src/store/store.ts'
import { spawnTethered } from '../../tooling/tethered-process.ts'
import { broadcastStates, now, someAttempt, someBulk, someRelayer } from '../domain/some.ts'
import { until } from '../http/support/until.ts'
import { send, sendWithin, storedRelayer } from './contract.ts'
import { openStore, quiet } from './open-store.ts'

const relayer = 'writer' as RelayerId
const open = (path: string) => openSqliteStore({ path, clock: systemClock, logger: quiet })

function workplace() {
  const folder = mkdtempSync(join(tmpdir(), 'rescind-file-'))
  return {
    path: join(folder, 'rescind.db'),
    folder,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function startWriter(path: string) {
  const writer = new URL('./writer.ts', import.meta.url).pathname
  return spawnTethered([writer, path, relayer], { cwd: process.cwd(), env: {} })
}

test('killed at any moment: all that was promised is there, and nothing is there by half', async () => {
  using place = workplace()
  let stored = 0
  for (const wanted of [1, 40, 150]) {
    const writer = startWriter(place.path)
    const from = stored
    await until(() => promised(writer.logs()).length >= wanted)
    writer.signal('SIGKILL')
    await writer.exited
    const reported = promised(writer.logs())
    {
      await using store = await open(place.path)
      const { total } = await store.reads.transactions(relayer, {}, { page: 1, perPage: 1 })
      expect(total).toBeGreaterThanOrEqual(from + reported.length)
      expect(Math.max(...reported)).toBeLessThanOrEqual(total)
      stored = total
    }
    const eyes = new Database(place.path, { readonly: true })
    const count = (sql: string) => eyes.prepare<[], number>(sql).pluck().get()
    expect(count('SELECT count(*) FROM transactions')).toBe(stored)
    expect(count("SELECT count(*) FROM transactions WHERE phase = 'final' AND version = 2")).toBe(stored)
    expect(count('SELECT max(sequence) FROM transactions')).toBe(stored)
    expect(count('SELECT count(*) FROM attempts JOIN transactions ON transaction_id = id')).toBe(stored)
    expect(count('SELECT count(*) FROM outbox WHERE terminal = 1')).toBe(stored)
    expect(count("SELECT count FROM tallies WHERE status = 'confirmed'")).toBe(stored)
    expect(count("SELECT coalesce(sum(count), 0) FROM tallies WHERE status = 'pending'")).toBe(0)
    eyes.close()
  }
})

test('a second process is refused while the first lives, by any name of the folder, and let in once it is killed', async () => {
  using place = workplace()
  const writer = startWriter(place.path)
  await until(() => writer.logs().includes('open'))
  for (const name of [place.path, join(place.folder, '..', place.folder.split('/').at(-1) ?? '', 'rescind.db')]) {
    const refusal = await open(name).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(StoreInUse)
    expect((refusal as Error).message).toContain(place.path)
    expect((refusal as Error).message).toMatch(/stop the other, or give this one a DATABASE_URL of its own/)
  }
  writer.signal('SIGKILL')
  await writer.exited
  const store = await open(place.path)
  await store[Symbol.asyncDispose]()
  const again = await open(place.path)
  await again[Symbol.asyncDispose]()
})

test('a file written by a later version is refused by the migration’s name, and left as it is', async () => {
  using place = workplace()
  await (await open(place.path))[Symbol.asyncDispose]()
  const later = new Database(place.path)
  later.exec("INSERT INTO migrations (name, applied_at) VALUES ('999-from-the-future', 1)")
  const schema = later.prepare('SELECT name, sql FROM sqlite_master ORDER BY name').all()
  later.close()
  await expect(open(place.path)).rejects.toThrow('999-from-the-future')
  // A refused opening holds no lock: the next is refused for the same reason.
  await expect(open(place.path)).rejects.toThrow('999-from-the-future')
  const eyes = new Database(place.path, { readonly: true })
  expect(eyes.prepare('SELECT name, sql FROM sqlite_master ORDER BY name').all()).toEqual(schema)
  eyes.close()
})

test('an answered write is on the disk: WAL, and a sync at each commit', async () => {
  using place = workplace()
  await using _store = await open(place.path)
  const eyes = new Database(place.path, { readonly: true })
  expect(eyes.pragma('journal_mode', { simple: true })).toBe('wal')
  eyes.close()
})

function promised(logs: string): number[] {
  return [...logs.matchAll(/^stored (\d+)$/gm)].map(([, sequence]) => Number(sequence))
}

test('a file that is no database, or that has no place, ends in a sentence that names it', async () => {
  using place = workplace()
  writeFileSync(
    place.path,
    'These are the notes of a meeting, and they are long enough to be read as a header of a database.',
  )
  await expect(open(place.path)).rejects.toThrow(
    new OperatorError(
      `DATABASE_URL: ${place.path} is no SQLite database; name another file in DATABASE_URL, or restore a back-up`,
    ),
  )
  await expect(open(join(place.path, 'below', 'a.db'))).rejects.toThrow(
    /^DATABASE_URL: \S+ can't be opened \(ENOTDIR\); /,
  )
})

test('the folder that it makes is for its user alone', async () => {
  using place = workplace()
  const folder = join(place.folder, 'data')
  await using _ = await open(join(folder, 'rescind.db'))
  expect(statSync(folder).mode & 0o777).toBe(0o700)
})

test('the answer of a node writes one page: that of its transaction, and none of the attempts', async () => {
  using place = workplace()
  await using store = await open(place.path)
  const { id } = someRelayer({ id: relayer })
  await store.commit((session) => session.saveRelayer(someRelayer({ id })))
  const sent = await send(store, id)
  const attempt = someAttempt(0, { transactionId: sent.id, broadcast: broadcastStates.unknown })
  const inFlight = { phase: 'inFlight', nonce: 0, attempts: [attempt] } as const
  const bound = await store.commit((session) => session.saveTransaction(sent, { ...sent, lifecycle: inFlight }, now))
  const answered = { ...inFlight, attempts: [{ ...attempt, broadcast: broadcastStates.accepted }] } as const
  const before = statSync(`${place.path}-wal`).size
  await store.commit((session) => session.saveTransaction(bound, { ...bound, lifecycle: answered }, now))
  // A frame of the write-ahead log is a page and 24 bytes (sqlite.org/fileformat2.html#walformat).
  expect((statSync(`${place.path}-wal`).size - before) / (4_096 + 24)).toBe(1)
})

test('statistics of ANALYZE are removed: those of a small file would make plans that scan', async () => {
  using place = workplace()
  await (await open(place.path))[Symbol.asyncDispose]()
  const other = new Database(place.path)
  other.exec(`INSERT INTO tallies (relayer_id, status, count) VALUES ('one', 'failed', 1)`)
  other.exec('ANALYZE')
  const statistics = other.prepare('SELECT tbl FROM sqlite_stat1 UNION ALL SELECT tbl FROM sqlite_stat4')
  expect(statistics.all().length).toBeGreaterThan(0)
  await using store = await open(place.path)
  expect(statistics.all()).toEqual([])
  expect(await store.reads.counts('one' as RelayerId)).toMatchObject({ failed: 1 })
  other.close()
})

test('reads come between the statements of a bulk cancellation, and see all of the queue or nothing of it', async () => {
  await using under = await openStore()
  const { store } = under
  const { id } = await storedRelayer(store)
  const count = 6_001
  await store.commit(async (session) => {
    for (let each = 0; each < count; each += 1) await sendWithin(session, id)
  }, id)
  const seen = new Set<number>()
  let state: 'before' | 'within' | 'after' = 'before'
  let within = 0
  const canceling = store.commit(
    async (session) => {
      state = 'within'
      await session.cancelPending(id, now, someBulk())
      state = 'after'
    },
    id,
    { long: true },
  )
  while ((state as string) !== 'after') {
    seen.add((await store.reads.counts(id)).pending)
    if ((state as string) === 'within') within += 1
    await setImmediate()
  }
  await canceling
  expect([...seen]).toEqual([count])
  expect(within).toBeGreaterThan(2)
  expect((await store.reads.counts(id)).pending).toBe(0)
})

test('a write-ahead log that is deleted is noticed: a crash would lose what it holds, and a stop loses nothing', async () => {
  using place = workplace()
  const stored: RelayerId[] = []
  for (const _start of [1, 2, 3]) {
    await using store = await open(place.path)
    expect(store.isReplaced?.()).toBe(false)
    for (const id of stored) expect(await store.reads.relayer(id)).toMatchObject({ id })
    rmSync(`${place.path}-wal`)
    await setImmediate()
    expect(store.isReplaced?.()).toBe(true)
    stored.push((await storedRelayer(store)).id)
  }
})

test('a file that is a mount of its own is refused at the start, by its true name, and nothing is written', async () => {
  using place = workplace()
  const link = join(place.folder, 'link.db')
  writeFileSync(place.path, '')
  symlinkSync(place.path, link)
  const mounts = `25 24 0:22 /a ${place.path} rw - ext4 /dev/vda rw`
  const refused = openSqliteStore({ path: link, clock: systemClock, logger: quiet, mounts })
  await expect(refused).rejects.toThrow(`DATABASE_URL: ${place.path} is mounted as a single file, and its`)
  expect(statSync(place.path).size).toBe(0)
})
