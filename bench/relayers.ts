// JSON-RPC calls for each confirmed transaction where many relayers share a network: what each relayer has to read for
// itself is spread over the fewer transactions, the more relayers there are.
import { setTimeout as sleep } from 'node:timers/promises'
import { keccak256, toHex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { type Anvil, devAccount, startAnvil } from '../tooling/anvil.ts'
import { type Client, openClient, until } from '../tooling/client.ts'
import { type CallRow, callAim } from './aims.ts'
import { type BenchOptions, startBenchService } from './bench-service.ts'
import { type CallCounter, startCallCounter } from './call-counter.ts'
import type { Figure } from './figure.ts'

const transactions = 1_000
const blockTimeMs = 400

interface Run {
  readonly relayers: number
  /** Sent before each block, by the relayers in turn; or all at the start. */
  readonly perBlock: number
  /** Killed with one of each relayer in flight and the others behind it: counted from there on. */
  readonly killed?: true
  /** Absent: docs/benchmarks.md has none. */
  readonly row?: CallRow
}

const spread = 20
const runs: readonly Run[] = [
  { relayers: 1, perBlock: spread },
  { relayers: 50, perBlock: spread, row: '… 50 relayers, one after the other, 20 a block' },
  { relayers: 500, perBlock: spread, row: '… 500 relayers, one after the other, 20 a block' },
  { relayers: 50, perBlock: transactions },
  { relayers: 500, perBlock: transactions, row: '… 500 relayers, their transactions all at once' },
  {
    relayers: 500,
    perBlock: transactions,
    killed: true,
    row: '… 500 relayers with two transactions each, one in flight and one in the queue, counted after a `kill -9`; half of the sends came before it',
  },
]

export async function measureRelayers(options: BenchOptions): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const run of runs) figures.push(...(await measureRun(options, run)))
  return figures
}

async function measureRun(options: BenchOptions, { relayers, perBlock, killed, row }: Run): Promise<Figure[]> {
  await using anvil = await startAnvil({ mining: 'manual' })
  await using counter = await startCallCounter(anvil.url)
  const keys = Array.from({ length: relayers }, (_, index) => keccak256(toHex(`bench relayer ${index}`)))
  for (const key of keys) await anvil.rpc('anvil_setBalance', [privateKeyToAddress(key), toHex(10n ** 21n)])
  const ids = keys.map((_, index) => `bench-${index}`)
  await using service = await startBenchService(options, {
    profileName: `relayers-${relayers}-${perBlock}${killed ? '-killed' : ''}`,
    networks: [
      { name: 'localhost', rpcUrls: [counter.url], requiredConfirmations: 1, averageBlocktimeMs: blockTimeMs },
    ],
    relayers: keys.map((privateKey, index) => ({
      id: ids[index] ?? '',
      privateKey,
      policies: { max_in_flight: killed ? 1 : Math.max(perBlock, spread) },
    })),
  })
  await using client = openClient(service.url, service.apiKey)
  const ofStart = await untilQuiet(counter)
  counter.forget()
  const sent: { relayer: string; id: string }[] = []
  let nextBlockAt = performance.now()
  while (sent.length < transactions) {
    const inTurn = Array.from({ length: perBlock }, (_, index) => ids[(sent.length + index) % relayers] ?? '')
    sent.push(...(await sendEvenly(client, inTurn)))
    const inFlight = killed ? relayers : perBlock
    const isFull = async () => (await inPool(anvil)) === inFlight
    await until(isFull, { what: `${inFlight} in the pool` })
    if (killed) {
      await service.kill9()
      counter.forget()
      await service.restart()
    }
    for (let left = perBlock; left > 0; left -= inFlight) {
      await until(isFull, { what: `${inFlight} in the pool` })
      await sleep(Math.max(0, nextBlockAt - performance.now()))
      await anvil.mine()
      nextBlockAt = performance.now() + blockTimeMs
    }
  }
  for (const { relayer, id } of sent) {
    const isConfirmed = async () => (await client.get(relayer, id)).status === 'confirmed'
    await until(isConfirmed, { everyMs: 50, what: `${id} to be confirmed` })
  }

  const counts = [...counter.counts()].sort(([, one], [, other]) => other - one)
  const calls = counts.reduce((sum, [, count]) => sum + count, 0)
  const requests = counter.httpRequests()
  await service.stop()
  const sentAs = perBlock === transactions ? 'all at once' : `${perBlock} a block, by the relayers in turn`
  const pace = killed ? 'after kill -9 with half of them in flight' : sentAs
  return [
    {
      name: `JSON-RPC calls per confirmed transaction, ${relayers} relayer${relayers === 1 ? '' : 's'}, ${pace}`,
      value: calls / transactions,
      unit: 'calls',
      ...(row !== undefined && { aim: callAim(row) }),
    },
    ...counts.map(([method, count]) => ({ name: `  ${method}`, value: count / transactions, unit: 'calls' })),
    { name: '  HTTP requests that carried them', value: requests / transactions, unit: 'requests' },
    { name: '  calls of the start before, for each relayer', value: ofStart / relayers, unit: 'calls' },
  ]
}

/** The calls so far, once a second brings no more: a start looks at each relayer's account. */
async function untilQuiet(counter: CallCounter): Promise<number> {
  const calls = () => [...counter.counts().values()].reduce((sum, each) => sum + each, 0)
  for (let before = -1; before !== calls(); await sleep(1_500)) before = calls()
  return calls()
}

/** Over three quarters of a block's time: what comes at another moment of it meets another state of the head. */
async function sendEvenly(client: Client, relayers: readonly string[]): Promise<{ relayer: string; id: string }[]> {
  const to = devAccount(9).address
  const gapMs = (0.75 * blockTimeMs) / relayers.length
  return Promise.all(
    relayers.map(async (relayer, index) => {
      await sleep(gapMs * index)
      const { id } = await client.send(relayer, { to, value: '1', gas_limit: 21_000, speed: 'average' })
      return { relayer, id }
    }),
  )
}

async function inPool(anvil: Anvil): Promise<number> {
  return Number((await anvil.rpc<{ pending: string }>('txpool_status')).pending)
}
