// The counts of SQL statements of a service that counts them (count-statements.ts).
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../tooling/client.ts'
import type { Postgres } from '../tooling/postgres.ts'
import type { Service } from '../tooling/service.ts'

export interface StatementCounts {
  /** The statements that requests over HTTP ran. */
  readonly ofRequests: number
  readonly statements: number
  readonly byVerb: Readonly<Record<string, number>>
  /** On SQLite, with those of triggers. */
  readonly rows: number
  /** The commits that wrote rows, on SQLite. */
  readonly writingCommits: number
  /** The pages in the log, on SQLite. */
  readonly logFrames: number
}

/** Part of the options with which a service starts that counts. */
export function countingInto(file: string) {
  return {
    nodeArguments: ['--import', new URL('./count-statements.ts', import.meta.url).href],
    env: { STATEMENTS_FILE: file },
  }
}

export async function readCounts(service: Service, file: string): Promise<StatementCounts> {
  await rm(file, { force: true })
  process.kill(service.pid, 'SIGUSR2')
  const text = await until(() => readFile(file, 'utf8').catch(() => undefined), { what: 'the counts of statements' })
  return JSON.parse(text) as StatementCounts
}

export interface WorkCounts extends Pick<StatementCounts, 'statements' | 'byVerb' | 'rows'> {
  /** On SQLite one for each commit that wrote, without those of checkpoints. */
  readonly syncs: number
  /** Calls that wrote to the log. */
  readonly writes: number
  readonly logBytes: number
  /** Updates of transactions and attempts, and those that wrote into no index, on PostgreSQL. */
  readonly updates: number
  readonly hotUpdates: number
}

/** SQLite writes the header of a frame, and its page, by a call each. */
const frameBytes = 24 + 4_096

/** Counts into a file of its own; rows and syncs of PostgreSQL are those that the server counts. */
export async function openCounts(postgres: Postgres | undefined, database?: string) {
  const folder = await mkdtemp(join(tmpdir(), 'rescind-counts-'))
  const file = join(folder, 'statements')
  return {
    file,
    async read(service: Service): Promise<WorkCounts> {
      const { statements, byVerb, rows, writingCommits, logFrames } = await readCounts(service, file)
      if (!postgres) {
        const ofLog = { syncs: writingCommits, writes: 2 * logFrames, logBytes: frameBytes * logFrames }
        return { statements, byVerb, rows, ...ofLog, updates: 0, hotUpdates: 0 }
      }
      // Each session of the server reports its counts once in half a second.
      await sleep(2_000)
      const [counted] = await postgres.query<Pick<WorkCounts, 'rows' | 'syncs' | 'writes' | 'logBytes'>>(
        `SELECT sum(tup_inserted + tup_updated + tup_deleted)::int8 AS rows, max(wal_sync) AS syncs, max(wal_write) AS writes,
          max(wal_bytes)::int8 AS "logBytes" FROM pg_stat_database, pg_stat_wal`,
      )
      const [updated] = await postgres.query<Pick<WorkCounts, 'updates' | 'hotUpdates'>>(
        `SELECT sum(n_tup_upd)::int8 AS updates, sum(n_tup_hot_upd)::int8 AS "hotUpdates"
          FROM pg_stat_user_tables WHERE relname IN ('transactions', 'attempts')`,
        database,
      )
      if (!counted || !updated) throw new Error('the server counts nothing')
      return { statements, byVerb, ...counted, ...updated }
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}
