// Where data is stored, for what needs to know no more than that.
import type { DatabaseConfig } from './config.ts'
import { parseDatabase, withDotEnv } from './environment.ts'
import type { Environment } from './read-reference.ts'
import { openReport } from './report.ts'

/** `cwd`: what relative paths start from, and where `.env` is. Throws ConfigError. */
export async function loadDatabase(realEnv: Environment, cwd: string): Promise<DatabaseConfig> {
  const report = openReport()
  const database = parseDatabase(await withDotEnv(realEnv, cwd, report), cwd, report)
  report.conclude()
  return database
}
