// The loop's pacing on a clock that stands still: what makes it step, what lets it rest, what ends it.
import { expect, test } from 'vitest'
import { bytesOf } from '../../src/domain/attempt.ts'
import type { RelayerId } from '../../src/domain/ids.ts'
import { statusOf } from '../../src/domain/transaction.ts'
import { advance } from '../../src/engine/loop.ts'
import type { Ownership } from '../../src/ownership/ownership.ts'
import { someObservation, someRepeatAfter } from '../domain/some.ts'
import { quiescence, until } from '../support/settled.ts'
import { openWorkplace, type Workplace } from './workplace.ts'

async function start(place: Workplace) {
  const ownership = await place.own()
  const renewed: Ownership[] = []
  const yielded: Ownership[] = []
  const loop = advance(place.context, ownership, {
    renew: (each) => renewed.push(each),
    yield: (each) => yielded.push(each),
  })
  return {
    loop,
    ownership,
    renewed,
    yielded,
    async [Symbol.asyncDispose]() {
      ownership.release.abort()
      await loop.stopped
    },
  }
}

test('with nothing open it calls no node, and a wake-up makes it step', async () => {
  await using place = await openWorkplace()
  await using running = await start(place)
  await until('the first rest', () => place.clock.sleeping.length > 0)
  place.clock.advance(20)
  await quiescence()
  expect(place.clock.sleeping).toEqual([])
  expect(place.chain.inquiries).toEqual([])
  expect(place.chain.followers).toBe(0)

  const id = await place.send()
  running.loop.wake()
  await until('the send', () => place.chain.broadcasts.length === 1)
  expect((await place.readAs(id, 'inFlight')).lifecycle.nonce).toBe(0)
})

test('a wake-up for an idle relayer makes it step only after a step that found nothing', async () => {
  await using place = await openWorkplace()
  await using running = await start(place)
  await until('the first rest', () => place.clock.sleeping.length > 0)
  place.clock.advance(20)
  await quiescence()
  const first = await place.send()
  running.loop.wakeIfIdle()
  await until('the send', () => place.chain.broadcasts.length === 1)
  await until('its answer', async () => statusOf(await place.read(first)) === 'submitted')
  await quiescence()

  const looked = place.chain.inquiries.length
  await place.send()
  running.loop.wakeIfIdle()
  await quiescence()
  expect(place.chain.inquiries).toHaveLength(looked)
  running.loop.wake()
  await until('the second', () => place.chain.broadcasts.length === 2)
})

test('what joins the queue while a payload is on its way makes it step a moment later, and any other change at once', async () => {
  await using place = await openWorkplace()
  const { chain, clock } = place
  const silence = Promise.withResolvers<void>()
  chain.whileBroadcasting = () => silence.promise
  await place.send()
  await using running = await start(place)
  await until('the send', () => chain.broadcasts.length === 1)
  await quiescence()
  const looked = chain.inquiries.length
  await place.send()
  running.loop.wake('queued')
  await quiescence()
  expect(chain.inquiries).toHaveLength(looked)
  // Again and again: on a slow database the step before it may not be over at the first.
  await until('the look at the queue', () => {
    if (chain.inquiries.length > looked) return true
    clock.advance(20)
    return false
  })
  clock.advance(20)
  await quiescence()

  const before = chain.inquiries.length
  running.loop.wake('queued')
  running.loop.wake()
  await until('the look for a change', () => chain.inquiries.length > before)
  silence.resolve()
  await until('the second send', () => {
    clock.advance(20)
    return chain.broadcasts.length > 1
  })
})

test('while something is open a head makes it step; when nothing is, it stops following', async () => {
  await using place = await openWorkplace()
  await place.send()
  await using _running = await start(place)
  await until('a follower', () => place.chain.followers === 1)
  const looked = place.chain.inquiries.length
  place.chain.newHead()
  await until('another look', () => place.chain.inquiries.length > looked)

  await place.cancelAll()
  place.chain.view = someObservation({ nonce: 1 })
  const [id] = (await place.under.store.reads.transactions(place.relayer.id, {}, { page: 1, perPage: 1 })).items
  if (!id) throw new Error('nothing stored')
  const open = await place.readAs(id.id, 'inFlight')
  const block = { number: 1, hash: open.lifecycle.attempts[0].hash }
  const inclusion = { by: 'external', hash: bytesOf(open.lifecycle.attempts[0]), block } as const
  place.chain.view = someObservation({
    nonce: 1,
    inclusions: new Map([[0, inclusion]]),
    canonical: new Map([[block.number, block.hash]]),
  })
  await until('nobody follows', async () => {
    place.chain.newHead()
    place.clock.advance(20)
    return place.chain.followers === 0
  })
  expect((await place.readAs(id.id, 'final')).lifecycle.inclusion.by).toBe('external')
})

test('the pool is read for foreign transactions, and the balance as of now, once an ownership, by the first step that could send', async () => {
  await using place = await openWorkplace()
  await using running = await start(place)
  // Time passes here while the database works: bytes may be broadcast again.
  const sent = () => new Set(place.chain.broadcasts.map(({ hash }) => hash)).size
  await place.send()
  running.loop.wake()
  place.clock.advance(20)
  await until('the send', () => {
    place.clock.advance(20)
    return sent() === 1
  })
  await place.send()
  running.loop.wake()
  await until('the second', () => {
    place.clock.advance(20)
    return sent() === 2
  })
  const asking = place.chain.inquiries.map(({ pendingNonce }) => pendingNonce)
  expect(asking.filter(Boolean)).toHaveLength(1)
  expect(asking[0]).toBe(true)
  const balances = place.chain.inquiries.map(({ balance }) => balance)
  expect(balances.filter((each) => each === 'now')).toHaveLength(1)
  expect(balances[0]).toBe('now')
})

test('no node answers: it decides nothing, and tries again after ever longer rests', async () => {
  await using place = await openWorkplace()
  const id = await place.send()
  place.chain.view = undefined
  await using running = await start(place)
  const rests: number[] = []
  for (let round = 0; round < 7; round += 1) {
    await until('a rest', () => place.clock.sleeping.length === 1)
    rests.push(...place.clock.sleeping)
    place.clock.advance(place.clock.sleeping[0] ?? 0)
    await until('the next look', () => place.chain.inquiries.length > round + 1)
  }
  expect(rests).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000])
  expect(await place.read(id)).toMatchObject({
    lifecycle: { phase: 'queued' },
    wait: { condition: 'node_unreachable', facts: { of: 'network' } },
  })
  await until('a rest', () => place.clock.sleeping.length === 1)
  place.chain.view = someObservation()
  place.clock.advance(5_000)
  await until('the send', () => place.chain.broadcasts.length === 1)
  expect(running.renewed).toEqual([])
})

test('a broadcast in doubt is repeated in time, without a block', async () => {
  await using place = await openWorkplace()
  await place.send()
  place.chain.answer = () => ({ kind: 'unknown', message: 'timed out' })
  await using _running = await start(place)
  await until('a rest', () => {
    place.clock.advance(20)
    return place.clock.sleeping.includes(someRepeatAfter.doubtfulMs)
  })
  const [first] = place.chain.broadcasts
  place.clock.advance(someRepeatAfter.doubtfulMs)
  await until('the repetition', () => place.chain.broadcasts.length === 2)
  expect(place.chain.broadcasts[1]?.raw).toBe(first?.raw)
})

test('a client’s change under its hands makes it look again at once', async () => {
  await using place = await openWorkplace()
  const [first, second] = [await place.send(), await place.send()]
  place.chain.whileObserving = async () => {
    place.chain.whileObserving = async () => {}
    await place.cancel(first)
  }
  await using running = await start(place)
  await until('the send', () => place.chain.broadcasts.length === 1)
  expect((await place.readAs(second, 'inFlight')).lifecycle.nonce).toBe(0)
  expect(running.renewed).toEqual([])
})

test('another owner ends it, without a word to the chain and without a renewal: the relayer is given up', async () => {
  await using place = await openWorkplace()
  await place.send()
  place.chain.whileObserving = async () => void (await place.own())
  await using running = await start(place)
  await running.loop.stopped
  expect(place.chain.broadcasts).toEqual([])
  expect(running.renewed).toEqual([])
  expect(running.yielded).toEqual([running.ownership])
  expect(place.chain.followers).toBe(0)
})

test('a step that fails in an unknown way ends it, and requests a renewal once', async () => {
  await using place = await openWorkplace()
  await place.send()
  place.chain.whileBroadcasting = async () => {
    throw new Error('a wire fell out')
  }
  await using running = await start(place)
  await until('a rest', () => place.clock.sleeping.length === 1)
  place.clock.advance(place.clock.sleeping[0] ?? 0)
  await running.loop.stopped
  expect(running.renewed).toEqual([running.ownership])
  expect(place.chain.followers).toBe(0)
})

test('a lost relayer ends it while it rests', async () => {
  await using place = await openWorkplace()
  const running = await start(place)
  await quiescence()
  running.ownership.release.abort()
  await running.loop.stopped
  expect(running.renewed).toEqual([])
  expect(running.ownership.relayer).toBe('treasury' as RelayerId)
})
