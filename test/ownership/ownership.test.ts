// Ownership in one process: acquired anew after a failure, however often that fails, and given up in order.
import { expect, test } from 'vitest'
import type { RelayerId } from '../../src/domain/ids.ts'
import type { RelayerObserver } from '../../src/domain/relayer-observer.ts'
import { reconcile } from '../../src/engine/reconcile.ts'
import { ownInProcess } from '../../src/ownership/own-in-process.ts'
import type { Ownership } from '../../src/ownership/ownership.ts'
import type { Store } from '../../src/store/store.ts'
import { openWorkplace } from '../engine/workplace.ts'
import { until } from '../support/settled.ts'

interface Unreliable {
  readonly store: Store
  failing: boolean
}

/** The store with a switch: while `failing`, no unit commits. */
function unreliable(store: Store): Unreliable {
  const disk: Unreliable = {
    failing: false,
    store: {
      ...store,
      commit: (unit) => (disk.failing ? Promise.reject(new Error('disk full')) : store.commit(unit)),
    },
  }
  return disk
}

function witness() {
  const acquired: Ownership[] = []
  const released: Ownership[] = []
  return {
    acquired,
    released,
    handlers: {
      acquired: (each: Ownership) => acquired.push(each),
      wake() {},
      wakeIfIdle() {},
      released: async (each: Ownership) => {
        released.push(each)
      },
    },
  }
}

test('every configured relayer is acquired at the start, each time at a higher epoch; an unknown one is not', async () => {
  await using place = await openWorkplace()
  const { acquired, handlers } = witness()
  const ownerships = ownInProcess(place.under.store)
  await ownerships.start(handlers)
  await ownerships.assign([place.relayer.id, 'nobody' as RelayerId])
  expect(acquired.map(({ relayer, epoch }) => [relayer, epoch])).toEqual([[place.relayer.id, 1n]])
  await ownerships.stop()
  expect(acquired[0]?.lost.aborted).toBe(true)
})

test('a renewal gives up before it acquires, at a higher epoch; a stale one does nothing', async () => {
  await using place = await openWorkplace()
  const { acquired, released, handlers } = witness()
  const ownerships = ownInProcess(place.under.store)
  await ownerships.start(handlers)
  await ownerships.assign([place.relayer.id])
  const [first] = acquired
  if (!first) throw new Error('not acquired')
  await ownerships.renew(first)
  expect(released).toEqual([first])
  expect(first.lost.aborted).toBe(true)
  expect(acquired.map(({ epoch }) => epoch)).toEqual([1n, 2n])
  await ownerships.renew(first)
  expect(acquired).toHaveLength(2)
  await ownerships.stop()
})

test('a renewal that fails can be tried again, until the store answers', async () => {
  await using place = await openWorkplace()
  const disk = unreliable(place.under.store)
  const { acquired, handlers } = witness()
  const ownerships = ownInProcess(disk.store)
  await ownerships.start(handlers)
  await ownerships.assign([place.relayer.id])
  const [first] = acquired
  if (!first) throw new Error('not acquired')
  disk.failing = true
  await expect(ownerships.renew(first)).rejects.toThrow('disk full')
  await expect(ownerships.renew(first)).rejects.toThrow('disk full')
  disk.failing = false
  await ownerships.renew(first)
  expect(acquired.map(({ epoch }) => epoch)).toEqual([1n, 2n])
  await ownerships.stop()
  await ownerships.renew(first)
  expect(acquired).toHaveLength(2)
})

test('a relayer whose store failed for a while is advanced again without a hand', async () => {
  await using place = await openWorkplace()
  const disk = unreliable(place.under.store)
  const ownerships = ownInProcess(disk.store)
  // A relayer acquired anew is shown as failing until it is well again.
  const reported: string[] = []
  {
    const observer: RelayerObserver = {
      ...place.context.observer,
      failed: () => void reported.push('failed'),
      released: () => void reported.push('released'),
    }
    await using _running = await reconcile({ ...place.context, observer, store: disk.store }, ownerships)
    await ownerships.assign([place.relayer.id])
    await until('the first rest', () => place.clock.sleeping.includes(20))
    disk.failing = true
    await place.send()
    ownerships.wake(place.relayer.id)
    // The failed step rests, the failed renewal rests.
    for (const rest of [20, 250, 1_000, 1_000]) {
      await until(`a rest of ${rest}`, () => place.clock.sleeping.includes(rest))
      place.clock.advance(rest)
    }
    expect(place.chain.broadcasts).toEqual([])
    disk.failing = false
    await until('the send', () => {
      place.clock.advance(250)
      return place.chain.broadcasts.length === 1
    })
    expect(reported).toEqual(['failed'])
  }
  expect(reported).toEqual(['failed', 'released'])
  expect(place.chain.followers).toBe(0)
})

test('an assigned relayer is acquired, one no longer assigned is released, and a renewal under way changes neither', async () => {
  await using place = await openWorkplace()
  const { acquired, released, handlers } = witness()
  const ownerships = ownInProcess(place.under.store)
  await ownerships.start(handlers)
  expect(acquired).toEqual([])
  const { id } = place.relayer
  await Promise.all([ownerships.assign([id]), ownerships.assign([id])])
  expect(acquired.map(({ epoch }) => epoch)).toEqual([1n])
  const [first] = acquired
  if (!first) throw new Error('not acquired')
  await Promise.all([ownerships.renew(first), ownerships.assign([id])])
  expect(acquired.map(({ epoch }) => epoch)).toEqual([1n, 2n])
  await Promise.all([ownerships.assign([id]), ownerships.assign([])])
  expect(released).toEqual(acquired)
  expect(acquired.every(({ lost }) => lost.aborted)).toBe(true)
  await ownerships.renew(first)
  expect(acquired).toHaveLength(2)
  await ownerships.stop()
})
