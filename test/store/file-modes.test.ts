// The files of a SQLite database are for their user alone.
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/ops/clock.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { quiet } from './open-store.ts'

test('in a folder that others may read, the files are created for their user', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rescind-modes-'))
  chmodSync(folder, 0o755)
  const path = join(folder, 'rescind.db')
  const store = await openSqliteStore({ path, clock: systemClock, logger: quiet })
  await store.check()
  const modes = () => readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)])
  const names = ['rescind.db', 'rescind.db-lock', 'rescind.db-lock-journal', 'rescind.db-shm', 'rescind.db-wal']
  expect(modes()).toEqual(
    expect.arrayContaining(['rescind.db', 'rescind.db-wal', 'rescind.db-lock'].map((name) => [name, '600'])),
  )
  for (const [name, mode] of modes()) expect([names.includes(String(name)), mode]).toEqual([true, '600'])
  await store[Symbol.asyncDispose]()
  // Who opens a file to a group wants it so.
  chmodSync(path, 0o640)
  await (await openSqliteStore({ path, clock: systemClock, logger: quiet }))[Symbol.asyncDispose]()
  expect((statSync(path).mode & 0o777).toString(8)).toBe('640')
  rmSync(folder, { recursive: true, force: true })
})
