// JSON-RPC calls a second while 50 transactions wait on a chain of five blocks a second, those of one relayer, or one of each of 50: their
// cap is below the base fee, so they stay in the pool and nothing about them changes. Then one block takes all of them.
import { setTimeout as sleep } from 'node:timers/promises'
import { keccak256, toHex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { devAccount, startAnvil } from '../tooling/anvil.ts'
import { type Client, openClient, type TransactionView, until } from '../tooling/client.ts'
import { type BenchOptions, startBenchService } from './bench-service.ts'
import { startCallCounter } from './call-counter.ts'
import type { Figure } from './figure.ts'

const waiting = 50
const blockTimeMs = 200
const warmUpBlocks = 25
const blocks = 100
const capWei = 3_000_000_000
const baseFeeWei = 10_000_000_000

export async function measureWaiting(options: BenchOptions): Promise<Figure[]> {
  return [
    ...(await measureRow(options, 1, { name: `${waiting} transactions wait`, aim: '20 or less' })),
    ...(await measureRow(options, waiting, {
      name: `one transaction of each of ${waiting} relayers waits`,
      aim: '150 or less',
    })),
  ]
}

async function measureRow(
  options: BenchOptions,
  relayers: number,
  { name, aim }: { readonly name: string; readonly aim: string },
): Promise<Figure[]> {
  await using anvil = await startAnvil({ mining: 'manual' })
  await using counter = await startCallCounter(anvil.url)
  const keys = Array.from({ length: relayers }, (_, index) => keccak256(toHex(`waiting relayer ${index}`)))
  for (const key of keys) await anvil.rpc('anvil_setBalance', [privateKeyToAddress(key), toHex(10n ** 21n)])
  const ids = keys.map((_, index) => `bench-${index}`)
  await using service = await startBenchService(options, {
    profileName: `waiting-${relayers}`,
    networks: [{ name: 'localhost', rpcUrls: [counter.url], averageBlocktimeMs: blockTimeMs }],
    relayers: keys.map((privateKey, index) => ({
      id: ids[index] ?? '',
      privateKey,
      policies: { max_in_flight: waiting, gas_price_cap: capWei },
    })),
  })
  await using client = openClient(service.url, service.apiKey)
  const body = { to: devAccount(1).address, value: '1', data: '0x', gas_limit: 21_000, speed: 'average' }
  const sent = await Promise.all(
    Array.from({ length: waiting }, (_, index) => client.send(ids[index % relayers] ?? '', body)),
  )
  await until(async () => (await inPool(anvil.rpc)) === waiting, { what: 'all to be in the pool' })
  const mine = async (baseFee = baseFeeWei) => {
    const next = performance.now() + blockTimeMs
    await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [toHex(baseFee)])
    await anvil.mine()
    await sleep(Math.max(0, next - performance.now()))
  }
  for (let block = 0; block < warmUpBlocks; block += 1) await mine()
  counter.forget()
  const begun = performance.now()
  for (let block = 0; block < blocks; block += 1) await mine()
  const seconds = (performance.now() - begun) / 1_000
  const counts = [...counter.counts()].sort(([, one], [, other]) => other - one)
  const confirmedMs = await timeToConfirm(client, sent, () => mine(capWei / 2))
  await service.stop()
  const calls = counts.reduce((sum, [, count]) => sum + count, 0)
  return [
    {
      name: `JSON-RPC calls while ${name}, a block each ${blockTimeMs} ms`,
      value: calls / seconds,
      unit: 'calls/s',
      aim,
    },
    ...counts.map(([method, count]) => ({ name: `  ${method}`, value: count / seconds, unit: 'calls/s' })),
    {
      name: '  … from the block that takes them until half are confirmed',
      value: confirmedMs[waiting >> 1] ?? 0,
      unit: 'ms',
    },
    { name: '  … until all are confirmed', value: confirmedMs.at(-1) ?? 0, unit: 'ms' },
  ]
}

/** Mines block after block, and returns when each, and those before it, were confirmed, in milliseconds after the first block. */
async function timeToConfirm(
  client: Client,
  sent: readonly TransactionView[],
  mine: () => Promise<void>,
): Promise<readonly number[]> {
  const begun = performance.now()
  let isOver = false
  const mining = (async () => {
    while (!isOver) await mine()
  })()
  const took: number[] = []
  for (const { relayer_id, id } of sent) {
    const isConfirmed = async () => (await client.get(relayer_id, id)).confirmed_at !== undefined
    await until(isConfirmed, { what: 'each to be confirmed', everyMs: 10 })
    took.push(performance.now() - begun)
  }
  isOver = true
  await mining
  return took
}

async function inPool(rpc: <T>(method: string) => Promise<T>): Promise<number> {
  return Number((await rpc<{ pending: string }>('txpool_status')).pending)
}
