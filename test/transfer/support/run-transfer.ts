// The process as an operator calls it, with its arguments, and what it says.
import { fileURLToPath } from 'node:url'
import { spawnTethered, type Tethered } from '../../../tooling/tethered-process.ts'

const mainFile = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))

interface Ended {
  readonly code: number | null
  /** Both outputs. */
  readonly reported: string
}

export function startRescind(args: readonly string[], directory: string, env: Record<string, string> = {}): Tethered {
  return spawnTethered([mainFile, ...args], { cwd: directory, env })
}

export async function rescind(
  args: readonly string[],
  directory: string,
  env: Record<string, string> = {},
): Promise<Ended> {
  const started = startRescind(args, directory, env)
  const { code } = await started.exited
  return { code, reported: started.logs() }
}

/** `rescind migrate sqlite-to-postgres` with the file of `directory`. */
export function transfer(directory: string, url: string, ...more: readonly string[]): Promise<Ended> {
  return rescind(transferArguments(...more), directory, { DATABASE_URL: url })
}

export const transferArguments = (...more: readonly string[]) => [
  'migrate',
  'sqlite-to-postgres',
  '--from',
  'rescind.db',
  ...more,
]
