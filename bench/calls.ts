// JSON-RPC calls for each confirmed transaction: 1,000 of them over 50 blocks that come at the network's own pace.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Anvil, devAccount, startAnvil } from '../tooling/anvil.ts'
import { type Client, openClient, until } from '../tooling/client.ts'
import { type CallRow, callAim } from './aims.ts'
import { type BenchOptions, startBenchService } from './bench-service.ts'
import { type CallCounter, startCallCounter } from './call-counter.ts'
import type { Figure } from './figure.ts'

const transactions = 1_000
const blocks = 50
const perBlock = transactions / blocks
const blockTimeMs = 400

interface Run {
  readonly name: string
  readonly relayers: number
  /** Absent: the service has to find it out. */
  readonly gasLimit?: number
  readonly row: CallRow
  /** The default is one. */
  readonly endpoints?: number
  readonly unserved?: readonly string[]
  /** Required ones; the last endpoint is a block behind. The default is one. */
  readonly confirmations?: number
}

const runs: readonly Run[] = [
  {
    name: '1 relayer',
    relayers: 1,
    gasLimit: 21_000,
    row: 'JSON-RPC calls per confirmed transaction, 1,000 over 50 blocks, one relayer, one endpoint',
  },
  {
    name: '1 relayer, three endpoints',
    relayers: 1,
    gasLimit: 21_000,
    endpoints: 3,
    row: '… three endpoints, with two witnesses of each block',
  },
  {
    name: '1 relayer, three endpoints that read no receipts by block',
    relayers: 1,
    gasLimit: 21_000,
    endpoints: 3,
    unserved: ['eth_getBlockReceipts'],
    row: '… three endpoints without `eth_getBlockReceipts`',
  },
  {
    name: '1 relayer, three endpoints, 12 confirmations, one endpoint a block behind',
    relayers: 1,
    gasLimit: 21_000,
    endpoints: 3,
    confirmations: 12,
    row: '… three endpoints, 12 confirmations, one endpoint a block behind',
  },
  {
    name: '1 relayer, gas limit left to the service',
    relayers: 1,
    row: '… one endpoint, if the service estimates the gas limit',
  },
  { name: '5 relayers', relayers: 5, gasLimit: 21_000, row: '… one endpoint, five relayers' },
]

export async function measureCalls(options: BenchOptions): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const run of runs) figures.push(...(await measureRun(options, run)))
  return figures
}

async function measureRun(options: BenchOptions, run: Run): Promise<Figure[]> {
  await using anvil = await startAnvil({ mining: 'manual' })
  await using stack = new AsyncDisposableStack()
  const counters: CallCounter[] = []
  for (let endpoint = 0; endpoint < (run.endpoints ?? 1); endpoint += 1) {
    counters.push(
      stack.use(
        await startCallCounter(anvil.url, {
          unserved: run.unserved,
          isOneBehind: run.confirmations !== undefined && endpoint === 2,
        }),
      ),
    )
  }
  const ids = Array.from({ length: run.relayers }, (_, index) => `bench-${index}`)
  await using service = await startBenchService(options, {
    profileName: `calls-${run.name.replace(/\W+/g, '-')}`,
    networks: [
      {
        ...{ name: 'localhost', rpcUrls: counters.map(({ url }) => url) },
        ...{ requiredConfirmations: run.confirmations ?? 1, averageBlocktimeMs: blockTimeMs },
      },
    ],
    relayers: ids.map((id, index) => ({
      id,
      privateKey: devAccount(index).key,
      policies: { max_in_flight: perBlock / run.relayers },
    })),
  })
  await using client = openClient(service.url, service.apiKey)
  await sendAll(client, ids, run)
  let nextBlockAt = performance.now()
  for (let block = 0; block < blocks; block++) {
    await until(async () => (await inPool(anvil)) === perBlock, { what: `block ${block} to be full in the pool` })
    await sleep(Math.max(0, nextBlockAt - performance.now()))
    await anvil.mine()
    nextBlockAt = performance.now() + blockTimeMs
  }
  for (let block = 1; block < (run.confirmations ?? 1); block++) {
    await sleep(blockTimeMs)
    await anvil.mine()
  }
  await until(async () => (await confirmed(client, ids)) === transactions, { everyMs: 50, what: 'all to be confirmed' })

  const byMethod = new Map<string, number>()
  for (const [method, count] of counters.flatMap((each) => [...each.counts()])) {
    byMethod.set(method, (byMethod.get(method) ?? 0) + count)
  }
  const counts = [...byMethod].sort(([, one], [, other]) => other - one)
  const calls = counts.reduce((sum, [, count]) => sum + count, 0)
  const requests = counters.reduce((sum, each) => sum + each.httpRequests(), 0)
  await service.stop()
  const name = `JSON-RPC calls per confirmed transaction, ${run.name}`
  return [
    { name, value: calls / transactions, unit: 'calls', aim: callAim(run.row) },
    ...counts.map(([method, count]) => ({ name: `  ${method}`, value: count / transactions, unit: 'calls' })),
    { name: '  HTTP requests that carried them', value: requests / transactions, unit: 'requests' },
  ]
}

async function sendAll(client: Client, ids: readonly string[], run: Run): Promise<void> {
  const to = devAccount(9).address
  const gas = run.gasLimit === undefined ? {} : { gas_limit: run.gasLimit }
  for (let sent = 0; sent < transactions; sent += 50) {
    const senders = Array.from({ length: 50 }, (_, index) => ids[(sent + index) % ids.length] ?? '')
    await Promise.all(senders.map((id) => client.send(id, { to, value: '1', data: '0x', speed: 'average', ...gas })))
  }
}

/** As the API counts them. */
async function confirmed(client: Client, ids: readonly string[]): Promise<number> {
  let total = 0
  for (const id of ids) {
    const answer = await client.request('GET', `/relayers/${id}/transactions?status=confirmed&per_page=1`)
    total += (answer.body as { pagination: { total_items: number } }).pagination.total_items
  }
  return total
}

async function inPool(anvil: Anvil): Promise<number> {
  return Number((await anvil.rpc<{ pending: string }>('txpool_status')).pending)
}
