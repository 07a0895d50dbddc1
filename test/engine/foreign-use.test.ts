// Foreign uses of a relayer's key: what a look records, once, whoever looks, and what it never takes for foreign.
import { expect, test } from 'vitest'
import { acknowledgeCondition } from '../../src/commands/relayers/acknowledge-condition.ts'
import type { ApiKeyId } from '../../src/domain/ids.ts'
import { findForeignUse } from '../../src/engine/find-foreign-use.ts'
import { watchForeignUse } from '../../src/engine/watch-foreign-use.ts'
import type { Ownership } from '../../src/ownership/ownership.ts'
import { by, byForeign, headAt, height, someObservation } from '../domain/some.ts'
import { until } from '../support/settled.ts'
import { noneHanging, nothingUnknown, openWorkplace, step, type Workplace } from './workplace.ts'

const hash = (digit: string) => `0x${digit.repeat(64)}` as const
const shown = (nonce: number) => new Map([[nonce, { hash: hash('f'), block: 7 }]])

async function openPlace() {
  const place = await openWorkplace()
  const owner = await place.own()
  /** The history check of an owner without anything in doubt is complete. */
  await place.under.store.commit((session) => session.completeHistoryCheck(place.relayer.id))
  return { ...place, owner }
}

const look = (place: Workplace, owner: Ownership, isFirst = false) =>
  findForeignUse(place.context, owner, place.relayer, isFirst)

const uses = (place: Workplace) => place.under.store.reads.foreignUses(place.relayer.id, 0)

test('what the account did before the first look is not its relayer’s, and what comes after is one entry', async () => {
  await using place = await openPlace()
  const { chain, owner } = place
  chain.confirmed = { count: 5 }
  await look(place, owner, true)
  expect(await uses(place)).toEqual([])
  chain.confirmed = { count: 8, spenders: shown(5) }
  expect(await look(place, owner)).toMatchObject({ found: { first: 5, last: 7 }, hasMore: false })
  // Whether the next look is of this owner or of another, and as often as it comes.
  const next = await place.own()
  await place.under.store.commit((session) => session.completeHistoryCheck(place.relayer.id))
  await look(place, next, true)
  await look(place, next)
  expect(await uses(place)).toEqual([
    { first: 5, last: 7, spender: { hash: hash('f'), block: 7 }, foundAt: expect.any(Number), mayBeLost: false },
  ])
  // A look of the former owner is late.
  chain.confirmed = { count: 9 }
  await expect(look(place, owner)).rejects.toThrow(/another owner/)
  await look(place, next)
  expect(await uses(place)).toMatchObject([{ first: 5, last: 8 }])
})

test('the first look of an owner may have found a lost history; an authorization may show no transaction', async () => {
  await using place = await openPlace()
  place.chain.confirmed = { count: 0 }
  await look(place, place.owner)
  place.chain.confirmed = { count: 1 }
  await look(place, place.owner, true)
  expect(await uses(place)).toEqual([{ first: 0, last: 0, foundAt: expect.any(Number), mayBeLost: true }])
})

test('a count that one endpoint of several shows counts once the bytes of the spender prove it', async () => {
  await using place = await openPlace()
  const { chain, owner } = place
  chain.confirmed = { count: 0 }
  await look(place, owner)
  const alone = { ...chain, confirmedCount: async () => ({ count: 1, isByTwo: false }) }
  const context = { ...place.context, chainOf: () => alone }
  expect(await findForeignUse(context, owner, place.relayer, false)).toBeUndefined()
  expect(await uses(place)).toEqual([])
  chain.confirmed = { count: 0, spenders: shown(0) }
  await findForeignUse(context, owner, place.relayer, false)
  expect(await uses(place)).toMatchObject([{ first: 0, last: 0 }])
})

test('a nonce of ours is none, in flight or mined, and the one that it lost is', async () => {
  await using place = await openPlace()
  const { chain, owner } = place
  chain.confirmed = { count: 0 }
  await look(place, owner)
  const ids = [await place.send(), await place.send(), await place.send()]
  await step(place.context, owner, nothingUnknown, noneHanging)
  const [first] = await Promise.all(ids.map((id) => place.readAs(id, 'inFlight')))
  // The confirmed count knows more than the owner's last step: nothing is decided about these yet.
  chain.confirmed = { count: 3 }
  expect(await look(place, owner)).toMatchObject({ hasMore: false })
  expect(await uses(place)).toEqual([])
  const head = headAt(height + 40)
  const own = first?.lifecycle.attempts[0]
  if (!own) throw new Error('no attempt')
  const spent = [by(own, height + 1), byForeign(height + 2)]
  const canonical = new Map(spent.map(({ block }) => [block.number, block.hash]))
  chain.view = someObservation({ head, nonce: 2, inclusions: new Map(spent.entries()), canonical })
  await step(place.context, owner, nothingUnknown, noneHanging)
  chain.confirmed = { count: 2 }
  await look(place, owner)
  expect(await uses(place)).toMatchObject([{ first: 1, last: 1 }])
})

test('nonces that are ours for good are no news of a count: it needs no second call', async () => {
  await using place = await openPlace()
  const { chain, owner } = place
  chain.confirmed = { count: 0 }
  await look(place, owner)
  const id = await place.send()
  await step(place.context, owner, nothingUnknown, noneHanging)
  const [own] = (await place.readAs(id, 'inFlight')).lifecycle.attempts
  const spent = by(own, height + 1)
  const canonical = new Map([[spent.block.number, spent.block.hash]])
  chain.view = someObservation({ head: headAt(height + 40), nonce: 1, inclusions: new Map([[0, spent]]), canonical })
  await step(place.context, owner, nothingUnknown, noneHanging)
  const news: number[] = []
  const counting = {
    ...chain,
    async confirmedCount(_: unknown, __: unknown, above: number) {
      news.push(above)
      return { count: 1, isByTwo: false }
    },
  }
  const context = { ...place.context, chainOf: () => counting }
  expect(await findForeignUse(context, owner, place.relayer, false)).toEqual({ hasMore: false })
  expect([...news, await place.under.store.reads.lookedBelow(place.relayer.id)]).toEqual([1, 1])
})

test('an open history check is awaited: it may find that the record has the transaction', async () => {
  await using place = await openPlace()
  const { chain } = place
  chain.confirmed = { count: 0 }
  await look(place, place.owner)
  await place.send()
  const owner = await place.own()
  chain.confirmed = { count: 1, spenders: shown(0) }
  expect(await look(place, owner, true)).toBeUndefined()
  expect(await uses(place)).toEqual([])
  await place.under.store.commit((session) => session.completeHistoryCheck(place.relayer.id))
  await look(place, owner, true)
  expect(await uses(place)).toMatchObject([{ first: 0, last: 0, mayBeLost: true }])
})

test('it is logged and counted once, and holds until it is acknowledged', async () => {
  await using place = await openPlace()
  const { chain, clock, owner, relayer } = place
  const { store } = place.under
  const reported: { isHeld: boolean; nonces: number }[] = []
  const warned: object[] = []
  const logger = { ...place.context.logger, warn: (facts: object) => void warned.push(facts) }
  const observer = {
    ...place.context.observer,
    foreignUse: (_: unknown, use: (typeof reported)[number]) => void reported.push(use),
  }
  const context = { ...place.context, logger, observer }
  chain.confirmed = { count: 1 }
  const watch = () => watchForeignUse({ context, relayers: () => [relayer], ownershipOf: () => owner })
  const passing = (what: string, condition: () => boolean | Promise<boolean>) =>
    until(what, async () => {
      if (clock.sleeping.length > 0) clock.advance(1_000)
      return condition()
    })
  await using _watching = watch()
  await passing('the baseline', async () => (await store.reads.lookedBelow(relayer.id)) === 1)
  chain.confirmed = { count: 3, spenders: shown(1) }
  await passing('the report', () => reported.length > 0)
  expect(reported).toEqual([{ isHeld: true, nonces: 2 }])
  expect(warned).toMatchObject([{ relayer_id: relayer.id, first: 1, last: 2, spender: { hash: hash('f'), block: 7 } }])
  const management = { store, clock }
  const requester = {
    keyId: 'ops' as ApiKeyId,
    operation: 'acknowledgeCondition',
    requestId: 'r',
    address: '127.0.0.1',
  }
  await acknowledgeCondition(management, { relayerId: relayer.id, condition: 'foreign_use' }, 'ours', requester)
  await passing('the end', () => reported.at(-1)?.isHeld === false)
  expect(reported).toHaveLength(2)
  // The next use is another one, also right behind it.
  chain.confirmed = { count: 4 }
  await passing('another report', () => reported.length === 3)
  expect(await uses(place)).toMatchObject([
    { first: 1, last: 2, acknowledged: { note: 'ours' } },
    { first: 3, last: 3 },
  ])
})
