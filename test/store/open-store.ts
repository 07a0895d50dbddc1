// The production store on a file of its own, and a second pair of eyes on its tables.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { systemClock } from '../../src/ops/clock.ts'
import type { Logger } from '../../src/ops/logger.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import type { StoreUnderTest } from './contract.ts'

export const quiet: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  isLevelEnabled: () => true,
  child: () => quiet,
}

export interface SqliteUnderTest extends StoreUnderTest {
  readonly path: string
}

export async function openStore(): Promise<SqliteUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), 'rescind-store-'))
  const path = join(folder, 'rescind.db')
  const store = await openSqliteStore({ path, clock: systemClock, logger: quiet })
  const eyes = new Database(path, { readonly: true })
  return {
    store,
    path,
    query: async <Row>(sql: string) => eyes.prepare(sql).all() as Row[],
    async [Symbol.asyncDispose]() {
      eyes.close()
      await store[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
