// A node of one network that answers each call with 31 MiB, beside one that answers well: the time of a health check, and of
// a cancellation of the other network, with and without it.
import { setTimeout as sleep } from 'node:timers/promises'
import { devAccount, startAnvil } from '../tooling/anvil.ts'
import { openClient, until } from '../tooling/client.ts'
import { startLyingNode } from '../tooling/lying-node.ts'
import { type BenchOptions, startBenchService } from './bench-service.ts'
import type { Figure } from './figure.ts'

const checks = 200
const everyMs = 40
const heapMib = 512
const body = `{"jsonrpc":"2.0","id":1,"result":"${'x'.repeat(31 * 1024 * 1024)}"}`

export async function measureHostile(options: BenchOptions): Promise<Figure[]> {
  const without = await measureRun(options, 'answers well')
  const beside = await measureRun(options, 'answers with 31 MiB')
  return [
    { name: 'health p99, all nodes answer well', value: without.p99Ms, unit: 'ms' },
    {
      name: 'health p99, a node of one network answers with 31 MiB',
      value: beside.p99Ms,
      unit: 'ms',
      aim: `under ${Math.round(without.p99Ms) + 250}`,
    },
    { name: '  answers of 31 MiB meanwhile', value: beside.answers, unit: 'answers' },
    { name: '  cancellations of the other network meanwhile', value: beside.canceled, unit: 'cancellations' },
    { name: '  and without it', value: without.canceled, unit: 'cancellations' },
  ]
}

async function measureRun(options: BenchOptions, how: 'answers well' | 'answers with 31 MiB') {
  await using quiet = await startAnvil({ mining: 'manual' })
  await using behind = await startAnvil({ mining: { intervalMs: 400 } })
  await using liar = await startLyingNode(behind.url)
  if (how === 'answers with 31 MiB') liar.bend(() => ({ do: 'say', body }))
  await using service = await startBenchService(options, {
    profileName: how === 'answers well' ? 'beside-a-quiet-node' : 'beside-a-hostile-node',
    networks: [
      { name: 'hostile', rpcUrls: [liar.url], averageBlocktimeMs: 400 },
      { name: 'quiet', rpcUrls: [quiet.url], averageBlocktimeMs: 400 },
    ],
    relayers: [
      { id: 'victim', privateKey: devAccount(0).key, network: 'hostile' },
      { id: 'other', privateKey: devAccount(1).key, network: 'quiet' },
    ],
    nodeArguments: [`--max-old-space-size=${heapMib}`],
  })
  await using client = openClient(service.url, service.apiKey)
  const payment = { to: devAccount(2).address, value: '1', gas_limit: 21_000, speed: 'average' }
  const over = new AbortController()
  let canceled = 0
  const canceling = (async () => {
    while (!over.signal.aborted) {
      const { id } = await client.send('other', payment)
      await client.cancel('other', id)
      await until(
        async () => {
          await quiet.mine()
          return (await client.cancellation('other', id)).final
        },
        { what: 'a cancellation to end' },
      )
      canceled += 1
    }
  })()
  // Both runs read the network as often.
  const reading = (async () => {
    while (!over.signal.aborted) await client.request('GET', '/relayers/victim/balance')
  })()
  await client.send('victim', payment)
  const timesMs: number[] = []
  for (let check = 0; check < checks; check += 1) {
    const began = performance.now()
    await (await fetch(`${service.url}/api/v1/health`)).text()
    timesMs.push(performance.now() - began)
    await sleep(everyMs)
  }
  over.abort()
  await Promise.all([canceling, reading])
  const answers = liar.lies()
  await service.stop()
  const p99Ms = timesMs.toSorted((one, other) => one - other)[Math.floor(checks * 0.99)] ?? Number.NaN
  return { p99Ms, answers, canceled }
}
