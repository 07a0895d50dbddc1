// One DELETE of 500,000 pending transactions, and meanwhile the requests of others, one after the other.
import { type Anvil, devAccount, startAnvil } from '../tooling/anvil.ts'
import { type BenchOptions, startBenchService } from './bench-service.ts'
import type { Figure } from './figure.ts'
import { type Connection, openConnection } from './keep-alive.ts'
import { startLoad, targetOf } from './load.ts'
import { peakMemoryMb } from './memory.ts'

const pending = 500_000
const batch = 500
const fillingConnections = 4

export async function measureFairness(options: BenchOptions): Promise<Figure[]> {
  await using anvil: Anvil = await startAnvil({ mining: 'manual' })
  await using service = await startBenchService(options, {
    profileName: 'fairness',
    networks: [{ name: 'localhost', rpcUrls: [anvil.url], averageBlocktimeMs: 1000 }],
    relayers: [0, 1].map((index) => ({
      id: `bench-${index}`,
      privateKey: devAccount(index).key,
      policies: { max_in_flight: 16 },
    })),
  })
  await using load = startLoad()
  const [long, other] = [targetOf(service, 'bench-0'), targetOf(service, 'bench-1')]
  const common = `Host: 127.0.0.1:${long.port}\r\nAuthorization: Bearer ${long.apiKey}\r\n`
  const post = (path: string, body: unknown) => {
    const text = JSON.stringify(body)
    return `POST ${path} HTTP/1.1\r\n${common}Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`
  }
  const send = { to: devAccount(2).address, value: '1', data: '0x', gas_limit: 21_000, speed: 'average' }
  const fill = post(`/api/v1/relayers/${long.relayerId}/transactions/batch`, { transactions: Array(batch).fill(send) })
  let left = pending / batch
  await Promise.all(
    Array.from({ length: fillingConnections }, async () => {
      const connection = await openConnection(long.port)
      while (left > 0) {
        left -= 1
        await connection.exchange(fill)
      }
      connection.close()
    }),
  )
  let isOver = false
  const watch = async (request: string) => {
    const connection: Connection = await openConnection(long.port)
    const timesMs: number[] = []
    do {
      const begun = performance.now()
      await connection.exchange(request)
      timesMs.push(performance.now() - begun)
    } while (!isOver)
    connection.close()
    return timesMs.sort((one, next) => one - next)
  }
  const bulk = load.run({ kind: 'bulk', target: long }).finally(() => {
    isOver = true
  })
  const [health, posts, { seconds, canceled }] = await Promise.all([
    watch(`GET /api/v1/health HTTP/1.1\r\n${common}\r\n`),
    watch(post(`/api/v1/relayers/${other.relayerId}/transactions`, send)),
    bulk,
  ])
  if (canceled !== pending) throw new Error(`the bulk DELETE took ${canceled} transactions, not ${pending}`)
  const at = (timesMs: readonly number[], share: number) => timesMs[Math.floor(timesMs.length * share)] ?? Number.NaN
  return [
    { name: 'bulk DELETE of 500,000', value: seconds * 1000, unit: 'ms' },
    ...(
      [
        ['health', health],
        ['a POST to another relayer', posts],
      ] as const
    ).flatMap(([what, timesMs]) => [
      { name: `  meanwhile ${what}, p50 of ${timesMs.length}`, value: at(timesMs, 0.5), unit: 'ms' },
      { name: `  meanwhile ${what}, p99`, value: at(timesMs, 0.99), unit: 'ms', aim: 'under 100' },
      { name: `  meanwhile ${what}, slowest`, value: timesMs.at(-1) ?? Number.NaN, unit: 'ms' },
    ]),
    { name: 'peak memory with 500,000 pending', value: await peakMemoryMb(service.pid), unit: 'MB', aim: 'under 300' },
  ]
}
