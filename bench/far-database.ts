// The service on a PostgreSQL that is far away: each answer that a request awaits after another costs it a round trip.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { devAccount, startAnvil } from '../tooling/anvil.ts'
import { type Client, openClient, until } from '../tooling/client.ts'
import { type Postgres, startPostgres } from '../tooling/postgres.ts'
import { asRun, type BenchOptions, startBenchService } from './bench-service.ts'
import { inPool, mineUntilEmpty } from './bulk-cancel.ts'
import type { Figure } from './figure.ts'
import { median } from './median.ts'

const roundTripsMs = [0, 2, 10]
const bulk = 200
const bulks = 3
const singles = 20
/** The relayer comes to rest before a request. */
const restMs = 200
const relayer = 'bench'

export async function measureFarDatabase(options: BenchOptions): Promise<Figure[]> {
  await using postgres = await startPostgres({ settings: asRun })
  const figures: Figure[] = []
  for (const roundTripMs of roundTripsMs) figures.push(...(await measureAt(options, postgres, roundTripMs)))
  return figures
}

async function measureAt(options: BenchOptions, postgres: Postgres, roundTripMs: number): Promise<Figure[]> {
  await using line = await openFarLine(postgres.port, roundTripMs)
  await using anvil = await startAnvil({ mining: 'manual' })
  const url = new URL(await postgres.database())
  url.port = String(line.port)
  await using service = await startBenchService(
    { ...options, postgres },
    {
      profileName: `far-database-${roundTripMs}`,
      databaseUrl: url.href,
      networks: [{ name: 'localhost', rpcUrls: [anvil.url], averageBlocktimeMs: 1_000 }],
      relayers: [{ id: relayer, privateKey: devAccount(0).key, policies: { max_in_flight: bulk } }],
    },
  )
  await using client = openClient(service.url, service.apiKey)
  const untilInPool = (count: number) =>
    until(async () => (await inPool(anvil)) === count, { what: `the pool to hold ${count}` })

  const postsMs: number[] = []
  const deletesMs: number[] = []
  const bulksMs: number[] = []
  for (let round = 0; round < singles; round += 1) {
    const posted = await timed(() => client.send(relayer, payment))
    postsMs.push(posted.ms)
    await untilInPool(1)
    await sleep(restMs)
    deletesMs.push((await timed(() => client.cancel(relayer, posted.result.id))).ms)
    await sleep(restMs)
    await mineUntilEmpty(anvil)
    await sleep(restMs)
  }
  for (let round = 0; round < bulks; round += 1) {
    await postMany(client)
    await untilInPool(bulk)
    await sleep(restMs)
    bulksMs.push((await timed(() => client.cancelPending(relayer))).ms)
    await mineUntilEmpty(anvil)
  }
  await service.stop()
  const of = (name: string, timesMs: readonly number[]): Figure => ({
    name: `  ${name}`,
    value: median(timesMs),
    unit: 'ms',
  })
  return [
    { ...of('', postsMs), name: `PostgreSQL ${roundTripMs} ms away: POST, p50` },
    of('DELETE of a transaction in flight, p50', deletesMs),
    of(`bulk DELETE of ${bulk} in flight`, bulksMs),
  ]
}

const payment = { to: devAccount(1).address, value: '1', data: '0x', gas_limit: 21_000, speed: 'average' }

async function postMany(client: Client): Promise<void> {
  const body = { transactions: Array.from({ length: bulk }, () => payment) }
  const { status } = await client.request('POST', `/relayers/${relayer}/transactions/batch`, { body })
  if (status !== 200) throw new Error(`a batch was answered with ${status}`)
}

async function timed<T>(act: () => Promise<T>): Promise<{ readonly ms: number; readonly result: T }> {
  const begun = performance.now()
  const result = await act()
  return { ms: performance.now() - begun, result }
}

/** Requests arrive a round trip late, and answers at once. */
async function openFarLine(port: number, roundTripMs: number) {
  const server = createServer((service) => {
    service.setNoDelay(true)
    const database = connect({ port, host: '127.0.0.1', noDelay: true })
    // Timers of one duration fire in the order in which they began.
    const late = (act: () => void) => void (roundTripMs === 0 ? act() : setTimeout(act, roundTripMs))
    service.on('data', (bytes) => late(() => database.write(bytes)))
    database.on('data', (bytes) => service.write(bytes))
    service.on('close', () => late(() => database.destroy()))
    database.on('close', () => service.destroy())
    for (const each of [service, database]) each.on('error', () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close()
    },
  }
}
