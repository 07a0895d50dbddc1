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
}

/** Counts into a file of its own; rows and syncs of PostgreSQL are those that the server counts. */
export async function openCounts(postgres: Postgres | undefined) {
  const folder = await mkdtemp(join(tmpdir(), 'rescind-counts-'))
  const file = join(folder, 'statements')
  return {
    file,
    async read(service: Service): Promise<WorkCounts> {
      const { statements, byVerb, rows, writingCommits } = await readCounts(service, file)
      if (!postgres) return { statements, byVerb, rows, syncs: writingCommits }
      // Each session of the server reports its counts once in half a second.
      await sleep(2_000)
      const [counted] = await postgres.query<{ rows: number; syncs: number }>(
        `SELECT sum(tup_inserted + tup_updated + tup_deleted)::int8 AS rows,
          (SELECT wal_sync FROM pg_stat_wal) AS syncs FROM pg_stat_database`,
      )
      return { statements, byVerb, rows: counted?.rows ?? 0, syncs: counted?.syncs ?? 0 }
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}
