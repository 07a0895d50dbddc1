// Broadcasts that hang: nobody waits for them, nobody forgets them.
import { expect, test } from 'vitest'
import type { Hash } from '../../src/domain/ids.ts'
import { statusOf } from '../../src/domain/transaction.ts'
import { trackBroadcasts } from '../../src/engine/broadcasts-under-way.ts'
import { advance } from '../../src/engine/loop.ts'
import type { Performed } from '../../src/engine/perform.ts'
import type { Ownership } from '../../src/ownership/ownership.ts'
import { someAttempt } from '../domain/some.ts'
import { until } from '../support/settled.ts'
import { openWorkplace } from './workplace.ts'

const attempts = [someAttempt(1), someAttempt(2)]
const hashes: readonly Hash[] = attempts.map(({ hash }) => hash)

const taken: Performed = { failed: false, written: [] }

const repeatMs = 500

function track() {
  let ends = 0
  const repeats: number[] = []
  const broadcasts = trackBroadcasts(
    () => {
      ends += 1
    },
    (ms) => repeats.push(ms),
  )
  return { broadcasts, ends: () => ends, repeats }
}

test.each([
  ['that nodes took', false, false, 0, []],
  ['that failed', false, true, 0, [repeatMs]],
  ['that work may wait for', true, false, 1, []],
  ['that failed, and that work may wait for', true, true, 1, []],
])(
  'a broadcast %s is under way until its answer, and wakes the owner: %s, %s, %s, or later: %s',
  async (_, isSeen, failed, wakes, later) => {
    const { broadcasts, ends, repeats } = track()
    const answer = Promise.withResolvers<Performed>()
    broadcasts.follow(attempts, answer.promise, repeatMs)
    if (isSeen) expect([...broadcasts.hashes()]).toEqual(hashes)
    answer.resolve({ ...taken, failed })
    await broadcasts.ended()
    expect([...broadcasts.hashes()]).toEqual([])
    expect(ends()).toBe(wakes)
    expect(repeats).toEqual(later)
  },
)

test('its failure is reported once, and of two the other goes on', async () => {
  const { broadcasts, ends } = track()
  const [good, bad] = [Promise.withResolvers<Performed>(), Promise.withResolvers<Performed>()]
  broadcasts.follow(attempts, good.promise, repeatMs)
  broadcasts.follow([someAttempt(3)], bad.promise, repeatMs)
  bad.reject(new Error('the store is gone'))
  await until('the first end', () => ends() === 1)
  expect([...broadcasts.hashes()]).toEqual(hashes)
  expect(() => broadcasts.throwLateError()).toThrow('the store is gone')
  broadcasts.throwLateError()
  good.resolve(taken)
  await broadcasts.ended()
  expect(ends()).toBe(2)
})

test('bytes that no node was given are repeated after a pause, and again, not at once', async () => {
  await using place = await openWorkplace()
  const { chain, clock } = place
  chain.answer = () => ({ kind: 'unsent', message: 'no connection' })
  await place.send()
  const ownership = await place.own()
  const loop = advance(place.context, ownership, { renew: () => {}, yield: () => {} })
  for (const broadcasts of [1, 2, 3]) {
    await until('the broadcast', () => {
      if (chain.broadcasts.length >= broadcasts) return true
      // Again and again: a database on the network may record the answer, and so begin the pause, only after some of these.
      if (broadcasts > 1) clock.advance(1_000)
      return false
    })
    // Long enough for many repeats, if one led to the next.
    for (let turn = 0; turn < 500; turn += 1) await new Promise(setImmediate)
    expect(chain.broadcasts).toHaveLength(broadcasts)
  }
  ownership.release.abort()
  await loop.stopped
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
