// The bytes of a finished transaction in the database, and the cost of their removal for the requests meanwhile.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { devAccount, startAnvil } from '../tooling/anvil.ts'
import type { Postgres } from '../tooling/postgres.ts'
import { databasePath } from '../tooling/service-files.ts'
import { type BenchOptions, startBenchService } from './bench-service.ts'
import { finishOne } from './bulk-cancel.ts'
import type { Figure } from './figure.ts'
import { type Load, startLoad, targetOf } from './load.ts'
import { median } from './median.ts'
import { finishedIn } from './pages.ts'
import { seedFinished } from './seed-finished.ts'
import { seedFinishedOnPostgres } from './seed-finished-postgres.ts'

const finished = 200_000
// Twice three rounds of them fit in the queue of a relayer.
const requests = 8_000
const rounds = 3

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
    await anvil.rpc('anvil_setNonce', [devAccount(0).address, `0x${finished.toString(16)}`])
    const place = { postgres: options.postgres, databaseUrl, path: databasePath(directory) }
    await seed(place)
    const [transactions, attempts] = [await bytesOf(place, 'transactions'), await bytesOf(place, 'attempts')]
    const kept = await postsOf(options, load, { ...common, profileName: 'retention-off' })
    const retention = { transactions_days: 8 }
    const removed = await postsOf(options, load, { ...common, retention, profileName: 'retention-on' })
    return [
      { name: 'bytes of a finished transaction', value: transactions + attempts, unit: 'B', aim: 'under 1,400' },
      { name: '… its row and the indexes', value: transactions, unit: 'B' },
      { name: '… its attempt and the index', value: attempts, unit: 'B' },
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

interface Place {
  readonly postgres: Postgres | undefined
  readonly databaseUrl: string | undefined
  /** Of the SQLite file. */
  readonly path: string
}

async function queryIn<Row>({ postgres, databaseUrl, path }: Place, sql: string): Promise<readonly Row[]> {
  if (postgres && databaseUrl !== undefined) return postgres.query<Row>(sql, new URL(databaseUrl).pathname.slice(1))
  using database = openDisposable(path)
  const statement = database.prepare<[], Row>(sql)
  if (statement.reader) return statement.all()
  statement.run()
  return []
}

/** Clones one that ended a hundred days ago. */
async function seed(place: Place): Promise<void> {
  const { postgres, databaseUrl, path } = place
  await queryIn(place, `UPDATE transactions SET ended_at = ended_at - ${100 * 86_400_000}`)
  if (postgres && databaseUrl !== undefined) await seedFinishedOnPostgres(postgres, databaseUrl, 'bench', finished)
  else seedFinished(path, 'bench', finished)
}

/** Of a table with its indexes, for one finished transaction. */
async function bytesOf(place: Place, table: string): Promise<number> {
  const sql = place.postgres
    ? `SELECT pg_total_relation_size('${table}') AS bytes`
    : `SELECT sum(pgsize) AS bytes FROM dbstat WHERE aggregate = 1 AND name IN (SELECT name FROM sqlite_master WHERE tbl_name = '${table}')`
  const [row] = await queryIn<{ bytes: number | string }>(place, sql)
  return Number(row?.bytes) / finished
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
  return { perSecond: median(rates), removedPerSecond }
}
