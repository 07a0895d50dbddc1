// The production store on a database of its own, and a second pair of eyes on its tables.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/ops/clock.ts'
import type { Logger } from '../../src/ops/logger.ts'
import { secretUrl } from '../../src/ops/secret.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { databaseIn } from '../../tooling/tested-database.ts'
import type { StoreUnderTest } from '../store/contract.ts'
import { quiet } from '../store/open-store.ts'

export async function openTestedStore(logger: Logger = quiet): Promise<StoreUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), 'rescind-store-'))
  const database = databaseIn(folder)
  database.create()
  const around = { clock: systemClock, logger }
  const store = database.url.startsWith('postgres:')
    ? await openPostgresStore({ url: secretUrl(new URL(database.url)), ...around })
    : await openSqliteStore({ path: database.url.slice('sqlite:'.length), ...around })
  return {
    store,
    query: async <Row>(sql: string) => database.read<Row>(sql),
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]()
      database.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
