// The bytes of a finished transaction in the database, and the cost of their removal for the requests meanwhile.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { type Anvil, devAccount, startAnvil } from '../tooling/anvil.ts'
import { openClient } from '../tooling/client.ts'
import type { Postgres } from '../tooling/postgres.ts'
import type { Service } from '../tooling/service.ts'
import { databasePath } from '../tooling/service-files.ts'
import { type BenchOptions, startBenchService } from './bench-service.ts'
import { finishOne } from './bulk-cancel.ts'
import type { Figure } from './figure.ts'
import { type Load, startLoad, targetOf } from './load.ts'
import { seedFinished } from './seed-finished.ts'
import { seedFinishedOnPostgres } from './seed-finished-postgres.ts'

const finished = 200_000
const requests = 10_000
const rounds = 3
const tables = ['transactions', 'attempts'] as const

export async function measureRetention(options: BenchOptions): Promise<Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), 'rescind-bench-'))
  try {
    await using anvil = await startAnvil({ mining: 'manual' })
    await using load = startLoad()
    const databaseUrl = await options.postgres?.database()
    const common = {
      directory,
      ...(databaseUrl !== undefined && { databaseUrl }),
      networks: [{ name: 'localhost', rpcUrls: [anvil.url], averageBlocktimeMs: 200 }],
      relayers: [{ id: 'bench', privateKey: devAccount(0).key, policies: { max_in_flight: 16 } }],
    } as const
    await finishOne(options, anvil, common)
    const bytes = await seed(options.postgres, databaseUrl, directory, anvil)
    const kept = await postsOf(options, load, { ...common, profileName: 'retention-off' })
    const retention = { transactions_days: 8 }
    const removed = await postsOf(options, load, { ...common, retention, profileName: 'retention-on' })
    return [
      ...bytes,
      { name: 'POST among 200,000 finished, median of three', value: kept.perSecond, unit: '/s' },
      {
        name: '… while retention removes them',
        value: removed.perSecond,
        unit: '/s',
        aim: `${Math.round(kept.perSecond * 0.9)} or more`,
      },
      { name: 'finished transactions removed meanwhile', value: removed.removedPerSecond, unit: '/s' },
    ]
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** Clones one that ended a hundred days ago. Returns the bytes of each table with its indexes, for one transaction. */
async function seed(
  postgres: Postgres | undefined,
  databaseUrl: string | undefined,
  directory: string,
  anvil: Anvil,
): Promise<Figure[]> {
  const age = `UPDATE transactions SET ended_at = ended_at - ${100 * 86_400_000}`
  const figure = (table: string, bytes: number) => ({
    name: `bytes of a finished transaction, ${table} and its indexes`,
    value: bytes / finished,
    unit: 'B',
  })
  await anvil.rpc('anvil_setNonce', [devAccount(0).address, `0x${finished.toString(16)}`])
  if (postgres && databaseUrl !== undefined) {
    const name = new URL(databaseUrl).pathname.slice(1)
    await postgres.query(age, name)
    await seedFinishedOnPostgres(postgres, databaseUrl, 'bench', finished)
    const sizes = tables.map(async (table) => {
      const [row] = await postgres.query<{ bytes: string }>(`SELECT pg_total_relation_size('${table}') AS bytes`, name)
      return figure(table, Number(row?.bytes))
    })
    return Promise.all(sizes)
  }
  const path = databasePath(directory)
  using database = openDisposable(path)
  database.exec(age)
  seedFinished(path, 'bench', finished)
  const ofTable = database
    .prepare<[string], number>(
      'SELECT sum(pgsize) FROM dbstat WHERE aggregate = 1 AND name IN (SELECT name FROM sqlite_master WHERE tbl_name = ?)',
    )
    .pluck()
  return tables.map((table) => figure(table, ofTable.get(table) ?? 0))
}

function openDisposable(path: string): Database.Database & Disposable {
  const database = new Database(path)
  return Object.assign(database, { [Symbol.dispose]: () => void database.close() })
}

async function postsOf(
  options: BenchOptions,
  load: Load,
  started: Parameters<typeof startBenchService>[1],
): Promise<{ perSecond: number; removedPerSecond: number }> {
  await using service = await startBenchService(options, started)
  const rates: number[] = []
  const [before, began] = [await finishedIn(service), performance.now()]
  for (let round = 0; round < rounds; round += 1) {
    const { seconds } = await load.run({ kind: 'post', target: targetOf(service, 'bench'), connections: 50, requests })
    rates.push(requests / seconds)
  }
  const removedPerSecond = (before - (await finishedIn(service))) / ((performance.now() - began) / 1000)
  await service.stop()
  return { perSecond: rates.toSorted((one, other) => one - other)[rounds >> 1] ?? 0, removedPerSecond }
}

async function finishedIn(service: Service): Promise<number> {
  await using client = openClient(service.url, service.apiKey)
  const { body } = await client.request('GET', '/relayers/bench/transactions?status=confirmed&per_page=1')
  return (body as { pagination: { total_items: number } }).pagination.total_items
}
