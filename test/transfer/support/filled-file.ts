// A SQLite file with thousands of rows, as a service that was killed leaves it, and copies of it to move.
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { systemClock } from '../../../src/ops/clock.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { until } from '../../../tooling/client.ts'
import { spawnTethered } from '../../../tooling/tethered-process.ts'
import { quiet } from '../../store/open-store.ts'

export interface FilledFile extends Disposable {
  /** A folder of its own, with a copy as `rescind.db`. */
  copy(): string
}

const writer = new URL('../../store/writer.ts', import.meta.url).pathname

export async function fillFile(rows: number): Promise<FilledFile> {
  const folder = mkdtempSync(join(tmpdir(), 'rescind-filled-'))
  const writing = spawnTethered([writer, join(folder, 'rescind.db'), 'writer'], { cwd: process.cwd(), env: {} })
  const reported = () => writing.logs().match(/^stored /gm)?.length ?? 0
  await until(() => reported() >= rows, { limitMs: 60_000, what: `${rows} rows` })
  writing.signal('SIGKILL')
  await writing.exited
  const copies: string[] = []
  return {
    copy() {
      const copy = mkdtempSync(join(tmpdir(), 'rescind-copy-'))
      cpSync(folder, copy, { recursive: true })
      copies.push(copy)
      return copy
    },
    [Symbol.dispose]() {
      for (const each of [folder, ...copies]) rmSync(each, { recursive: true, force: true })
    },
  }
}

/** As a service opens it: rejects when that refuses the file. */
export async function openFile(folder: string): Promise<void> {
  const store = await openSqliteStore({ path: join(folder, 'rescind.db'), clock: systemClock, logger: quiet })
  await store[Symbol.asyncDispose]()
}

/** With the shell of SQLite, so to say. */
export function alter<T = unknown>(folder: string, sql: string): readonly T[] {
  const database = new Database(join(folder, 'rescind.db'))
  try {
    const statement = database.prepare(sql)
    if (statement.reader) return statement.all() as T[]
    statement.run()
    return []
  } finally {
    database.close()
  }
}
