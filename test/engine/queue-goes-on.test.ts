// The queue goes on while a look is under way, or while nodes answer: what newer rows, counts and answers change about it.
import { expect, test } from 'vitest'
import { cancelTransaction } from '../../src/commands/transactions/cancel.ts'
import { trackBroadcasts } from '../../src/engine/broadcasts-under-way.ts'
import { advance } from '../../src/engine/loop.ts'
import { trackPresigning } from '../../src/engine/presign.ts'
import { trackSignatures } from '../../src/engine/signatures-under-way.ts'
import { step } from '../../src/engine/step.ts'
import type { StepContext } from '../../src/engine/step-context.ts'
import { bell } from '../../src/ops/bell.ts'
import { blockHash, by, byForeign, headAt, height, someObservation } from '../domain/some.ts'
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

test('a nonce that another had when a look began is not judged by that look', async () => {
  await using place = await openWorkplace({ maxInFlight: 1 })
  const { chain, commands, relayer } = place
  const ownership = await place.own()
  chain.answer = () => ({ kind: 'unsent', message: 'no connection' })
  const first = await place.send()
  const loop = advance(place.context, ownership, renewal)
  await until('the answer', async () => {
    rest(place)
    const { lifecycle } = await place.read(first)
    return 'attempts' in lifecycle && lifecycle.attempts[0].broadcast.state === 'held'
  })
  const second = await place.send({ value: 2n })
  await look(place, async () => undefined)
  const answer = Promise.withResolvers<void>()
  await look(place, () => answer.promise)
  expect(chain.inquiries.at(-1)?.live.map(({ nonce }) => nonce)).toEqual([0])
  chain.answer = () => ({ kind: 'accepted' })
  const before = chain.broadcasts.length
  await cancelTransaction({ ...commands, wake: () => loop.wake() }, relayer.id, first)
  loop.wake()
  await until('the second one to leave', () => chain.broadcasts.length > before)
  const { lifecycle } = await place.readAs(second, 'inFlight')
  expect(lifecycle.nonce).toBe(0)

  // A block takes it. The look knows no hash of ours for nonce 0 but those of the first one.
  const block = { number: height + 1, hash: blockHash(height + 1) }
  const foreign = { by: 'external', hash: lifecycle.attempts[0].hash, block } as const
  const seen = { head: headAt(height + 1), nonce: 1, canonical: new Map([[block.number, block.hash]]) }
  chain.view = someObservation({ ...seen, inclusions: new Map([[0, foreign]]) })
  chain.whileObserving = async () => {
    chain.view = someObservation({ ...seen, inclusions: new Map([[0, by(lifecycle.attempts[0], block.number)]]) })
  }
  answer.resolve()
  for (let turn = 0; turn < 20; turn += 1) {
    rest(place)
    await quiescence()
  }
  const judged = await place.read(second)
  ownership.release.abort()
  await loop.stopped
  expect(judged.lifecycle).toMatchObject({ phase: 'mined', nonce: 0, inclusion: { by: 'attempt' } })
})

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

test('a signed group that waits for answers gets no nonce that a newer look shows as spent', async () => {
  await using place = await openWorkplace()
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
  let carried = nothingUnknown
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
  await place.send()
  await go()
  // Another user of the key spends both nonces, and two looks show it.
  place.chain.view = someObservation({ nonce: 2, head: headAt(height + 1), inclusions: new Map([[0, byForeign()]]) })
  await go()
  await go()
  expect(await nonces()).toEqual([0])
  answers.resolve()
  await underWay.broadcasts.ended()
  for (let turn = 0; turn < 3; turn += 1) await go()
  expect(await nonces()).not.toContain(1)
})
