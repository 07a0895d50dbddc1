// The service as the bench runs it: quiet, without rate limits, and profiled on request.
import type { Postgres } from '../tooling/postgres.ts'
import { type Service, type ServiceOptions, startService } from '../tooling/service.ts'

export interface BenchOptions {
  /** Where profiles go; absent: none are taken. */
  readonly profileDirectory?: string
  /** Absent: SQLite. */
  readonly postgres?: Postgres
}

export async function startBenchService(
  { profileDirectory, postgres }: BenchOptions,
  options: ServiceOptions & {
    readonly profileName: string
    /** Of PostgreSQL, where it is not to be a fresh one. */
    readonly databaseUrl?: string
  },
): Promise<Service> {
  const { profileName, databaseUrl, ...rest } = options
  const database = postgres && { DATABASE_URL: databaseUrl ?? (await postgres.database()) }
  const profiling = profileDirectory === undefined ? [] : profileArguments(profileDirectory, profileName)
  return startService({
    ...rest,
    nodeArguments: [...asStarted, ...profiling, ...(rest.nodeArguments ?? [])],
    env: { LOG_LEVEL: 'warn', ...database, ...rest.env },
  })
}

/** What `npm start` gives Node: a nursery that a burst of requests does not blow up. */
const asStarted = ['--max-semi-space-size=16']

function profileArguments(directory: string, name: string): string[] {
  return ['--cpu-prof', `--cpu-prof-dir=${directory}`, `--cpu-prof-name=${name}.cpuprofile`]
}

/** A PostgreSQL as it would be run: each commit is synced, and tables are tended. */
export const asRun = { fsync: 'on', autovacuum: 'on' }
