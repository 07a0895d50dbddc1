// The service as the bench runs it: quiet, without rate limits, and profiled where that was asked for.
import { type Service, type ServiceOptions, startService } from '../test/support/service.ts'

export interface BenchOptions {
  /** Where profiles go; absent: none are taken. */
  readonly profileDirectory?: string
  /** A fresh database for each service; absent: SQLite. */
  readonly openDatabase?: () => Promise<string>
}

export async function startBenchService(
  { profileDirectory, openDatabase }: BenchOptions,
  options: ServiceOptions & { readonly profileName: string },
): Promise<Service> {
  const { profileName, ...rest } = options
  const database = openDatabase && { DATABASE_URL: await openDatabase() }
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
