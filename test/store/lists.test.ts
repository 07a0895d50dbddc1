// Filtered lists on SQLite: what a model in memory finds.
import Database from 'better-sqlite3'
import { test } from 'vitest'
import { sqliteExecutor } from '../../src/store/sqlite/executor.ts'
import { migrate } from '../../src/store/sqlite/migrate.ts'
import { now } from '../domain/some.ts'
import { compareLists } from './lists-model.ts'

test('filters find what a model finds, in its order, window after window', async () => {
  const database = new Database(':memory:')
  migrate(database, now)
  await compareLists(sqliteExecutor(database))
  database.close()
})
