// Steps of an owner that finds no-ops of a lost history: the rows after each, for the next owner.
import { expect, test } from 'vitest'
import type { LostNoOp, MinedPayload } from '../../src/domain/observation.ts'
import { freshOwner, type OwnerMemory } from '../../src/engine/step.ts'
import { address, blockHash, hashOf, height, someNoOp, someObservation } from '../domain/some.ts'
import { noneHanging, nothingUnknown, openWorkplace, step, type Workplace } from './workplace.ts'

/** Of a first look so long ago that one more look is enough. */
const looked = (through: number): OwnerMemory => ({
  ...nothingUnknown,
  lostHistory: { through, seen: { below: 1, at: height - 2, isWhole: false } },
})

function spender({ clock }: Workplace, says: Partial<MinedPayload> = {}): LostNoOp {
  const { raw, signature, fees } = someNoOp(0)
  const signed = { to: address, value: 0n, data: '0x' as const, gasLimit: 21_000, raw, signature, fees, ...says }
  const block = { number: height - 5, hash: blockHash(height - 5) }
  return { nonce: 0, hash: hashOf(0xf00), block, minedAt: clock.now(), signed }
}

const seen = (...spenders: readonly LostNoOp[]) =>
  someObservation({ nonce: 1, pendingNonce: 1, lostHistory: { below: 1, finalBelow: 1, spenders } })
const floorOf = async ({ under }: Workplace) =>
  (await under.query('SELECT spent_below AS spent, explained_below AS explained FROM relayers'))[0]

test('one that it canceled: the row is canceled, with the no-op as its attempt, and so it stays', async () => {
  await using place = await openWorkplace()
  const id = await place.send()
  place.chain.view = seen(spender(place))
  const ownership = await place.own()
  const { carried } = await step(place.context, ownership, looked(1), noneHanging)
  const restored = await place.readAs(id, 'inFlight')
  expect(restored.cancellation).toEqual({ origin: 'request', requestedAt: spender(place).minedAt })
  expect(restored.lifecycle).toMatchObject({ nonce: 0, attempts: [{ hash: hashOf(0xf00), kind: 'cancel' }] })
  expect(await floorOf(place)).toEqual({ spent: 1, explained: 1 })

  place.chain.view = someObservation({ nonce: 1 })
  await step(place.context, ownership, carried, noneHanging)
  await step(place.context, await place.own(), freshOwner, noneHanging)
  expect((await place.readAs(id, 'inFlight')).version).toBe(restored.version)
  expect(place.chain.broadcasts).toEqual([])
})

test('two that it may have canceled: neither is sent, by no owner, and what comes later is', async () => {
  await using place = await openWorkplace({ maxInFlight: 1 })
  const ids = [await place.send({ value: 1n }), await place.send({ value: 2n })] as const
  place.chain.view = seen(spender(place))
  const ownership = await place.own()
  await step(place.context, ownership, looked(2), noneHanging)
  for (const id of ids) {
    expect(await place.read(id)).toMatchObject({
      lifecycle: { phase: 'queued' },
      suspectedNoOp: { hash: hashOf(0xf00), nonce: 0 },
    })
  }
  expect(await floorOf(place)).toEqual({ spent: 1, explained: 1 })

  place.chain.view = someObservation({ nonce: 1, pendingNonce: 1 })
  const later = await place.send({ value: 3n })
  const rest = await step(place.context, await place.own(), freshOwner, noneHanging)
  expect(rest.conditions).toContain('cancellation_unclear')
  expect((await place.readAs(later, 'inFlight')).lifecycle.nonce).toBe(1)
  expect(place.chain.broadcasts).toHaveLength(1)

  await place.cancel(ids[0])
  await place.cancelAll()
  for (const id of ids) expect((await place.readAs(id, 'dropped')).cancellation?.origin).toBe('request')
})

test('one of two that its client cancels before the search ends: the other may be the one that it canceled', async () => {
  await using place = await openWorkplace()
  const ids = [await place.send({ value: 1n }), await place.send({ value: 2n })] as const
  const noOp = spender(place)
  place.clock.advance(300_000)
  await place.cancel(ids[1])
  place.chain.view = seen(noOp)
  await step(place.context, await place.own(), looked(2), noneHanging)
  expect(await place.read(ids[0])).toMatchObject({
    lifecycle: { phase: 'queued' },
    suspectedNoOp: { hash: noOp.hash, nonce: 0 },
  })
})

test('one that its client canceled before the no-op was mined is not the one that it canceled', async () => {
  await using place = await openWorkplace()
  const ids = [await place.send({ value: 1n }), await place.send({ value: 2n })] as const
  await place.cancel(ids[1])
  place.clock.advance(300_000)
  place.chain.view = seen(spender(place))
  await step(place.context, await place.own(), looked(2), noneHanging)
  expect((await place.readAs(ids[0], 'inFlight')).cancellation?.origin).toBe('request')
})

test('one that was sent after the restore is not the one that it canceled, for any later owner', async () => {
  await using place = await openWorkplace()
  const first = await place.own()
  await place.send({ value: 1n })
  // The no-op waits in a pool.
  place.chain.view = someObservation({ nonce: 0, pendingNonce: 1, lostHistory: { below: 1 } })
  await step(place.context, first, freshOwner, noneHanging)
  await place.cancelAll()
  const id = await place.send({ value: 2n })

  place.clock.advance(300_000)
  place.chain.view = seen(spender(place))
  await step(place.context, await place.own(), looked(2), noneHanging)
  expect(await place.readAs(id, 'queued')).toMatchObject({ suspectedNoOp: { nonce: 0 } })
})

test('an owner that sees nothing unexplained completes the check for the next, also where it has nothing in doubt', async () => {
  await using place = await openWorkplace()
  const mark = async () => (await place.context.store.reads.work(place.relayer.id))?.uncheckedThrough
  place.chain.view = someObservation({ nonce: 0, pendingNonce: 0, lostHistory: { below: 0 } })
  const ownership = await place.own()
  const { carried } = await step(place.context, ownership, freshOwner, noneHanging)
  await place.send()
  expect(await mark()).toBe(0)
  await step(place.context, ownership, carried, noneHanging)
  expect(await mark()).toBeUndefined()
})

test('with nothing else to do it still waits for its valid_until, with its condition', async () => {
  await using place = await openWorkplace()
  const validUntil = place.clock.now() + 60_000
  const ids = [await place.send({ validUntil }), await place.send()] as const
  place.chain.view = seen(spender(place))
  const ownership = await place.own()
  const { carried } = await step(place.context, ownership, looked(2), noneHanging)
  place.chain.view = someObservation({ nonce: 1, pendingNonce: 1 })
  const rest = await step(place.context, ownership, carried, noneHanging)
  expect(rest).toMatchObject({ againAfterMs: 60_000, conditions: ['cancellation_unclear'] })
  place.clock.advance(60_000)
  await step(place.context, ownership, rest.carried, noneHanging)
  expect(await place.readAs(ids[0], 'dropped')).toMatchObject({ lifecycle: { reason: 'expired' } })
  expect((await place.readAs(ids[1], 'queued')).suspectedNoOp).toBeDefined()
})

test('explained nonces stay explained where nothing else was to be recorded', async () => {
  await using place = await openWorkplace()
  const { context, relayer } = place
  await place.send()
  await context.store.commit((session) => session.saveRelayer({ ...relayer, paused: true }))
  const ownership = await place.own()
  await step(context, ownership, nothingUnknown, noneHanging)
  place.chain.view = seen(spender(place, { value: 7n }))
  const { idle } = await step(context, ownership, looked(1), noneHanging)
  expect(idle).toBe(true)
  expect(await floorOf(place)).toEqual({ spent: 1, explained: 1 })
})

test('a check that ends with the last of the queue: the next send reads the pool, where foreign transactions may wait', async () => {
  await using place = await openWorkplace()
  const ownership = await place.own()
  const { carried } = await step(place.context, ownership, looked(1), noneHanging)
  expect(carried).toMatchObject({ lostHistory: 'none' })
  await place.send()
  await step(place.context, ownership, carried, noneHanging)
  expect(place.chain.inquiries).toMatchObject([{ pendingNonce: true }])
})
