// The limit beside POST and DELETE: the same load on a bare loop (bare-service.ts), on the same disk or the same PostgreSQL.
import type { Postgres } from '../tooling/postgres.ts'
import { startBareProcess } from './bare-process.ts'
import type { Target } from './load-job.ts'

interface BareLoop extends AsyncDisposable {
  readonly pid: number
  readonly target: Target
}

export async function startBareLoop(postgres: Postgres | undefined): Promise<BareLoop> {
  const bare = await startBareProcess('./bare-service.ts', await postgres?.database())
  const { port } = (await bare.message()) as { port: number }
  return {
    pid: bare.pid,
    target: { port, apiKey: 'none', relayerId: 'bench' },
    [Symbol.asyncDispose]: () => bare[Symbol.asyncDispose](),
  }
}
