// Sends a second while another session of the server keeps a snapshot open, as a dump does. Each commit leaves old versions of the rows
// that it changes, and nothing can remove them before that session ends. How many pages of rows and indexes the server reads for a send
// depends on the versions in the way, and on nothing else that the machine does.
import pg from 'pg'
import { systemClock } from '../src/ops/clock.ts'
import { devAccount, startAnvil } from '../tooling/anvil.ts'
import { startPostgres } from '../tooling/postgres.ts'
import { asRun, type BenchOptions, startBenchService } from './bench-service.ts'
import type { Figure } from './figure.ts'
import { startLoad, targetOf } from './load.ts'

/** Few, so that commits are small and many: each leaves versions, however many requests share it. */
const connections = 2
const requestsOfTurn = 1_000
const openForMs = 60_000
const never = new AbortController().signal

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
  const database = new URL(databaseUrl).pathname.slice(1)
  const buffersRead = async () => {
    // A session reports its figures a second after its last transaction at the latest.
    await systemClock.sleep(1_500, never)
    const [row] = await postgres.query<{ hits: number }>(
      `SELECT blks_hit::float8 AS hits FROM pg_stat_database WHERE datname = '${database}'`,
    )
    return row?.hits ?? 0
  }
  const turn = async () => {
    const hits = await buffersRead()
    const { requests, seconds } = await load.run({ kind: 'post', target, connections, requests: requestsOfTurn })
    return { rate: requests / seconds, buffers: ((await buffersRead()) - hits) / requests }
  }
  await turn()
  const before = await turn()
  const snapshot = new pg.Client({ connectionString: databaseUrl })
  await snapshot.connect()
  await snapshot.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  await snapshot.query('SELECT 1')
  const since = performance.now()
  let under = await turn()
  let sends = requestsOfTurn
  for (; performance.now() - since < openForMs; sends += requestsOfTurn) under = await turn()
  const seconds = (performance.now() - since) / 1_000
  await snapshot.end()
  await turn()
  const after = await turn()
  await service.stop()
  return [
    { name: `durable POST at ${connections} connections`, value: before.rate, unit: '/s' },
    { name: 'the server read for each of them', value: before.buffers, unit: 'buffers' },
    { name: 'a snapshot was then open', value: seconds, unit: 's' },
    { name: 'sent in that time', value: sends, unit: 'transactions' },
    { name: 'durable POST, the last of that time', value: under.rate, unit: '/s' },
    { name: 'the server read for each of the last', value: under.buffers, unit: 'buffers' },
    { name: 'durable POST after it', value: after.rate, unit: '/s' },
  ]
}
