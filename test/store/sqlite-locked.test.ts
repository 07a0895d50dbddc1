// Another program that has locked the file, such as a shell or a backup: the event loop goes on, and requests wait or are refused.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { RelayerId } from '../../src/domain/ids.ts'
import { type Clock, systemClock } from '../../src/ops/clock.ts'
import { OperatorError } from '../../src/ops/operator-error.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { storedRelayer } from './contract.ts'
import { quiet } from './open-store.ts'

async function openPlace(clock: Clock = systemClock) {
  const folder = mkdtempSync(join(tmpdir(), 'rescind-locked-'))
  const path = join(folder, 'rescind.db')
  const store = await openSqliteStore({ path, clock, logger: quiet })
  const other = new Database(path, { timeout: 0 })
  return {
    store,
    other,
    path,
    async [Symbol.asyncDispose]() {
      other.close()
      await store[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

/** Sleeps are turns of the event loop, in which as much time goes by as was asked for. */
function hastyClock() {
  let passed = 0
  const clock: Clock = {
    ...systemClock,
    elapsed: () => passed,
    async sleep(ms) {
      passed += ms
      await turns(1)
    },
  }
  return { clock, passed: () => passed }
}

test('a write waits for another program in the event loop, and is stored when the file is free', async () => {
  await using place = await openPlace()
  place.other.exec('BEGIN IMMEDIATE')
  const storing = storedRelayer(place.store)
  // Others have their turns: the reads of the service, and here the program that gives its lock up.
  expect(await place.store.reads.wasRelayer('nobody' as RelayerId)).toBe(false)
  await turns(50)
  place.other.exec('COMMIT')
  const { id } = await storing
  expect(await place.store.reads.relayer(id)).toMatchObject({ id })
})

test('a lock that stays is an outage by its name, nothing is stored, and the store goes on when it is gone', async () => {
  const { clock, passed } = hastyClock()
  await using place = await openPlace(clock)
  place.other.exec('BEGIN IMMEDIATE')
  const before = passed()
  await expect(storedRelayer(place.store)).rejects.toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
    status: 503,
    message: 'the database is locked by another program: nothing of this is stored',
  })
  expect(passed() - before).toBeGreaterThanOrEqual(5_000)
  await expect(place.store.check()).rejects.toMatchObject({
    code: 'NOT_READY',
    message: 'the database is locked by another program',
  })
  place.other.exec('ROLLBACK')
  expect(place.other.prepare('SELECT * FROM relayers').all()).toEqual([])
  await place.store.check()
  await storedRelayer(place.store)
})

test('a file that another program has locked at the start is refused in words', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rescind-locked-'))
  const path = join(folder, 'rescind.db')
  const other = new Database(path)
  other.pragma('locking_mode = EXCLUSIVE')
  other.exec('BEGIN EXCLUSIVE')
  const refusal = await openSqliteStore({ path, clock: systemClock, logger: quiet }).catch((error: Error) => error)
  expect(refusal).toBeInstanceOf(OperatorError)
  expect(refusal).toMatchObject({
    message: `DATABASE_URL: ${path} is locked by another program (SQLITE_BUSY); end it, and start again`,
  })
  other.close()
  rmSync(folder, { recursive: true, force: true })
})
