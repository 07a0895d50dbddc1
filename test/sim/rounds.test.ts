// How many answers the engine awaits, one after the other, before bytes leave: in virtual time, so on every machine the same.
import { afterAll, expect, test } from 'vitest'
import { openDisk } from '../../sim/process/database.ts'
import { epochMs } from '../../sim/process/engine.ts'
import type { Pricing } from '../../src/domain/fees.ts'
import {
  type CalmWorld,
  longBlocks,
  openCalmWorld,
  roundTripMs,
  type Sent,
  type Setting,
  shortBlocks,
} from './open-calm-world.ts'

const disk = openDisk()
afterAll(() => disk[Symbol.dispose]())

const gasLimit = 30_000
/** Far below the base fee, so that no block takes it. */
const pricing: Pricing = { kind: 'eip1559', maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
const stuck = { gasLimit, pricing }
/** The last look of an idle relayer read all that the next send needs. */
const finalAtOnce = { ...longBlocks, confirmations: 1 }
const threeEndpoints = { ...longBlocks, endpoints: 3 }
const bulk = 200

const isNoOp = (each: Sent) => each.isNoOp
const isPayload = (each: Sent) => !each.isNoOp

/** `phase`: from 0 to 1, the part of a block time at which the client's request comes. */
interface Case {
  readonly place: CalmWorld
  readonly phase: number
}

/** The relayer has sent before, all of it is confirmed, and since then nothing has happened for some blocks. */
async function afterIdle({ place, phase }: Case, blocks: number): Promise<void> {
  const { blocktimeMs } = place.setting
  await place.post({ gasLimit })
  await place.passUntilIdle()
  await place.pass((blocks + phase) * blocktimeMs)
}

/** A payload has been in flight for some blocks. Returns its id. */
async function withOneInFlight({ place, phase }: Case): Promise<string> {
  await afterIdle({ place, phase: 0 }, 5)
  const id = await place.post(stuck)
  await place.pass((3 + phase) * Math.max(place.setting.blocktimeMs, 10 * roundTripMs))
  return id
}

async function post({ place }: Case, wanted: { readonly gasLimit?: number }): Promise<number> {
  const begun = place.nowMs()
  await place.post(wanted)
  return place.roundsUntilSent(begun, 1, isPayload)
}

async function cancelOne(one: Case): Promise<number> {
  return cancel(one, await withOneInFlight(one))
}

async function cancelDuringLook(one: Case): Promise<number> {
  const id = await withOneInFlight(one)
  await one.place.passUntilLook()
  return cancel(one, id)
}

async function cancel(one: Case, id: string): Promise<number> {
  const begun = one.place.nowMs()
  await one.place.cancel(id)
  return one.place.roundsUntilSent(begun, 1, isNoOp)
}

async function replaceOne(one: Case): Promise<number> {
  const { place } = one
  const id = await withOneInFlight(one)
  const begun = place.nowMs()
  await place.replace(id, { gasLimit })
  return place.roundsUntilSent(begun, 1, isPayload)
}

async function expire({ place, phase }: Case): Promise<number> {
  await afterIdle({ place, phase: 0 }, 5)
  const at = Math.floor(place.nowMs() + (3 + phase) * Math.max(place.setting.blocktimeMs, 10 * roundTripMs))
  await place.post({ ...stuck, validUntil: epochMs + at })
  return place.roundsUntilSent(at, 1, isNoOp)
}

async function postAfterIdle(one: Case, blocks: number, wanted: { readonly gasLimit?: number }): Promise<number> {
  await afterIdle(one, blocks)
  return post(one, wanted)
}

async function postBesideAnother(one: Case, wanted: { readonly gasLimit?: number }): Promise<number> {
  await withOneInFlight(one)
  return post(one, wanted)
}

/** The rounds for each window of a queue, once the first has left. */
async function cycle({ place }: Case, windows: number): Promise<number> {
  await afterIdle({ place, phase: 0 }, 5)
  const { maxInFlight = 16 } = place.setting
  const begun = place.nowMs()
  for (let count = 0; count < windows * maxInFlight; count += 1) await place.post({ gasLimit })
  const first = await place.roundsUntilSent(begun, 1, isPayload)
  const last = await place.roundsUntilSent(begun, windows * maxInFlight, isPayload)
  return (last - first) / (windows - 1)
}

/** The whole rounds of each row are what the engine takes, at the worst of some moments. What makes it faster lowers them. */
const rows: readonly [
  name: string,
  rounds: number,
  setting: Setting,
  phases: number,
  (one: Case) => Promise<number>,
][] = [
  ['POST with a gas limit, some blocks after the last', 1, longBlocks, 2, (one) => postAfterIdle(one, 5, { gasLimit })],
  ['… with three endpoints', 1, threeEndpoints, 2, (one) => postAfterIdle(one, 5, { gasLimit })],
  ['… without a gas limit', 2, longBlocks, 2, (one) => postAfterIdle(one, 5, {})],
  ['… more than 16 blocks after the last', 2, longBlocks, 2, (one) => postAfterIdle(one, 20, { gasLimit })],
  ['… as the last is confirmed', 1, longBlocks, 1, (one) => postAfterIdle(one, 0, { gasLimit })],
  ['… as the last is final', 1, finalAtOnce, 1, (one) => postAfterIdle(one, 0, { gasLimit })],
  ['POST with a gas limit, beside another', 0, longBlocks, 4, (one) => postBesideAnother(one, { gasLimit })],
  ['… without a gas limit', 1, longBlocks, 4, (one) => postBesideAnother(one, {})],
  ['… with a gas limit, a block each round', 0, shortBlocks, 4, (one) => postBesideAnother(one, { gasLimit })],
  ['DELETE', 0, longBlocks, 4, cancelOne],
  ['… with three endpoints', 0, threeEndpoints, 4, cancelOne],
  ['… while a new block is looked at', 0, longBlocks, 1, cancelDuringLook],
  ['… a block each round', 0, shortBlocks, 4, cancelOne],
  [
    `DELETE …/pending, of ${bulk} in flight`,
    ...([1, longBlocks, 1] as const),
    async ({ place, phase }) => {
      await afterIdle({ place, phase: 0 }, 5)
      await place.post(stuck)
      for (let count = 1; count < bulk; count += 1) await place.post({ gasLimit })
      await place.pass((3 + phase) * longBlocks.blocktimeMs)
      const begun = place.nowMs()
      await place.cancelPending()
      return place.roundsUntilSent(begun, bulk, isNoOp)
    },
  ],
  ['valid_until', 0, longBlocks, 4, expire],
  ['… a block each round', 0, shortBlocks, 4, expire],
  ['PUT with a gas limit', 0, longBlocks, 4, replaceOne],
  ['each 16 of a queue, a block each round', 2, { ...shortBlocks, maxInFlight: 16 }, 1, (one) => cycle(one, 11)],
  ['each 256 of a queue, a block each round', 4, shortBlocks, 1, (one) => cycle(one, 4)],
]

test.each(rows)('%s: %d rounds', async (_, rounds, setting, phases, measure) => {
  const measured: number[] = []
  for (let index = 0; index < phases; index += 1) {
    const place = await openCalmWorld(disk, setting)
    measured.push(await measure({ place, phase: index / phases + 0.05 }))
    await place.close()
  }
  // The engine's own waits are shorter than half a round.
  expect(Math.round(Math.max(...measured))).toBe(rounds)
})
