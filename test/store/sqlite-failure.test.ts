// What SQLite's own errors come to for who asked.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { RescindError } from '../../src/domain/errors.ts'
import { translateError } from '../../src/store/sqlite/failure.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rescind-failures-'))
})
const opened: Database.Database[] = []
afterEach(() => {
  for (const database of opened.splice(0)) database.close()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function open(path: string, options: Database.Options = {}): Database.Database {
  const database = new Database(path, options)
  opened.push(database)
  return database
}

function failureOf(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  throw new Error('it did not fail')
}

const fill = 'INSERT INTO t VALUES (zeroblob(1000000))'

test.each<readonly [string, (path: string) => unknown]>([
  [
    'has a full disk',
    (path) => {
      const database = open(path)
      database.exec('CREATE TABLE t (b); PRAGMA max_page_count = 10')
      database.exec(fill)
    },
  ],
  [
    'is read-only',
    (path) => {
      open(path).exec('CREATE TABLE t (b)').close()
      const database = open(path, { readonly: true })
      database.exec(fill)
    },
  ],
  ['has failed to read or write its files', () => new Database(folder)],
  [
    'is damaged',
    (path) => {
      writeFileSync(path, 'no database, but long enough to look like one at first'.repeat(100))
      const database = open(path)
      database.exec('SELECT * FROM sqlite_schema')
    },
  ],
])('%s', (why, act) => {
  const failure = failureOf(() => act(join(folder, why)))
  const error = translateError(failure)
  expect(error).toBeInstanceOf(RescindError)
  expect(error).toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
    message: `the database ${why}: nothing of this is stored`,
    cause: failure,
  })
})

test('what the disk took and did not confirm is neither stored nor not', () => {
  const failure = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_FSYNC' })
  expect(translateError(failure)).toMatchObject({ code: 'OUTCOME_UNKNOWN', cause: failure })
})

test('what is no failure of the database stays as it is', () => {
  const constraint = failureOf(() => open(':memory:').exec('CREATE TABLE t (b NOT NULL); INSERT INTO t VALUES (NULL)'))
  for (const error of [
    constraint,
    new RescindError('TRANSACTION_NOT_FOUND', 'no such transaction'),
    new Error('x'),
    undefined,
  ]) {
    expect(translateError(error)).toBe(error)
  }
})
