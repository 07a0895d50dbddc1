// How the distance to the node shows: the service on anvil behind a proxy that delays, for some round trips and block times. From a
// request of a client until its bytes leave, and how many transactions of a long queue are mined.
import type { BenchOptions } from './bench-service.ts'
import { measureFarReceiver } from './far-receiver.ts'
import type { Figure } from './figure.ts'
import { measureDelays, measureSeldom } from './latency-delays.ts'
import { openPlace, type Row, rowName } from './latency-place.ts'
import { measureQueue } from './latency-queue.ts'

const roundTripsMs = [0, 50, 100, 200, 500]
const blocktimesMs = [200, 2_000]
/** A slow proxy before a chain with short blocks. */
const farRow: Row = { roundTripMs: 2_000, blocktimeMs: 200 }
/** Here the services wait for blocks most of the time, so that they run beside one another. */
const slowBlocksMs = 12_000
const receiver = 'receiver'

export const latencyRows: readonly string[] = [
  ...[...blocktimesMs, slowBlocksMs].flatMap((blocktimeMs) =>
    roundTripsMs.map((roundTripMs) => rowName({ roundTripMs, blocktimeMs })),
  ),
  rowName(farRow),
  receiver,
]

/** `reported` is called with the figures of each of `rows` as they come. */
export async function measureLatency(
  options: BenchOptions,
  rows: readonly string[],
  reported: (figures: readonly Figure[]) => void,
): Promise<void> {
  const isWanted = (row: Row) => rows.includes(rowName(row))
  const quick = blocktimesMs.flatMap((blocktimeMs) => roundTripsMs.map((roundTripMs) => ({ roundTripMs, blocktimeMs })))
  for (const row of [...quick, farRow].filter(isWanted)) {
    reported([...(await measureRow(options, row)), ...(await measureQueues(options, row))])
  }
  const slow = roundTripsMs.map((roundTripMs) => ({ roundTripMs, blocktimeMs: slowBlocksMs })).filter(isWanted)
  for (const figures of await Promise.all(slow.map((row) => measureRow(options, row)))) reported(figures)
  if (rows.includes(receiver)) reported(await measureFarReceiver(options))
}

async function measureRow(options: BenchOptions, row: Row): Promise<Figure[]> {
  await using place = await openPlace(options, row, 256)
  const delays = await measureDelays(place)
  return row.blocktimeMs === slowBlocksMs ? [...delays, ...(await measureSeldom(place))] : delays
}

async function measureQueues(options: BenchOptions, row: Row): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const maxInFlight of [undefined, 256]) {
    await using place = await openPlace(options, row, maxInFlight)
    figures.push(...(await measureQueue(place)))
  }
  return figures
}
