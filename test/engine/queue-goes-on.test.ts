// The queue goes on while a look is under way, or while nodes answer: what newer rows, counts and answers change about it.
import { expect, test } from 'vitest'
import { trackBroadcasts } from '../../src/engine/broadcasts-under-way.ts'
import { advance } from '../../src/engine/loop.ts'
import { trackPresigning } from '../../src/engine/presign.ts'
import { trackSignatures } from '../../src/engine/signatures-under-way.ts'
import { type OwnerMemory, step } from '../../src/engine/step.ts'
import type { StepContext } from '../../src/engine/step-context.ts'
import { bell } from '../../src/ops/bell.ts'
import { byForeign, headAt, height, someObservation } from '../domain/some.ts'
import { quiescence, until } from '../support/settled.ts'
import { heldSigner } from './held-signer.ts'
import { nothingUnknown, openWorkplace, type Workplace } from './workplace.ts'

const renewal = { renew: () => undefined, yield: () => undefined }

/** A short rest of the loop is over. */
function rest({ clock }: Workplace): void {
  if (clock.sleeping.includes(20)) clock.advance(20)
}

/** The loop looks at a new head, and asks this during the look. */
async function look(place: Workplace, whileObserving: () => Promise<void>): Promise<void> {
  let begun = false
  place.chain.whileObserving = () => {
    begun = true
    return whileObserving()
  }
  place.chain.newHead()
  await until('a look', () => {
    if (!begun) rest(place)
    return begun
  })
  await quiescence()
}

test('what arrives during a look is not bound by it', async () => {
  await using place = await openWorkplace()
  const { chain } = place
  const ownership = await place.own()
  const answers = Promise.withResolvers<void>()
  chain.whileBroadcasting = () => answers.promise
  await place.send()
  const loop = advance(place.context, ownership, renewal)
  await until('the first one leaves', () => chain.broadcasts.length === 1)
  const second = await place.send()
  await look(place, async () => undefined)
  const answer = Promise.withResolvers<void>()
  await look(place, () => answer.promise)
  answers.resolve()
  await until('the second one leaves', () => chain.broadcasts.length === 2)
  await place.readAs(second, 'inFlight')
  const third = await place.send({ gasLimit: 40_000_000 })
  await quiescence()
  const never = Promise.withResolvers<void>()
  chain.whileObserving = () => never.promise
  answer.resolve()
  for (let turn = 0; turn < 5; turn += 1) {
    await quiescence()
    rest(place)
  }
  const { lifecycle } = await place.read(third)
  ownership.release.abort()
  never.resolve()
  await loop.stopped
  expect(lifecycle.phase).toBe('queued')
})

/** A key service signs for the relayer. The first payload waits for its answers, and a group for those behind it is signed. */
async function withSignedGroup(place: Workplace, many: number, memory: Partial<OwnerMemory> = {}) {
  const signer = heldSigner(place.context.signerOf(place.relayer))
  const context: StepContext = { ...place.context, signerOf: () => signer }
  const ownership = await place.own()
  const nothing = () => undefined
  const underWay = {
    wake: nothing,
    urgent: bell(),
    broadcasts: trackBroadcasts(nothing, nothing),
    signatures: trackSignatures(place.clock, nothing),
    presigning: trackPresigning(place.clock, nothing),
  }
  let carried: OwnerMemory = { ...nothingUnknown, ...memory }
  const go = async () => {
    carried = (await step(context, ownership, carried, underWay)).carried
    await quiescence()
  }
  const nonces = async () => {
    const rows = await place.under.query<{ nonce: number }>('SELECT nonce FROM attempts ORDER BY nonce')
    return rows.map(({ nonce }) => Number(nonce))
  }
  const answers = Promise.withResolvers<void>()
  place.chain.whileBroadcasting = () => answers.promise
  signer.mood = 'signs'
  await place.send()
  await go()
  await go()
  expect(await nonces()).toEqual([0])
  for (let index = 0; index < many; index += 1) await place.send()
  await go()
  return {
    go,
    nonces,
    async answer() {
      answers.resolve()
      await underWay.broadcasts.ended()
    },
  }
}

test('a signed group that waits for answers gets no nonce that a newer look shows as spent', async () => {
  await using place = await openWorkplace()
  const { go, nonces, answer } = await withSignedGroup(place, 1)
  // Another user of the key spends both nonces, and two looks show it.
  place.chain.view = someObservation({ nonce: 2, head: headAt(height + 1), inclusions: new Map([[0, byForeign()]]) })
  await go()
  await go()
  expect(await nonces()).toEqual([0])
  await answer()
  for (let turn = 0; turn < 3; turn += 1) await go()
  expect(await nonces()).not.toContain(1)
})

test('a signed group that waits for answers leaves a nonce to a foreign transaction that a newer look counts', async () => {
  await using place = await openWorkplace()
  const { go, nonces, answer } = await withSignedGroup(place, 3)
  place.chain.view = someObservation({ pendingNonce: 2, head: headAt(height + 1) })
  await go()
  await answer()
  for (let turn = 0; turn < 3; turn += 1) await go()
  expect(await nonces()).toEqual([0, 2, 3, 4])
})

/** The relayer without `max_in_flight`, and a balance that pays for many. */
async function withoutLimit(place: Workplace): Promise<bigint> {
  const { maxInFlight: _, ...policies } = place.relayer.policies
  await place.under.store.commit((session) => session.saveRelayer({ ...place.relayer, policies }))
  return 10n ** 20n
}

test('a signed group brings no more into flight than the newest window allows', async () => {
  await using place = await openWorkplace()
  const balance = await withoutLimit(place)
  place.chain.view = someObservation({ balance })
  const { go, nonces, answer } = await withSignedGroup(place, 40, { window: { size: 64 } })
  place.chain.view = someObservation({ balance, isPoolUnseen: true, head: headAt(height + 1) })
  await go()
  await answer()
  await go()
  expect(await nonces()).toHaveLength(16)
})
