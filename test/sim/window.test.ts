// How the window of transactions in flight grows, by the distance to the node, and by when and how many blocks take.
// In virtual time, so every rate is the same on every machine.
import { afterAll, expect, test } from 'vitest'
import { openDisk } from '../../sim/process/database.ts'
import { type CalmWorld, longBlocks, openCalmWorld, type Setting, shortBlocks } from './open-calm-world.ts'

const disk = openDisk()
afterAll(() => disk[Symbol.dispose]())

const fast: Setting = { ...shortBlocks, maxInFlight: undefined, confirmations: 1 }
const gasLimit = 30_000

/** A queue that does not end, for some seconds. `inFlightMax`: the most that had left and were in no block. */
async function flood(place: CalmWorld, seconds: number) {
  let [posted, inFlightMax] = [0, 0]
  const mined: number[] = []
  for (let second = 0; second < seconds; second += 1) {
    const missing = 1_200 - (posted - place.minedCount())
    await place.postMany(missing, { gasLimit })
    posted += missing
    for (let part = 0; part < 10; part += 1) {
      await place.pass(100)
      inFlightMax = Math.max(inFlightMax, place.sentCount() - place.minedCount())
    }
    mined.push(place.minedCount())
  }
  return { mined, inFlightMax }
}

test.each([
  ['0.1 s', 7, 3, 200, { roundTripMs: 100 }],
  ['0.2 s', 9, 4, 200, { roundTripMs: 200 }],
  ['0.5 s', 24, 10, 180, { roundTripMs: 500 }],
  ['2 s', 110, 30, 40, { roundTripMs: 2_000 }],
  ['0.1 s, and 100 signatures a second', 12, 5, 90, { roundTripMs: 100, signatureMs: 10 }],
  ['0.2 s, and 100 signatures a second', 16, 5, 90, { roundTripMs: 200, signatureMs: 10 }],
  ['0.5 s, and 100 signatures a second', 26, 10, 90, { roundTripMs: 500, signatureMs: 10 }],
] as const)('a round trip of %s: of %d s, the last %d have %d a second mined at least', async (...row) => {
  const [, seconds, measured, least, setting] = row
  const place = await openCalmWorld(disk, { ...fast, ...setting })
  const { mined } = await flood(place, seconds)
  const [from = 0, to = 0] = [mined.at(-1 - measured), mined.at(-1)]
  expect((to - from) / measured).toBeGreaterThanOrEqual(least)
  await place.close()
})

test.each([11_500, 6_000, 500])(
  'a queue that begins %d ms after a block of 12 s: each block takes twice as many',
  async (ms) => {
    const place = await openCalmWorld(disk, { ...fast, ...longBlocks, ...{ maxInFlight: undefined, roundTripMs: 100 } })
    await place.pass(2 * longBlocks.blocktimeMs + ms)
    await place.postMany(1_200, { gasLimit })
    await place.pass(6 * longBlocks.blocktimeMs)
    expect(place.minedCount()).toBeGreaterThanOrEqual(16 + 32 + 64 + 128 + 256)
    await place.close()
  },
)

test.each([200, 500, 2_000])('blocks that take two: never more than 64 in flight, at %d ms', async (roundTripMs) => {
  const place = await openCalmWorld(disk, { ...fast, roundTripMs, perBlockMax: 2 })
  expect((await flood(place, 60)).inFlightMax).toBeLessThanOrEqual(64)
  await place.close()
})
