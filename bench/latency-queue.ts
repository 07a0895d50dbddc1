// How many transactions of a queue that does not end are mined a second, and what one cycle of it reads.
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../tooling/client.ts'
import type { Leaving } from './far-node.ts'
import type { Figure } from './figure.ts'
import { countOf, inWords, type Place, postMany, type Row } from './latency-place.ts'
import { median } from './median.ts'

const windows = 20
const limitMs = 45_000
/** Where the service finds its window out by itself, which takes it some rounds. Windows of far nodes come seldom, and several have to. */
const usualMs = ({ roundTripMs }: Row) => Math.max(15_000, 30 * roundTripMs)
const growsMs = ({ roundTripMs }: Row) => Math.max(30_000, 45 * roundTripMs)
const queued = 2_000

export async function measureQueue(place: Place): Promise<Figure[]> {
  const { row, node, maxInFlight } = place
  const over = new AbortController()
  const warm = maxInFlight ?? 32
  const load = keepQueued(place, over.signal)
  await until(async () => (await countOf(place.anvil, 'latest')) >= warm, {
    everyMs: 50,
    limitMs: 60_000,
    what: 'a window to be mined',
  })
  if (maxInFlight === undefined) await sleep(growsMs(row))
  const [first, begun, from] = [await countOf(place.anvil, 'latest'), performance.now(), node.requests.length]
  const isOver = async () => {
    if (performance.now() - begun >= (maxInFlight === undefined ? usualMs(row) : limitMs)) return true
    return maxInFlight !== undefined && (await countOf(place.anvil, 'latest')) - first >= windows * maxInFlight
  }
  await until(isOver, { everyMs: 50, limitMs: 2 * limitMs, what: 'the windows to be mined' })
  const [mined, seconds] = [(await countOf(place.anvil, 'latest')) - first, (performance.now() - begun) / 1_000]
  const requests = node.requests.slice(from)
  over.abort()
  await load
  const cycles = cyclesOf(requests)
  const calls = requests.flatMap(({ methods }) => methods)
  const window = maxInFlight === undefined ? 'the usual window' : `${maxInFlight} in flight`
  return [
    { name: `${inWords(row)}, ${window}: mined a second`, value: mined / seconds, unit: 'transactions' },
    ...(maxInFlight === undefined ? [] : [windowsOf(mined / maxInFlight)]),
    { name: '  a cycle', value: median(cycles.map(({ ms }) => ms)), unit: 'ms' },
    { name: '  JSON-RPC calls for each', value: calls.length / mined, unit: 'calls' },
    callsOf(cycles[cycles.length >> 1]?.requests ?? []),
  ]
}

function windowsOf(value: number): Figure {
  return { name: '  … windows meanwhile', value, unit: 'windows' }
}

/** All calls of one cycle, by method. */
function callsOf(requests: readonly Leaving[]): Figure {
  const counts = new Map<string, number>()
  const methods = requests.flatMap((each) => each.methods)
  for (const method of methods) counts.set(method, (counts.get(method) ?? 0) + 1)
  const inWords = [...counts].map(([method, count]) => `${count} ${method}`).join(', ')
  return { name: `  JSON-RPC calls of one cycle (${inWords})`, value: methods.length, unit: 'calls' }
}

interface Cycle {
  readonly ms: number
  readonly requests: readonly Leaving[]
}

/** A cycle begins with the first broadcasts after a look at a block, which reads the fees. */
function cyclesOf(requests: readonly Leaving[]): Cycle[] {
  const cycles: Cycle[] = []
  let current: Leaving[] = []
  let hasLooked = true
  for (const each of requests) {
    const [first] = current
    if (each.raws.length > 0 && hasLooked) {
      if (first) cycles.push({ ms: each.atMs - first.atMs, requests: current })
      current = [each]
      hasLooked = false
      continue
    }
    if (first) current.push(each)
    if (each.methods.includes('eth_feeHistory')) hasLooked = true
  }
  return cycles
}

async function keepQueued(place: Place, over: AbortSignal): Promise<void> {
  let posted = 0
  while (!over.aborted) {
    const missing = queued - (posted - (await countOf(place.anvil, 'latest')))
    if (missing >= 200) {
      await postMany(place, missing)
      posted += missing
    }
    await sleep(100)
  }
}
