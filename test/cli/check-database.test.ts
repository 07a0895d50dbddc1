// The check of a database: before the first start, after it, and one that can't be used.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { checkDatabase } from '../../src/cli/check/check-database.ts'
import { loadDatabase } from '../../src/config/environment.ts'
import { systemClock } from '../../src/ops/clock.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { databaseIn } from '../../tooling/tested-database.ts'
import { quiet } from '../store/open-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'rescind-check-'))
const tested = databaseIn(folder)
tested.create()
const database = await loadDatabase({ DATABASE_URL: tested.url }, folder)
afterAll(() => {
  tested.drop()
  rmSync(folder, { recursive: true, force: true })
})

const around = { clock: systemClock, logger: quiet }
const opened = () =>
  database.kind === 'postgres'
    ? openPostgresStore({ ...database, ...around })
    : openSqliteStore({ ...database, ...around })

/** As every database of PostgreSQL is at first. */
const openToAll = { level: 'warning', text: expect.stringMatching(/REVOKE CONNECT ON DATABASE \S+ FROM PUBLIC$/) }
const found = (first: object) => (database.kind === 'sqlite' ? [first] : [first, openToAll])

test('a new database, one in use, one with the schema, and one of a later version', async () => {
  const empty = { level: 'ok', text: expect.stringMatching(/first start/) }
  expect(await checkDatabase(database)).toMatchObject(found(empty))
  {
    await using _store = await opened()
    const inUse = { level: 'warning', text: 'in use, by a service that runs already' }
    const shared = { level: 'ok', text: 'has the schema of this version' }
    expect(await checkDatabase(database)).toMatchObject(found(database.kind === 'sqlite' ? inUse : shared))
  }
  expect(await checkDatabase(database)).toMatchObject(found({ level: 'ok', text: 'has the schema of this version' }))
  tested.change("INSERT INTO migrations (name, applied_at) VALUES ('of-the-future', 1)")
  expect(await checkDatabase(database)).toMatchObject([
    { level: 'error', text: expect.stringContaining('of-the-future') },
  ])
})

test('a database that only named roles may connect to is no warning, as a file is none', async () => {
  if (database.kind === 'postgres') {
    tested.change(`REVOKE CONNECT ON DATABASE "${new URL(tested.url).pathname.slice(1)}" FROM PUBLIC`)
  }
  expect(await checkDatabase(database)).not.toContainEqual(expect.objectContaining({ level: 'warning' }))
})

test('a database that can not be used is an error, without its password', async () => {
  const file = join(folder, 'text.db')
  writeFileSync(file, 'This is a text, and no database.'.repeat(40), { mode: 0o700 })
  for (const url of ['postgres://u:hidden@127.0.0.1:1/d', `sqlite:${file}`, `sqlite:${file}/rescind.db`]) {
    const found = await checkDatabase(await loadDatabase({ DATABASE_URL: url }, folder))
    expect(found).toMatchObject([{ level: 'error' }])
    expect(JSON.stringify(found)).not.toContain('hidden')
  }
})
