// From a request of a client until its bytes leave for a node that is far away.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Figure } from './figure.ts'
import { inWords, isNoOp, type Place, payment, postMany, relayer, untilIdle, untilLeft } from './latency-place.ts'
import { median } from './median.ts'

const idleTurns = 3
const busyTurns = 3
const bulk = 200
const seldomMs = 60_000

export async function measureDelays(place: Place): Promise<Figure[]> {
  const { row } = place
  const postsMs: number[] = []
  const deletesMs: number[] = []
  for (let turn = -1; turn < idleTurns; turn += 1) {
    const { postMs, deleteMs } = await measureIdle(place)
    // The first pays for what the service learns once.
    if (turn < 0) continue
    postsMs.push(postMs)
    deletesMs.push(deleteMs)
  }
  const busy = await measureBusy(place)
  const pendingMs = await measurePending(place)
  const of = (name: string, value: number): Figure => ({ name: `  ${name}`, value, unit: 'ms' })
  return [
    { name: `${inWords(row)}: from POST until the broadcast, idle`, value: median(postsMs), unit: 'ms' },
    of('… busy', median(busy.postsMs)),
    of('from DELETE until the broadcast, idle', median(deletesMs)),
    of('… busy', median(busy.deletesMs)),
    of(`… …/pending of ${bulk} in flight, until the last`, pendingMs),
  ]
}

/** One payload that no block takes, and its cancellation, with nothing else to do. */
async function measureIdle(place: Place): Promise<{ postMs: number; deleteMs: number }> {
  const { client, node, row } = place
  await untilIdle(place)
  // The next block shows that nothing is left to do, and the head is old then. On fast blocks one look still reads all since.
  await sleep(row.blocktimeMs < 1_000 ? 2_500 : Math.max(7_000, 1.5 * row.blocktimeMs))
  node.keepBack((each) => !isNoOp(each))
  const postedAt = performance.now()
  const { id } = await client.send(relayer, payment())
  const postMs = (await untilLeft(place, postedAt, (each) => !isNoOp(each))) - postedAt
  await sleep(1_000 + 2 * row.roundTripMs)
  const deletedAt = performance.now()
  await client.cancel(relayer, id)
  const deleteMs = (await untilLeft(place, deletedAt, isNoOp)) - deletedAt
  node.keepBack(undefined)
  return { postMs, deleteMs }
}

/** Beside a steady load. */
async function measureBusy(place: Place): Promise<{ postsMs: number[]; deletesMs: number[] }> {
  const { client, node, row } = place
  const over = new AbortController()
  const load = (async () => {
    while (!over.signal.aborted) {
      await client.send(relayer, payment())
      await sleep(row.blocktimeMs < 1_000 ? 100 : 500)
    }
  })()
  const marked = (value: number) => (each: { readonly value: bigint }) => each.value === BigInt(value)
  const postsMs: number[] = []
  const deletesMs: number[] = []
  await sleep(2_000)
  for (let turn = 0; turn < busyTurns; turn += 1) {
    const isOurs = marked(1_000 + turn)
    const postedAt = performance.now()
    await client.send(relayer, payment(1_000 + turn))
    postsMs.push((await untilLeft(place, postedAt, isOurs)) - postedAt)
    await sleep(137)
  }
  for (let turn = 0; turn < busyTurns; turn += 1) {
    const isOurs = marked(2_000 + turn)
    node.keepBack(isOurs)
    const postedAt = performance.now()
    const { id } = await client.send(relayer, payment(2_000 + turn))
    await untilLeft(place, postedAt, isOurs)
    await sleep(row.roundTripMs + 137 * (turn + 1))
    const deletedAt = performance.now()
    await client.cancel(relayer, id)
    deletesMs.push((await untilLeft(place, deletedAt, isNoOp)) - deletedAt)
  }
  node.keepBack(undefined)
  over.abort()
  await load
  return { postsMs, deletesMs }
}

async function measurePending(place: Place): Promise<number> {
  const { client, node, row } = place
  await untilIdle(place)
  node.keepBack((each) => !isNoOp(each))
  const postedAt = performance.now()
  await postMany(place, bulk)
  await untilLeft(place, postedAt, (each) => !isNoOp(each), bulk)
  await sleep(1_000 + 2 * row.roundTripMs)
  const deletedAt = performance.now()
  await client.cancelPending(relayer)
  const leftAt = await untilLeft(place, deletedAt, isNoOp, bulk)
  node.keepBack(undefined)
  return leftAt - deletedAt
}

/** The calls of one transaction a minute, with all that the service reads until the minute is over. */
export async function measureSeldom(place: Place): Promise<Figure[]> {
  const { client, node } = place
  await untilIdle(place)
  await sleep(7_000)
  const before = node.requests.length
  await client.send(relayer, payment())
  await sleep(seldomMs)
  const calls = node.requests.slice(before).flatMap(({ methods }) => methods)
  return [{ name: '  JSON-RPC calls for one transaction a minute', value: calls.length, unit: 'calls' }]
}
