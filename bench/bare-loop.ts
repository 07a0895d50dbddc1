// The limit beside POST and DELETE: the same load on a bare loop (bare-service.ts), on the same disk and in the same run.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
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
export async function measureBareLoop(load: Load, size: LoadSize): Promise<{ post: Limit; delete: Limit }> {
  const { connections, warmUpRequests, requests } = size
  const directory = await mkdtemp(join(tmpdir(), 'rescind-bench-'))
  const script = fileURLToPath(new URL('./bare-service.ts', import.meta.url))
  const child = fork(script, [join(directory, 'bare.db')], { execArgv: ['--max-semi-space-size=16'] })
  const gone = once(child, 'close')
  try {
    const [{ port }] = (await Promise.race([
      once(child, 'message'),
      gone.then(() => Promise.reject(new Error('the bare loop ended before it listened'))),
    ])) as [{ port: number }]
    const { pid = 0 } = child
    const target = { port, apiKey: 'none', relayerId: 'bench' }
    await load.run({ kind: 'post', target, connections, requests: warmUpRequests })
    await load.run({ kind: 'delete', target, connections, requests: warmUpRequests / 2 })
    const begun = await processorSeconds(pid)
    const posts = await load.run({ kind: 'post', target, connections, requests })
    const between = await processorSeconds(pid)
    const deletes = await load.run({ kind: 'delete', target, connections, requests })
    const ended = await processorSeconds(pid)
    return { post: limitOf(posts, between - begun), delete: limitOf(deletes, ended - between) }
  } finally {
    child.kill('SIGKILL')
    await gone
    await rm(directory, { recursive: true, force: true })
  }
}

function limitOf({ requests, seconds }: LoadResult, processor: number): Limit {
  return { rate: requests / seconds, processorMicros: (1e6 * processor) / requests }
}
