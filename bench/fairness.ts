// DELETEs of as many pending transactions as SQLite takes, and meanwhile the requests of others, one after the other.
import { randomUUID } from 'node:crypto'
import { type Anvil, devAccount, startAnvil } from '../tooling/anvil.ts'
import { type BenchOptions, startBenchService } from './bench-service.ts'
import { measureBesidePages } from './beside-pages.ts'
import type { Figure } from './figure.ts'
import { openConnection } from './keep-alive.ts'
import { startLoad, targetOf } from './load.ts'
import { peakMemoryMb } from './memory.ts'

const pending = 50_000
const pendingOfFive = 10_000
const five = [1, 2, 3, 4, 5]
const other = 6
const batch = 500
const fillingConnections = 4
const tag = 'bench'

export async function measureFairness(options: BenchOptions): Promise<Figure[]> {
  await using anvil: Anvil = await startAnvil({ mining: 'manual' })
  await using service = await startBenchService(options, {
    profileName: 'fairness',
    networks: [{ name: 'localhost', rpcUrls: [anvil.url], averageBlocktimeMs: 1000 }],
    relayers: [0, ...five, other].map((index) => ({
      id: `bench-${index}`,
      privateKey: devAccount(index).key,
      policies: { max_in_flight: 16 },
    })),
  })
  await using load = startLoad()
  const targets = [0, ...five].map((index) => targetOf(service, `bench-${index}`))
  const { port, apiKey } = targetOf(service, `bench-${other}`)
  const common = `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${apiKey}\r\n`
  const post = (path: string, body: unknown, headers = '') => {
    const text = JSON.stringify(body)
    return `POST /api/v1${path} HTTP/1.1\r\n${common}${headers}Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`
  }
  const send = { to: devAccount(2).address, value: '1', data: '0x', gas_limit: 21_000, speed: 'average' }

  async function fill(relayer: number, count: number): Promise<void> {
    const request = post(`/relayers/bench-${relayer}/transactions/batch`, {
      transactions: Array(batch).fill({ ...send, tags: [tag] }),
    })
    let left = count / batch
    const connections = Array.from({ length: fillingConnections }, async () => {
      const connection = await openConnection(port)
      for (; left > 0; ) {
        left -= 1
        await connection.exchange(request)
      }
      connection.close()
    })
    await Promise.all(connections)
  }

  /** Requests of others until `work` is done. */
  async function meanwhile(what: string, work: () => Promise<unknown>): Promise<Figure[]> {
    let isOver = false
    const watch = async (request: string) => {
      const connection = await openConnection(port)
      const timesMs: number[] = []
      do {
        const begun = performance.now()
        await connection.exchange(request)
        timesMs.push(performance.now() - begun)
      } while (!isOver)
      connection.close()
      return Math.max(...timesMs)
    }
    const begun = performance.now()
    let ms = 0
    const [health, posts] = await Promise.all([
      watch(`GET /api/v1/health HTTP/1.1\r\n${common}\r\n`),
      watch(post(`/relayers/bench-${other}/transactions`, send)),
      work().finally(() => {
        isOver = true
        ms = performance.now() - begun
      }),
    ])
    const aim = what.startsWith('five') ? '200 or less on SQLite' : '500 or less on SQLite'
    return [
      { name: what, value: ms, unit: 'ms' },
      { name: '  meanwhile health, slowest', value: health, unit: 'ms', aim },
      { name: '  meanwhile a POST to another relayer, slowest', value: posts, unit: 'ms', aim },
    ]
  }

  const cancelAll = async (index: number, count: number) => {
    const target = targets[index]
    if (!target) throw new Error(`there is no relayer ${index}`)
    const { canceled } = await load.run({ kind: 'bulk', target })
    if (canceled !== count) throw new Error(`the bulk DELETE took ${canceled} transactions, not ${count}`)
  }
  await fill(0, pending)
  const figures = await meanwhile('bulk DELETE of 50,000', () => cancelAll(0, pending))
  await fill(0, pending)
  const sender = await openConnection(port)
  const sent = JSON.parse(await sender.exchange(post(`/relayers/bench-${other}/transactions`, send)))
  sender.close()
  const request = (line: string) => `${line} HTTP/1.1\r\n${common}\r\n`
  figures.push(
    ...(await measureBesidePages({
      ...{ service, port },
      page: request('GET /api/v1/relayers/bench-0/traces?per_page=1000'),
      cancel: request(`DELETE /api/v1/relayers/bench-${other}/transactions/${sent.data.id}`),
    })),
  )
  const tagged = await openConnection(port)
  const byTag = post(
    '/bulk-cancellations',
    { name: 'bench', reason: 'bench', relayers: ['bench-0'], filter: { tag: [tag] } },
    `Idempotency-Key: ${randomUUID()}\r\n`,
  )
  figures.push(...(await meanwhile('a bulk cancellation of 50,000 by a tag', () => tagged.exchange(byTag))))
  tagged.close()
  for (const index of five) await fill(index, pendingOfFive)
  const connections = await Promise.all(five.map(() => openConnection(port)))
  const atOnce = () =>
    Promise.all(
      connections.map((connection, index) =>
        connection.exchange(
          `DELETE /api/v1/relayers/bench-${five[index]}/transactions/pending HTTP/1.1\r\n${common}\r\n`,
        ),
      ),
    )
  figures.push(...(await meanwhile('five bulk DELETEs of 10,000 at once', atOnce)))
  for (const connection of connections) connection.close()
  const memory = { value: await peakMemoryMb(service.pid), unit: 'MB', aim: 'under 300' }
  return [...figures, { name: 'peak memory with 50,000 pending', ...memory }]
}
