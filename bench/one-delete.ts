// One DELETE of a transaction in flight, with nothing else to do, beside its limits: each is followed by a bare fsync in the
// service's own directory, so that both saw the same disk, and by one DELETE on the bare loop (bare-service.ts).
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { devAccount, startAnvil } from '../tooling/anvil.ts'
import { openClient, until } from '../tooling/client.ts'
import { startBareLoop } from './bare-loop.ts'
import { type BenchOptions, startBenchService } from './bench-service.ts'
import type { Figure } from './figure.ts'
import { openConnection } from './keep-alive.ts'

const rounds = 200
const warmUpRounds = 20
/** The relayer comes to rest before it is canceled. */
const restMs = 60

export async function measureOneDelete(options: BenchOptions): Promise<Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), 'rescind-bench-'))
  try {
    await using anvil = await startAnvil({ mining: 'manual' })
    await using service = await startBenchService(options, {
      profileName: 'one-delete',
      directory,
      networks: [{ name: 'localhost', rpcUrls: [anvil.url], averageBlocktimeMs: 1000 }],
      relayers: [{ id: 'bench', privateKey: devAccount(0).key }],
    })
    await using client = openClient(service.url, service.apiKey)
    await using disk = await openDisk(directory)
    await using bare = await openBareLoop(options)
    const { port } = new URL(service.url)
    const connection = await openConnection(Number(port))
    const headers = `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${service.apiKey}\r\n`
    const deletesMs: number[] = []
    const syncsMs: number[] = []
    const bareMs: number[] = []
    for (let round = -warmUpRounds; round < rounds; round += 1) {
      const body = { to: devAccount(1).address, value: '1', gas_limit: 21_000, speed: 'average' }
      const { id } = await client.send('bench', body)
      await until(async () => (await client.get('bench', id)).status === 'submitted', { what: 'it to be in the pool' })
      await sleep(restMs)
      const request = `DELETE /api/v1/relayers/bench/transactions/${id} HTTP/1.1\r\n${headers}\r\n`
      const deleteMs = await timeOf(() => connection.exchange(request))
      await sleep(restMs)
      const syncMs = await timeOf(() => disk.sync())
      const bareDelete = await bare.send()
      await sleep(restMs)
      const bareDeleteMs = await timeOf(bareDelete)
      await anvil.mine()
      if (round < 0) continue
      deletesMs.push(deleteMs)
      syncsMs.push(syncMs)
      bareMs.push(bareDeleteMs)
    }
    connection.close()
    await service.stop()
    return figuresOf(deletesMs, syncsMs, bareMs)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

function figuresOf(deletesMs: readonly number[], syncsMs: readonly number[], bareMs: readonly number[]): Figure[] {
  const limitMs = 2 * at(syncsMs, 0.5) + 1
  return [
    {
      name: 'one DELETE of a transaction in flight, p50',
      value: at(deletesMs, 0.5),
      unit: 'ms',
      aim: `${limitMs.toFixed(2)} or less`,
    },
    {
      name: `one DELETE of a transaction in flight, p99 of ${deletesMs.length}`,
      value: at(deletesMs, 0.99),
      unit: 'ms',
    },
    { name: 'a bare fsync of 4 KiB beside it, p50', value: at(syncsMs, 0.5), unit: 'ms' },
    { name: 'a bare fsync of 4 KiB beside it, p99', value: at(syncsMs, 0.99), unit: 'ms' },
    { name: 'one DELETE on the bare loop beside it, p50', value: at(bareMs, 0.5), unit: 'ms' },
    { name: 'one DELETE on the bare loop beside it, p99', value: at(bareMs, 0.99), unit: 'ms' },
  ]
}

/** On the database that the service has. */
async function openBareLoop({ postgres }: BenchOptions) {
  const bare = await startBareLoop(postgres)
  const { port } = bare.target
  const connection = await openConnection(port)
  const path = '/api/v1/relayers/bench/transactions'
  const body = JSON.stringify({
    to: devAccount(1).address,
    value: '1',
    data: '0x',
    gas_limit: 21_000,
    speed: 'average',
  })
  const headers = `Host: 127.0.0.1:${port}\r\n`
  const post = `POST ${path} HTTP/1.1\r\n${headers}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  return {
    /** Returns how to cancel it. */
    async send() {
      const { data } = JSON.parse(await connection.exchange(post)) as { data: { id: string } }
      return () => connection.exchange(`DELETE ${path}/${data.id} HTTP/1.1\r\n${headers}\r\n`)
    },
    async [Symbol.asyncDispose]() {
      connection.close()
      await bare[Symbol.asyncDispose]()
    },
  }
}

async function openDisk(directory: string) {
  const file = await open(join(directory, 'bare-fsync'), 'w')
  const page = Buffer.alloc(4_096, 1)
  return {
    async sync() {
      await file.write(page)
      await file.sync()
    },
    [Symbol.asyncDispose]: () => file.close(),
  }
}

async function timeOf(act: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await act()
  return performance.now() - begun
}

function at(timesMs: readonly number[], share: number): number {
  const sorted = timesMs.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
