// Durable POSTs and DELETEs a second, and their latency, with a live chain that mines nothing: all but the first few
// transactions wait in the queue.
import { devAccount, startAnvil } from '../tooling/anvil.ts'
import { type Limit, measureBareLoop } from './bare-loop.ts'
import { type BenchOptions, startBenchService } from './bench-service.ts'
import type { Figure } from './figure.ts'
import { startLoad, targetOf } from './load.ts'
import type { LoadResult } from './load-job.ts'
import { peakMemoryMb } from './memory.ts'
import { processorSeconds, processorSecondsOfFamily } from './processor-time.ts'

const connections = 50
const warmUpRequests = 10_000
const requests = 60_000

export async function measureSendsAndCancels(options: BenchOptions): Promise<Figure[]> {
  await using anvil = await startAnvil({ mining: 'manual' })
  await using service = await startBenchService(options, {
    profileName: 'post-delete',
    networks: [{ name: 'localhost', rpcUrls: [anvil.url], averageBlocktimeMs: 1000 }],
    relayers: [{ id: 'bench', privateKey: devAccount(0).key, policies: { max_in_flight: 16 } }],
  })
  await using load = startLoad()
  const target = targetOf(service, 'bench')
  await load.run({ kind: 'post', target, connections, requests: warmUpRequests })
  await load.run({ kind: 'delete', target, connections, requests: warmUpRequests / 2 })
  const usage = async () => ({
    service: await processorSeconds(service.pid),
    database: options.postgres ? await processorSecondsOfFamily(options.postgres.pid) : 0,
  })
  const begun = await usage()
  const posts = await load.run({ kind: 'post', target, connections, requests })
  const between = await usage()
  const deletes = await load.run({ kind: 'delete', target, connections, requests })
  const ended = await usage()
  const memoryMb = await peakMemoryMb(service.pid)
  await service.stop()
  const limits = await measureBareLoop(load, { connections, warmUpRequests, requests }, options.postgres)
  const aims = options.postgres ? { post: '8,000 or more', delete: '10,000 or more' } : aimsOnSqlite
  return [
    ...figuresOf('POST', aims.post, posts, begun, between, limits.post),
    ...figuresOf('DELETE', aims.delete, deletes, between, ended, limits.delete),
    {
      name: 'peak memory over these POSTs and DELETEs',
      value: memoryMb,
      unit: 'MB',
      aim: 'under 300',
    },
  ]
}

const aimsOnSqlite = { post: '15,000 or more', delete: '20,000 or more' }

/** In seconds of processor time. */
interface Usage {
  readonly service: number
  /** 0 where the service is its own database. */
  readonly database: number
}

function figuresOf(verb: string, aim: string, result: LoadResult, before: Usage, after: Usage, limit: Limit): Figure[] {
  const at = `at ${connections} connections`
  const perRequest = (seconds: number) => (1e6 * seconds) / result.requests
  const database = after.database - before.database
  const rate = result.requests / result.seconds
  const service = perRequest(after.service - before.service)
  return [
    { name: `durable ${verb}`, value: rate, unit: '/s', aim },
    ...besideLimit(verb, rate, service, limit),
    { name: `${verb} latency p50 ${at}`, value: result.p50Ms, unit: 'ms' },
    { name: `${verb} latency p99 ${at}`, value: result.p99Ms, unit: 'ms' },
    { name: `${verb}, processor time of the service`, value: service, unit: 'µs' },
    ...(database > 0
      ? [{ name: `${verb}, processor time of the database`, value: perRequest(database), unit: 'µs' }]
      : []),
    { name: `${verb}, processor time of the load`, value: perRequest(result.loadCpuSeconds), unit: 'µs' },
  ]
}

/** As shares of the limit, so that the machine's speed cancels out. */
function besideLimit(verb: string, rate: number, service: number, limit: Limit): Figure[] {
  return [
    { name: `${verb} on the bare loop`, value: limit.rate, unit: '/s' },
    {
      name: `${verb}, rate as a share of the bare loop`,
      value: (100 * rate) / limit.rate,
      unit: '%',
      aim: '60 or more',
    },
    {
      name: `${verb}, processor time of the bare loop`,
      value: limit.processorMicros,
      unit: 'µs',
    },
    {
      name: `${verb}, the bare loop's processor time as a share of the service's`,
      value: (100 * limit.processorMicros) / service,
      unit: '%',
      aim: '60 or more',
    },
  ]
}
