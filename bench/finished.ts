// Two services, one with no finished transactions in its database and one with millions: the same work in turn, in one run.
import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { type Anvil, devAccount, startAnvil } from '../tooling/anvil.ts'
import { until } from '../tooling/client.ts'
import type { Service } from '../tooling/service.ts'
import { databasePath } from '../tooling/service-files.ts'
import { type BenchOptions, startBenchService } from './bench-service.ts'
import { finishOne, inPool, mineUntilEmpty } from './bulk-cancel.ts'
import type { Figure } from './figure.ts'
import { type Load, startLoad, targetOf } from './load.ts'
import { median } from './median.ts'
import { peakMemoryMb } from './memory.ts'
import { finishedIn, measurePages, pages } from './pages.ts'
import { processorSeconds } from './processor-time.ts'
import { seedFinished } from './seed-finished.ts'
import { seedFinishedOnPostgres } from './seed-finished-postgres.ts'

const connections = 50
const posts = 10_000
const deletes = 5_000
const rounds = 5
const starts = 3
const turns = 5
const maxInFlight = 16
/** With room for what the rounds add. */
const bytesEach = 1_300
const bytesLeftMin = 5e9

interface Place {
  readonly directory: string
  readonly anvil: Anvil
  readonly finished: number
  readonly started: Parameters<typeof startBenchService>[1]
}

export async function measureFinished(options: BenchOptions, count: number): Promise<Figure[]> {
  await using opened = new AsyncDisposableStack()
  const load = opened.use(startLoad())
  const young = await openPlace(options, opened, 0)
  const old = await openPlace(options, opened, count)
  const places = [young, old]

  const startSeconds = places.map((): number[] => [])
  for (let start = 0; start < starts; start += 1) {
    for (const [index, place] of places.entries()) startSeconds[index]?.push(await secondsToReady(options, place))
  }
  const services = await Promise.all(
    places.map(async (place) => opened.use(await startBenchService(options, place.started))),
  )
  const measured = places.map((): Round[] => [])
  for (let round = 0; round <= rounds; round += 1) {
    // Each is first in every second round.
    for (const index of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const [place, service] = [places[index], services[index]]
      if (!place || !service) continue
      const result = await measureRound(load, service, place.anvil)
      // The first round warms up.
      if (round > 0) measured[index]?.push(result)
    }
  }
  const shown = (of: (round: Round) => number) => measured.map((each) => median(each.map(of)))
  const [firstPages, deepPages] = [
    await measurePages(services, 'first', count),
    await measurePages(services.slice(1), 'deep', count),
  ]
  const memory = await Promise.all(services.map(({ pid }) => peakMemoryMb(pid)))
  for (const service of services) await service.stop()
  const retention = await measureRetentionOf(options, load, old)

  const among = ['none finished', `${count.toLocaleString('en-US')} finished`]
  const figures = (name: string, unit: string, of: readonly number[], aim?: string): Figure[] =>
    of.map((value, index) => ({
      name: `${name} among ${among[index]}`,
      value,
      unit,
      ...(index === 1 && { aim: aim ?? 'as among none' }),
    }))
  const rows = [
    { name: 'POST', unit: '/s', of: shown(({ posts: perSecond }) => perSecond) },
    { name: 'POST, processor time', unit: 'µs', of: shown(({ postMicros }) => postMicros) },
    { name: 'DELETE', unit: '/s', of: shown(({ deletes: perSecond }) => perSecond) },
    { name: 'DELETE, processor time', unit: 'µs', of: shown(({ deleteMicros }) => deleteMicros) },
    { name: 'bulk DELETE of 5,000', unit: 'ms', of: shown(({ bulkMs }) => bulkMs) },
    { name: 'first page, median', unit: 'ms', of: firstPages.map(({ medianMs }) => medianMs) },
    { name: 'first page, processor time', unit: 'ms', of: firstPages.map(({ processorMs }) => processorMs) },
  ]
  return [
    ...figures('start until ready', 's', startSeconds.map(median)),
    ...rows.flatMap(({ name, unit, of }) => figures(name, unit, of)),
    ...deepPages.flatMap(({ medianMs, slowestMs, processorMs }): Figure[] => [
      { name: `any page among ${among[1]}, processor time`, value: processorMs, unit: 'ms' },
      { name: `any page among ${among[1]}, median of ${pages}`, value: medianMs, unit: 'ms', aim: 'under 20' },
      { name: `any page among ${among[1]}, slowest of ${pages}`, value: slowestMs, unit: 'ms', aim: 'under 20' },
    ]),
    ...figures('peak memory', 'MB', memory, 'under 300'),
    ...retention,
  ]
}

async function openPlace(options: BenchOptions, opened: AsyncDisposableStack, finished: number): Promise<Place> {
  const { bavail, bsize } = await statfs(tmpdir())
  if (bavail * bsize < finished * bytesEach + bytesLeftMin) {
    throw new Error(`${tmpdir()} has not enough space for ${finished} rows; name fewer with --rows`)
  }
  const directory = await mkdtemp(join(tmpdir(), 'rescind-bench-'))
  opened.defer(() => rm(directory, { recursive: true, force: true }))
  const anvil = opened.use(await startAnvil({ mining: 'manual' }))
  const databaseUrl = await options.postgres?.database()
  const account = devAccount(0)
  const started = {
    directory,
    ...(databaseUrl !== undefined && { databaseUrl }),
    networks: [{ name: 'localhost', rpcUrls: [anvil.url], averageBlocktimeMs: 200 }],
    relayers: [{ id: 'bench', privateKey: account.key, policies: { max_in_flight: maxInFlight } }],
    profileName: `finished-${finished}`,
  } as const
  await finishOne(options, anvil, started)
  if (finished > 0) {
    // Old enough for retention, which the last measurement turns on.
    const age = `UPDATE transactions SET ended_at = ended_at - ${100 * 86_400_000}`
    if (options.postgres && databaseUrl !== undefined) {
      await options.postgres.query(age, new URL(databaseUrl).pathname.slice(1))
      await seedFinishedOnPostgres(options.postgres, databaseUrl, 'bench', finished)
    } else {
      const database = new Database(databasePath(directory))
      database.exec(age)
      database.close()
      seedFinished(databasePath(directory), 'bench', finished)
    }
    await anvil.rpc('anvil_setNonce', [account.address, `0x${finished.toString(16)}`])
  }
  return { directory, anvil, finished, started }
}

async function secondsToReady(options: BenchOptions, place: Place): Promise<number> {
  const began = performance.now()
  await using service = await startBenchService(options, place.started)
  const seconds = (performance.now() - began) / 1000
  await service.stop()
  return seconds
}

interface Round {
  /** A second. */
  readonly posts: number
  readonly deletes: number
  /** Of the service's processor, for each request. */
  readonly postMicros: number
  readonly deleteMicros: number
  readonly bulkMs: number
}

async function measureRound(load: Load, service: Service, anvil: Anvil): Promise<Round> {
  const target = targetOf(service, 'bench')
  const begun = await processorSeconds(service.pid)
  const sent = await load.run({ kind: 'post', target, connections, requests: posts })
  const between = await processorSeconds(service.pid)
  const canceled = await load.run({ kind: 'delete', target, connections, requests: deletes })
  const ended = await processorSeconds(service.pid)
  await until(async () => (await inPool(anvil)) === maxInFlight, { what: 'a full pool' })
  const bulk = await load.run({ kind: 'bulk', target })
  if (bulk.canceled !== posts - deletes) throw new Error(`the bulk DELETE took ${bulk.canceled} transactions`)
  await mineUntilEmpty(anvil)
  return {
    posts: posts / sent.seconds,
    deletes: deletes / canceled.seconds,
    postMicros: (1e6 * (between - begun)) / posts,
    deleteMicros: (1e6 * (ended - between)) / deletes,
    bulkMs: bulk.seconds * 1000,
  }
}

/** Without retention and with it, in turn. The two turns of a pair saw the same machine, and the share is the median of the pairs. */
async function measureRetentionOf(options: BenchOptions, load: Load, { started }: Place): Promise<Figure[]> {
  const rates: [kept: number[], removed: number[]] = [[], []]
  const micros: [kept: number[], removed: number[]] = [[], []]
  const gone: number[] = []
  for (let turn = 0; turn < turns; turn += 1) {
    for (const index of turn % 2 === 0 ? [0, 1] : [1, 0]) {
      const retention = index === 1 && { retention: { transactions_days: 8 } }
      await using service = await startBenchService(options, { ...started, ...retention })
      const target = targetOf(service, 'bench')
      await load.run({ kind: 'post', target, connections, requests: posts })
      const before = await finishedIn(service)
      const begun = await processorSeconds(service.pid)
      const { seconds } = await load.run({ kind: 'post', target, connections, requests: 2 * posts })
      rates[index]?.push((2 * posts) / seconds)
      micros[index]?.push((1e6 * ((await processorSeconds(service.pid)) - begun)) / (2 * posts))
      if (retention) gone.push((before - (await finishedIn(service))) / seconds)
      await load.run({ kind: 'bulk', target })
      await service.stop()
    }
  }
  const [kept, removed] = rates
  const [keptMicros, removedMicros] = micros
  const shares = kept.map((rate, turn) => (100 * (removed[turn] ?? 0)) / rate)
  // One thread does nearly all, so this is about the share on a machine without other work.
  const microsShares = keptMicros.map((each, turn) => (100 * each) / (removedMicros[turn] ?? Number.NaN))
  return [
    { name: 'POST among them, another run', value: median(kept), unit: '/s' },
    { name: '… while retention removes them', value: median(removed), unit: '/s' },
    { name: '… as a share, median of the pairs', value: median(shares), unit: '%', aim: '90 or more' },
    {
      name: '… processor time without, as a share of that with it',
      value: median(microsShares),
      unit: '%',
      aim: '90 or more',
    },
    { name: 'finished transactions removed meanwhile', value: median(gone), unit: '/s' },
  ]
}
