// Broadcasts that hang: nobody waits for them, nobody forgets them.
import { expect, test } from 'vitest'
import type { Hash } from '../../src/domain/ids.ts'
import { statusOf } from '../../src/domain/transaction.ts'
import { trackBroadcasts } from '../../src/engine/broadcasts-under-way.ts'
import { advance } from '../../src/engine/loop.ts'
import type { Ownership } from '../../src/ownership/ownership.ts'
import { hashOf } from '../domain/some.ts'
import { manualClock } from '../support/manual-clock.ts'
import { quiescence, until } from '../support/settled.ts'
import { openWorkplace } from './workplace.ts'

const hashes: readonly Hash[] = [hashOf(1), hashOf(2)]

test('one that is answered in time is never under way for others', async () => {
  const clock = manualClock()
  const broadcasts = trackBroadcasts(clock, () => {})
  expect(await broadcasts.attend(hashes, Promise.resolve('answered'))).toBe('answered')
  await expect(broadcasts.attend(hashes, Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect([broadcasts.hashes.size, clock.sleeping]).toEqual([0, []])
  broadcasts.throwLateError()
})

test('one that hangs is under way until it ends, and its failure is reported once', async () => {
  const clock = manualClock()
  let ends = 0
  const broadcasts = trackBroadcasts(clock, () => {
    ends += 1
  })
  const [good, bad] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  const attended = [broadcasts.attend(hashes, good.promise), broadcasts.attend([hashOf(3)], bad.promise)]
  await quiescence()
  clock.advance(10_000)
  expect(await Promise.all(attended)).toEqual(['hanging', 'hanging'])
  expect([...broadcasts.hashes]).toEqual([...hashes, hashOf(3)])

  good.resolve('late')
  await until('the first end', () => ends === 1)
  expect([...broadcasts.hashes]).toEqual([hashOf(3)])
  broadcasts.throwLateError()
  let over = false
  const ended = broadcasts.ended().then(() => {
    over = true
  })
  await quiescence()
  expect(over).toBe(false)
  bad.reject(new Error('the store is gone'))
  await ended
  expect(() => broadcasts.throwLateError()).toThrow('the store is gone')
  broadcasts.throwLateError()
})

test('a relayer races beside one that hangs, and a failure of the hanging one renews it', async () => {
  await using place = await openWorkplace()
  const first = await place.send()
  const ownership = await place.own()
  const renewed: Ownership[] = []
  const silence = Promise.withResolvers<void>()
  place.chain.whileBroadcasting = async () => {
    place.chain.whileBroadcasting = async () => {}
    await silence.promise
  }
  const loop = advance(place.context, ownership, { renew: (each) => renewed.push(each), yield: () => {} })
  await until('the send', () => place.chain.broadcasts.length === 1)
  await place.cancel(first)
  await place.send()
  await until('the no-op', () => {
    loop.wake()
    place.clock.advance(300)
    return place.chain.broadcasts.length === 2
  })
  const states = async () =>
    (await place.readAs(first, 'inFlight')).lifecycle.attempts.map(({ kind, broadcast }) => [kind, broadcast.state])
  await until('its answer', async () => (await states())[1]?.[1] === 'handed')
  expect(await states()).toEqual([
    ['execute', 'sending'],
    ['cancel', 'handed'],
  ])

  silence.reject(new Error('a wire fell out'))
  await until('the renewal', () => {
    place.clock.advance(300)
    return renewed.length === 1
  })
  await loop.stopped
  expect(renewed).toEqual([ownership])
})

test('a no-op that hangs holds up no payload: what it takes over has its place before them already', async () => {
  await using place = await openWorkplace()
  const { chain, clock } = place
  const first = await place.send()
  const loop = advance(place.context, await place.own(), { renew: () => {}, yield: () => {} })
  await until('the send', async () => (await place.read(first)).lifecycle.phase === 'inFlight')
  await until('its answer', async () => statusOf(await place.read(first)) === 'submitted')
  const silence = Promise.withResolvers<void>()
  chain.whileBroadcasting = async () => {
    chain.whileBroadcasting = async () => {}
    await silence.promise
  }
  await place.cancel(first)
  await until('the no-op', () => {
    loop.wake()
    clock.advance(300)
    return chain.broadcasts.length === 2
  })
  const second = await place.send()
  await until('the next send', () => {
    loop.wake()
    clock.advance(300)
    return chain.broadcasts.length === 3
  })
  expect(chain.broadcasts[2]?.reach).toBe('one')
  expect((await place.readAs(second, 'inFlight')).lifecycle.nonce).toBe(1)
  // The no-op is not broadcast twice at once, however long it takes.
  expect(chain.broadcasts.filter(({ reach }) => reach === 'all')).toHaveLength(1)
  silence.resolve()
})
