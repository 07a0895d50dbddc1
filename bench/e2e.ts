// From POST to confirmed, on a chain with room: a burst and a steady load, for some relayers and blocks. The processor time of a
// transaction is that of the service, of the chain beside it, and of the load. Statements are counted in runs of their own, as
// counting takes time.
import { setTimeout as sleep } from 'node:timers/promises'
import { keccak256, toHex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import type { Hex } from '../src/domain/ids.ts'
import { type Anvil, devAccount, startAnvil } from '../tooling/anvil.ts'
import { type Client, openClient, until } from '../tooling/client.ts'
import type { ServiceOptions } from '../tooling/service.ts'
import { startBareProcess } from './bare-process.ts'
import type { RelayJob } from './bare-relay.ts'
import { type BenchOptions, startBenchService } from './bench-service.ts'
import type { Figure } from './figure.ts'
import { peakMemoryMb } from './memory.ts'
import { processorSeconds } from './processor-time.ts'
import { countingInto, openCounts, type WorkCounts } from './read-counts.ts'

const blockGas = 300_000_000
const maxInFlight = 1_000
const burst = { transactions: 10_000, inBatch: 500 }
const steady = { perSecond: 400, seconds: 10, everyMs: 50 }
const steadyAtOnce = (steady.perSecond * steady.everyMs) / 1_000

interface Run {
  readonly load: 'burst' | 'steady'
  readonly relayers: number
  readonly blocktimeMs: number
}

export async function measureEndToEnd(options: BenchOptions): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const load of ['burst', 'steady'] as const) {
    for (const relayers of [1, 10, 100]) {
      for (const blocktimeMs of [200, 1_000])
        figures.push(...(await measureRun(options, { load, relayers, blocktimeMs })))
    }
  }
  return figures
}

export async function measureCounts(options: BenchOptions): Promise<Figure[]> {
  const run = { relayers: 10, blocktimeMs: 1_000 }
  return [
    ...(await countRun(options, { load: 'burst', ...run })),
    ...(await countRun(options, { load: 'steady', ...run })),
  ]
}

async function measureRun(options: BenchOptions, run: Run): Promise<Figure[]> {
  await using place = await openPlace(options, run)
  const { service, keys } = place
  const pids = { service: service.pid, chain: place.chain.pid, load: process.pid }
  const before = await usageOf(pids)
  const begun = performance.now()
  const sent = await place.sendAll()
  const seconds = (performance.now() - begun) / 1_000
  const after = await usageOf(pids)
  const memoryMb = await peakMemoryMb(service.pid)
  await service.stop()
  const bareMicros = await measureBare(keys, run)
  const micros = (of: keyof Usage) => ((after[of] - before[of]) / sent) * 1e6
  const aim = { aim: '250 or less' }
  return [
    { name: `${nameOf(run, sent)}: confirmed each second`, value: sent / seconds, unit: 'transactions' },
    { name: '  … processor time of the service for each', value: micros('service'), unit: 'µs', ...aim },
    { name: '  … of the bare loop', value: bareMicros, unit: 'µs' },
    {
      name: "  … the bare loop's as a share of the service's",
      value: (100 * bareMicros) / micros('service'),
      unit: '%',
    },
    { name: '  … of the chain beside it', value: micros('chain'), unit: 'µs' },
    { name: '  … of the load', value: micros('load'), unit: 'µs' },
    { name: '  … peak memory of the service', value: memoryMb, unit: 'MB', aim: 'under 300' },
  ]
}

/** What each transaction asks of the database, from its POST until it is confirmed. */
async function countRun(options: BenchOptions, run: Run): Promise<Figure[]> {
  const databaseUrl = await options.postgres?.database()
  const name = databaseUrl === undefined ? undefined : new URL(databaseUrl).pathname.slice(1)
  await using counting = await openCounts(options.postgres, name)
  const changes = { ...countingInto(counting.file), ...(databaseUrl !== undefined && { databaseUrl }) }
  await using place = await openPlace(options, run, changes)
  const before = await counting.read(place.service)
  const sent = await place.sendAll()
  const after = await counting.read(place.service)
  const forEach = (name: string, unit: string, count: (counts: WorkCounts) => number): Figure => ({
    ...{ name, unit, value: (count(after) - count(before)) / sent },
  })
  return [
    forEach(`${nameOf(run, sent)}: statements for each`, 'statements', ({ statements }) => statements),
    ...Object.keys(after.byVerb)
      .sort()
      .map((verb) => forEach(`  … ${verb}`, 'statements', ({ byVerb }) => byVerb[verb] ?? 0)),
    forEach('  … rows written', 'rows', ({ rows }) => rows),
    forEach('  … syncs of the log', 'syncs', ({ syncs }) => syncs),
    forEach('  … write calls of the log', 'calls', ({ writes }) => writes),
    forEach('  … bytes of the log', 'bytes', ({ logBytes }) => logBytes),
    forEach('  … updates of transactions and attempts', 'updates', ({ updates }) => updates),
    forEach('  … those that wrote into no index', 'updates', ({ hotUpdates }) => hotUpdates),
  ]
}

function nameOf({ load, relayers, blocktimeMs }: Run, sent: number): string {
  return `${load} of ${sent.toLocaleString('en-US')}, relayers: ${relayers}, blocks of ${blocktimeMs} ms`
}

/** A service over a chain of its own, whose load is not sent yet. */
async function openPlace(
  options: BenchOptions,
  { load, relayers, blocktimeMs }: Run,
  changes: Partial<ServiceOptions> & { readonly databaseUrl?: string } = {},
) {
  await using opened = new AsyncDisposableStack()
  const keys = Array.from({ length: relayers }, (_, index) => keccak256(toHex(`bench relayer ${index}`)))
  const chain = opened.use(await startChain(keys, blocktimeMs))
  const ids = keys.map((_, index) => `bench-${index}`)
  const service = opened.use(
    await startBenchService(options, {
      profileName: `e2e-${load}-${relayers}-${blocktimeMs}`,
      networks: [
        { name: 'localhost', rpcUrls: [chain.url], requiredConfirmations: 1, averageBlocktimeMs: blocktimeMs },
      ],
      relayers: keys.map((privateKey, index) => ({
        id: ids[index] ?? '',
        privateKey,
        policies: { max_in_flight: maxInFlight },
      })),
      ...changes,
    }),
  )
  const client = opened.use(openClient(service.url, service.apiKey))
  const everything = opened.move()
  return {
    ...{ keys, chain, service },
    /** Returns how many were sent, when all of them are confirmed. */
    async sendAll(): Promise<number> {
      const sent = load === 'burst' ? await sendBurst(client, ids) : await sendSteadily(client, ids)
      await untilConfirmed(client, ids, sent)
      return sent
    },
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  }
}

async function startChain(keys: readonly Hex[], blocktimeMs: number): Promise<Anvil> {
  const anvil = await startAnvil({ mining: { intervalMs: blocktimeMs }, blockGas })
  for (const key of keys) await anvil.rpc('anvil_setBalance', [privateKeyToAddress(key), toHex(10n ** 21n)])
  return anvil
}

/** As many transactions at the same pace, to a chain of its own. */
async function measureBare(keys: readonly Hex[], { load, blocktimeMs }: Run): Promise<number> {
  await using anvil = await startChain(keys, blocktimeMs)
  const pace =
    load === 'burst'
      ? { transactions: burst.transactions, atOnce: burst.inBatch, everyMs: 0 }
      : { transactions: steady.perSecond * steady.seconds, atOnce: steadyAtOnce, everyMs: steady.everyMs }
  const { url, chainId } = anvil
  return await measureBareSends({ url, chainId, blocktimeMs, to: payment.to, keys, ...pace })
}

interface Usage {
  readonly service: number
  readonly chain: number
  readonly load: number
}

async function usageOf({ service, chain, load }: Usage): Promise<Usage> {
  const [ofService, ofChain, ofLoad] = await Promise.all([service, chain, load].map(processorSeconds))
  return { service: ofService ?? 0, chain: ofChain ?? 0, load: ofLoad ?? 0 }
}

const payment = { to: devAccount(1).address, value: '1', data: '0x', gas_limit: 21_000, speed: 'average' }

async function sendBatch(client: Client, relayer: string, count: number): Promise<void> {
  const transactions = Array.from({ length: count }, () => payment)
  const { status } = await client.request('POST', `/relayers/${relayer}/transactions/batch`, { body: { transactions } })
  if (status !== 200) throw new Error(`a batch was answered with ${status}`)
}

async function sendBurst(client: Client, ids: readonly string[]): Promise<number> {
  const ofEach = burst.transactions / ids.length
  for (let left = ofEach; left > 0; left -= burst.inBatch) {
    await Promise.all(ids.map((id) => sendBatch(client, id, Math.min(left, burst.inBatch))))
  }
  return burst.transactions
}

/** Each send is a request of its own, to the relayers in turn. */
async function sendSteadily(client: Client, ids: readonly string[]): Promise<number> {
  const begun = performance.now()
  let sent = 0
  for (let turn = 0; turn < (steady.seconds * 1_000) / steady.everyMs; turn += 1) {
    await sleep(Math.max(0, begun + turn * steady.everyMs - performance.now()))
    const relayers = Array.from({ length: steadyAtOnce }, (_, index) => ids[(sent + index) % ids.length] ?? '')
    await Promise.all(relayers.map((relayer) => client.send(relayer, payment)))
    sent += steadyAtOnce
  }
  return sent
}

/** One relayer after the other, so that the bench adds few requests. */
async function untilConfirmed(client: Client, ids: readonly string[], sent: number): Promise<void> {
  for (const relayer of ids) {
    const isConfirmed = async () => {
      const { body } = await client.request('GET', `/relayers/${relayer}/transactions?per_page=1&status=confirmed`)
      const { total_items: confirmed } = (body as { pagination: { total_items: number } }).pagination
      return confirmed >= sent / ids.length
    }
    await until(isConfirmed, { everyMs: 100, limitMs: 600_000, what: `all of ${relayer} to be confirmed` })
  }
}

/** The limit beside a confirmed transaction: a bare loop signs, records and sends as many. Returns its microseconds a transaction. */
async function measureBareSends(job: RelayJob): Promise<number> {
  await using bare = await startBareProcess('./bare-relay.ts')
  await bare.message()
  const begun = await processorSeconds(bare.pid)
  bare.send(job)
  await bare.message()
  return (1e6 * ((await processorSeconds(bare.pid)) - begun)) / job.transactions
}
