// The limit beside POST and DELETE: the same load on a bare loop (bare-service.ts), on the same disk, or the same
// PostgreSQL, and in the same run.
import type { Postgres } from '../tooling/postgres.ts'
import { startBareProcess } from './bare-process.ts'
import type { Load } from './load.ts'
import type { LoadResult } from './load-job.ts'
import { processorSeconds } from './processor-time.ts'

export interface Limit {
  /** Requests a second. */
  readonly rate: number
  /** Of the bare loop's process, in microseconds a request. */
  readonly processorMicros: number
}

export interface LoadSize {
  readonly connections: number
  readonly warmUpRequests: number
  readonly requests: number
}

/** Sends as many requests as the service gets. */
export async function measureBareLoop(
  load: Load,
  { connections, warmUpRequests, requests }: LoadSize,
  postgres: Postgres | undefined,
): Promise<{ post: Limit; delete: Limit }> {
  await using bare = await startBareProcess('./bare-service.ts', await postgres?.database())
  const { port } = (await bare.message()) as { port: number }
  const target = { port, apiKey: 'none', relayerId: 'bench' }
  await load.run({ kind: 'post', target, connections, requests: warmUpRequests })
  await load.run({ kind: 'delete', target, connections, requests: warmUpRequests / 2 })
  const begun = await processorSeconds(bare.pid)
  const posts = await load.run({ kind: 'post', target, connections, requests })
  const between = await processorSeconds(bare.pid)
  const deletes = await load.run({ kind: 'delete', target, connections, requests })
  const ended = await processorSeconds(bare.pid)
  return { post: limitOf(posts, between - begun), delete: limitOf(deletes, ended - between) }
}

function limitOf({ requests, seconds }: LoadResult, processor: number): Limit {
  return { rate: requests / seconds, processorMicros: (1e6 * processor) / requests }
}
