// One DELETE of 10,000 pending transactions: on a young database, and on one with a million finished ones.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Anvil, devAccount, startAnvil } from '../tooling/anvil.ts'
import { openClient, until } from '../tooling/client.ts'
import { databasePath } from '../tooling/service-files.ts'
import { type BenchOptions, startBenchService } from './bench-service.ts'
import type { Figure } from './figure.ts'
import { type Load, startLoad, targetOf } from './load.ts'
import { peakMemoryMb } from './memory.ts'
import { seedFinished } from './seed-finished.ts'
import { seedFinishedOnPostgres } from './seed-finished-postgres.ts'

const pending = 10_000
const finished = 1_000_000
const rounds = 5
const maxInFlight = 16

export async function measureBulkCancel(options: BenchOptions): Promise<Figure[]> {
  await using load = startLoad()
  const young = await measureAmong(options, load, 0)
  const old = await measureAmong(options, load, finished)
  return [
    {
      name: 'bulk DELETE of 10,000 among none finished, median',
      value: young.medianMs,
      unit: 'ms',
      aim: '300 or less',
    },
    {
      name: 'bulk DELETE of 10,000 among 1,000,000 finished, median',
      value: old.medianMs,
      unit: 'ms',
      aim: '300 or less',
    },
    { name: 'bulk DELETE of 10,000 among none finished, slowest', value: young.slowestMs, unit: 'ms' },
    { name: 'bulk DELETE of 10,000 among 1,000,000 finished, slowest', value: old.slowestMs, unit: 'ms' },
    { name: 'peak memory, bulk among 1,000,000 finished', value: old.memoryMb, unit: 'MB', aim: 'under 300' },
  ]
}

async function measureAmong(options: BenchOptions, load: Load, history: number) {
  const directory = await mkdtemp(join(tmpdir(), 'rescind-bench-'))
  try {
    await using anvil = await startAnvil({ mining: 'manual' })
    const account = devAccount(0)
    const databaseUrl = await options.postgres?.database()
    const common = {
      directory,
      ...(databaseUrl !== undefined && { databaseUrl }),
      networks: [{ name: 'localhost', rpcUrls: [anvil.url], averageBlocktimeMs: 200 }],
      relayers: [{ id: 'bench', privateKey: account.key, policies: { max_in_flight: maxInFlight } }],
    } as const
    if (history > 0) {
      await finishOne(options, anvil, common)
      if (options.postgres && databaseUrl !== undefined)
        await seedFinishedOnPostgres(options.postgres, databaseUrl, 'bench', history)
      else seedFinished(databasePath(directory), 'bench', history)
      await anvil.rpc('anvil_setNonce', [account.address, `0x${history.toString(16)}`])
    }
    await using service = await startBenchService(options, { ...common, profileName: `bulk-among-${history}` })
    const target = targetOf(service, 'bench')
    const timesMs: number[] = []
    for (let round = 0; round < rounds; round++) {
      await load.run({ kind: 'post', target, connections: 50, requests: pending })
      await until(async () => (await inPool(anvil)) === maxInFlight, {
        what: 'the pool to hold all transactions in flight',
      })
      const { seconds, canceled } = await load.run({ kind: 'bulk', target })
      if (canceled !== pending) throw new Error(`the bulk DELETE took ${canceled} transactions, not ${pending}`)
      timesMs.push(seconds * 1000)
      await mineUntilEmpty(anvil)
    }
    const memoryMb = await peakMemoryMb(service.pid)
    await service.stop()
    timesMs.sort((one, other) => one - other)
    return { medianMs: timesMs[rounds >> 1] ?? 0, slowestMs: timesMs[rounds - 1] ?? 0, memoryMb }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** Brings one transaction to its end, so that there is something to clone. */
export async function finishOne(
  options: BenchOptions,
  anvil: Anvil,
  common: Omit<Parameters<typeof startBenchService>[1], 'profileName'>,
): Promise<void> {
  await using service = await startBenchService(options, { ...common, profileName: 'seed' })
  await using client = openClient(service.url, service.apiKey)
  const { id } = await client.send('bench', { to: devAccount(1).address, value: '1', data: '0x', speed: 'average' })
  await until(async () => (await inPool(anvil)) === 1, { what: 'the transaction to be in the pool' })
  await anvil.mine()
  await until(async () => (await client.get('bench', id)).status === 'confirmed', { what: 'it to be confirmed' })
  await service.stop()
}

export async function mineUntilEmpty(anvil: Anvil): Promise<void> {
  await until(
    async () => {
      await anvil.mine()
      return (await inPool(anvil)) === 0
    },
    { everyMs: 300, what: 'the pool to be empty' },
  )
}

export async function inPool(anvil: Anvil): Promise<number> {
  return Number((await anvil.rpc<{ pending: string }>('txpool_status')).pending)
}
