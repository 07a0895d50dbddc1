// Events on SQLite across restarts and copies of the file that are put back.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { test } from 'vitest'
import { systemClock } from '../../src/ops/clock.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { compareReaders, type Ground } from './events-model.ts'
import { quiet } from './open-store.ts'

async function openGround(): Promise<Ground> {
  const folder = mkdtempSync(join(tmpdir(), 'rescind-events-'))
  const path = join(folder, 'rescind.db')
  let copies = 0
  const copyAt = (copy: number) => join(folder, `copy-${copy}.db`)
  return {
    givesIdsOnce: false,
    open: () => openSqliteStore({ path, clock: systemClock, logger: quiet }),
    async query<Row>(sql: string) {
      const eyes = new Database(path, { readonly: true })
      try {
        return eyes.prepare(sql).all() as Row[]
      } finally {
        eyes.close()
      }
    },
    starts: async () => [],
    async copy() {
      copies += 1
      copyFileSync(path, copyAt(copies))
      return copies
    },
    async putBack(copy) {
      copyFileSync(copyAt(copy), path)
    },
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

test('readers miss no event, and pruning leaves what is to stay', () => compareReaders(openGround, 100))
