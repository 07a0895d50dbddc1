// The 64 gap fillers of an hour, over the production store: another owner counts those of the one before.
import { expect, test } from 'vitest'
import { freshOwner } from '../../src/engine/step.ts'
import type { Ownership } from '../../src/ownership/ownership.ts'
import { headAt, height, someObservation } from '../domain/some.ts'
import { noneHanging, nothingUnknown, openWorkplace, step, type Workplace } from './workplace.ts'

const gapFillers = async ({ under }: Workplace) =>
  (await under.query("SELECT nonce FROM transactions WHERE origin = 'gap' ORDER BY nonce")) as { nonce: number }[]

/** A false count bound nonce 200. From then on every node says the truth, and no step ends the gap fillers. */
async function boundTooHigh(place: Workplace): Promise<Ownership> {
  const owner = await place.own()
  place.chain.view = someObservation({ nonce: 200 })
  await place.send()
  await step(place.context, owner, nothingUnknown, noneHanging)
  place.chain.view = someObservation({ pendingNonce: 0, secondCount: 0 })
  return owner
}

async function stepUntilNoMore(place: Workplace, owner: Ownership): Promise<number> {
  let made = (await gapFillers(place)).length
  for (let steps = 0; steps < 20; steps += 1) {
    place.clock.advance(1_000)
    place.chain.view &&= { ...place.chain.view, head: headAt(height + steps) }
    await step(place.context, owner, steps === 0 ? freshOwner : nothingUnknown, noneHanging)
    const now = (await gapFillers(place)).length
    expect(now - made).toBeLessThanOrEqual(16)
    made = now
  }
  return made
}

test('a restart, and another replica, go on counting where the owner before stopped', async () => {
  await using place = await openWorkplace()
  const first = await boundTooHigh(place)
  for (let steps = 0; steps < 2; steps += 1) await step(place.context, first, nothingUnknown, noneHanging)
  expect((await gapFillers(place)).length).toBe(32)
  expect(await stepUntilNoMore(place, await place.own())).toBe(64)
  expect(await stepUntilNoMore(place, await place.own())).toBe(64)
  place.clock.advance(3_600_000)
  expect(await stepUntilNoMore(place, await place.own())).toBe(128)
})
