// Sends a second while another session of the server keeps a snapshot open, as a dump does. Each commit leaves old versions of the rows
// that it changes, and nothing can remove them before that session ends.
import pg from 'pg'
import { devAccount, startAnvil } from '../tooling/anvil.ts'
import { startPostgres } from '../tooling/postgres.ts'
import { asRun, type BenchOptions, startBenchService } from './bench-service.ts'
import type { Figure } from './figure.ts'
import { startLoad, targetOf } from './load.ts'

/** Few, so that commits are small and many: each leaves versions, however many requests share it. */
const connections = 2
const requestsOfTurn = 3_000
const openForMs = 60_000

export async function measureOpenSnapshot(options: BenchOptions): Promise<Figure[]> {
  await using postgres = await startPostgres({ settings: asRun })
  await using anvil = await startAnvil({ mining: 'manual' })
  const databaseUrl = await postgres.database()
  await using service = await startBenchService(
    { ...options, postgres },
    {
      databaseUrl,
      profileName: 'open-snapshot',
      networks: [{ name: 'localhost', rpcUrls: [anvil.url], averageBlocktimeMs: 1000 }],
      relayers: [{ id: 'bench', privateKey: devAccount(0).key, policies: { max_in_flight: 16 } }],
    },
  )
  await using load = startLoad()
  const target = targetOf(service, 'bench')
  const rate = async () => {
    const { requests, seconds } = await load.run({ kind: 'post', target, connections, requests: requestsOfTurn })
    return requests / seconds
  }
  await rate()
  const before = await rate()
  const snapshot = new pg.Client({ connectionString: databaseUrl })
  await snapshot.connect()
  await snapshot.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  await snapshot.query('SELECT 1')
  const since = performance.now()
  const under: number[] = []
  while (performance.now() - since < openForMs) under.push(await rate())
  const seconds = (performance.now() - since) / 1_000
  await snapshot.end()
  await rate()
  const after = await rate()
  await service.stop()
  return [
    { name: `durable POST at ${connections} connections`, value: before, unit: '/s' },
    { name: 'a snapshot was then open', value: seconds, unit: 's' },
    { name: 'durable POST, the last of that time', value: under.at(-1) ?? 0, unit: '/s' },
    { name: 'durable POST after it', value: after, unit: '/s' },
  ]
}
