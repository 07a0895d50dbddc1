// Durable POSTs and DELETEs a second, and their latency, with a live chain that mines nothing: all but the first few
// transactions wait in the queue.
import { devAccount, startAnvil } from '../test/support/anvil.ts'
import { type BenchOptions, startBenchService } from './bench-service.ts'
import type { Figure } from './figure.ts'
import { startLoad, targetOf } from './load.ts'
import type { LoadResult } from './load-job.ts'
import { peakMemoryMb } from './memory.ts'
import { processorSeconds } from './processor-time.ts'

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
  const begun = await processorSeconds(service.pid)
  const posts = await load.run({ kind: 'post', target, connections, requests })
  const between = await processorSeconds(service.pid)
  const deletes = await load.run({ kind: 'delete', target, connections, requests })
  const ended = await processorSeconds(service.pid)
  const memoryMb = await peakMemoryMb(service.pid)
  await service.stop()
  return [
    ...figuresOf('POST', '15,000 or more', posts, between - begun),
    ...figuresOf('DELETE', '20,000 or more', deletes, ended - between),
    {
      name: 'peak memory over these POSTs and DELETEs',
      value: memoryMb,
      unit: 'MB',
      aim: 'under 300',
    },
  ]
}

function figuresOf(verb: string, aim: string, result: LoadResult, serviceCpuSeconds: number): Figure[] {
  const at = `at ${connections} connections`
  return [
    { name: `durable ${verb}`, value: result.requests / result.seconds, unit: '/s', aim },
    { name: `${verb} latency p50 ${at}`, value: result.p50Ms, unit: 'ms' },
    { name: `${verb} latency p99 ${at}`, value: result.p99Ms, unit: 'ms' },
    { name: `${verb}, processor time of the service`, value: (1e6 * serviceCpuSeconds) / result.requests, unit: 'µs' },
    { name: `${verb}, core that the load takes`, value: (100 * result.loadCpuSeconds) / result.seconds, unit: '%' },
  ]
}
