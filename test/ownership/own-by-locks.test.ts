// Ownership among replicas, on a clock that stands still: the owners, the order in which relayers change hands, and that none is lost.
import { expect, test } from 'vitest'
import type { RelayerId } from '../../src/domain/ids.ts'
import { ownByLocks } from '../../src/ownership/own-by-locks.ts'
import type { Ownership } from '../../src/ownership/ownership.ts'
import { send, storedRelayer } from '../store/contract.ts'
import { quiet } from '../store/open-store.ts'
import { manualClock } from '../support/manual-clock.ts'
import { openTestedStore } from '../support/open-tested-store.ts'
import { quiescence, until } from '../support/settled.ts'
import { openLockServer } from './locks-in-memory.ts'

async function openPlace(count: number) {
  const under = await openTestedStore()
  const { store } = under
  const relayers: RelayerId[] = []
  for (let each = 0; each < count; each += 1) relayers.push((await storedRelayer(store)).id)
  const server = openLockServer()
  const clock = manualClock()
  const started: { stop(): Promise<void> }[] = []

  async function replica(assigned: readonly RelayerId[] = relayers) {
    const ownerships = ownByLocks({ store, clock, logger: quiet, locks: server.locks, hints: server.hints })
    const owned = new Map<RelayerId, Ownership>()
    const acquired: Ownership[] = []
    const woken: RelayerId[] = []
    const wokenIfIdle: RelayerId[] = []
    const steps: { last: Promise<void> } = { last: Promise.resolve() }
    started.push(ownerships)
    await ownerships.start({
      acquired(ownership) {
        acquired.push(ownership)
        owned.set(ownership.relayer, ownership)
      },
      wake: (relayer) => woken.push(relayer),
      wakeIfIdle: (relayer) => wokenIfIdle.push(relayer),
      async released(ownership) {
        await steps.last
        owned.delete(ownership.relayer)
      },
    })
    await ownerships.assign(assigned)
    return { ownerships, owned, acquired, woken, wokenIfIdle, steps }
  }

  return {
    ...{ store, relayers, server, clock, replica },
    /** Until it holds, looking around as time goes by. */
    async looking(what: string, condition: () => boolean | Promise<boolean>) {
      await until(what, async () => {
        clock.advance(100)
        return condition()
      })
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(started.map((each) => each.stop()))
      await under[Symbol.asyncDispose]()
    },
  }
}

test('one takes all, two share, and each change of hands is at a higher epoch', async () => {
  await using place = await openPlace(4)
  const one = await place.replica()
  await place.looking('all', () => one.owned.size === 4)
  expect(one.acquired.map(({ epoch }) => epoch)).toEqual([1n, 1n, 1n, 1n])
  const other = await place.replica()
  await place.looking('shares', () => one.owned.size === 2 && other.owned.size === 2)
  expect(other.acquired.map(({ epoch }) => epoch)).toEqual([2n, 2n])
  expect([...one.owned.keys(), ...other.owned.keys()].sort()).toEqual([...place.relayers].sort())
  await other.ownerships.stop()
  await place.looking('all again', () => one.owned.size === 4)
  expect(one.acquired.slice(4).map(({ epoch }) => epoch)).toEqual([3n, 3n])
})

test('a lock is given up when the last step is over, and is not waited for where that hangs', async () => {
  await using place = await openPlace(2)
  const one = await place.replica()
  await place.looking('both', () => one.owned.size === 2)
  const step = Promise.withResolvers<void>()
  one.steps.last = step.promise
  const other = await place.replica()
  await place.looking('the relayer to be released', () => one.acquired.some(({ lost }) => lost.aborted))
  for (let looks = 0; looks < 10; looks += 1) {
    place.clock.advance(200)
    await quiescence()
  }
  expect(other.acquired).toEqual([])
  expect(one.acquired.every(({ isOver }) => !isOver())).toBe(true)
  step.resolve()
  await place.looking('its share', () => other.owned.size === 1)

  const hanging = Promise.withResolvers<void>()
  one.steps.last = hanging.promise
  const stopped = one.ownerships.stop()
  await place.looking('all', () => other.owned.size === 2)
  hanging.resolve()
  await stopped
})

test('a session that is lost takes everything with it at once, and the replica joins anew', async () => {
  await using place = await openPlace(3)
  const one = await place.replica()
  await place.looking('all', () => one.owned.size === 3)
  const before = [...one.acquired]
  place.server.end(1)
  expect(before.map(({ lost, isOver }) => [lost.aborted, isOver()])).toEqual(before.map(() => [true, true]))
  await place.looking('all again', () => one.acquired.length === 6)
  expect(one.acquired.slice(3).map(({ epoch }) => epoch)).toEqual([2n, 2n, 2n])
  expect(one.acquired.slice(3).every(({ isOver }) => !isOver())).toBe(true)

  place.server.down = true
  place.clock.advance(2_000)
  await place.looking('nothing', () => one.owned.size === 0)
  place.server.down = false
  await place.looking('all once more', () => one.owned.size === 3)
})

test('after a write that was refused the relayer is given up, and acquired again where its lock is held', async () => {
  await using place = await openPlace(1)
  const one = await place.replica()
  await place.looking('it', () => one.owned.size === 1)
  const [first] = one.acquired
  if (!first) throw new Error('nothing was acquired')
  // Somebody raised the epoch without having the lock.
  await place.store.commit((session) => session.acquire(first.relayer))
  await one.ownerships.yield(first)
  expect([one.owned.size, first.lost.aborted]).toEqual([0, true])
  await place.looking('it again', () => one.owned.size === 1)
  expect(one.acquired.map(({ epoch }) => epoch)).toEqual([1n, 3n])
  await one.ownerships.yield(first)
  expect(one.owned.size).toBe(1)
})

test('a failed step renews its relayer at once, as long as the lock is held', async () => {
  await using place = await openPlace(1)
  const one = await place.replica()
  await place.looking('it', () => one.owned.size === 1)
  const [first] = one.acquired
  if (!first) throw new Error('nothing was acquired')
  await one.ownerships.renew(first)
  expect(one.acquired.map(({ epoch }) => epoch)).toEqual([1n, 2n])
  const [, second] = one.acquired
  if (!second) throw new Error('nothing was acquired')
  place.server.end(1)
  await one.ownerships.renew(second)
  expect(one.acquired).toHaveLength(2)
})

test('the owner finds work that any replica stored, also where the hint was lost', async () => {
  await using place = await openPlace(2)
  const one = await place.replica()
  const other = await place.replica()
  await place.looking('shares', () => one.owned.size === 1 && other.owned.size === 1)
  const [relayer] = other.owned.keys()
  if (relayer === undefined) throw new Error('nothing was acquired')
  one.ownerships.wake(relayer)
  expect(other.woken).toContain(relayer)
  await quiescence()
  other.woken.length = 0
  place.server.deaf = true
  await send(place.store, relayer)
  one.ownerships.wake(relayer)
  await place.looking('the look', () => other.woken.includes(relayer))
  // Once for new work, and not at each look for waiting work: unless its owner is idle, which has not seen it then.
  other.woken.length = 0
  other.wokenIfIdle.length = 0
  await place.looking('some looks more', () => other.wokenIfIdle.length >= 3)
  expect(other.woken).toEqual([])
  expect(new Set(other.wokenIfIdle)).toEqual(new Set([relayer]))
})

test('what only one can advance stays with that one, and does not go back and forth', async () => {
  await using place = await openPlace(4)
  const one = await place.replica()
  await place.looking('all', () => one.owned.size === 4)
  const other = await place.replica(place.relayers.slice(0, 1))
  // It gives up half; the other can take one at most; the rest comes back.
  await place.looking('something to be given up', () => one.acquired.some(({ lost }) => lost.aborted))
  for (let looks = 0; looks < 100; looks += 1) {
    await place.looking('all to have an owner', () => one.owned.size + other.owned.size === 4)
  }
  // Every five minutes it is tried again whether somebody wants it.
  const tries = 1 + place.clock.elapsed() / 300_000
  expect(one.acquired.length + other.acquired.length).toBeLessThanOrEqual(4 + 4 * tries)
})

test('what nobody else could advance is shared with one that comes, and can', async () => {
  await using place = await openPlace(4)
  const one = await place.replica()
  await place.looking('all', () => one.owned.size === 4)
  await place.replica([])
  await place.looking('each given up in vain', () => one.acquired.length >= 8 && one.owned.size === 4)
  const began = place.clock.elapsed()
  const third = await place.replica()
  await place.looking('its locks', () => (place.server.held.get(3)?.size ?? 0) > 0)
  expect(place.clock.elapsed() - began).toBeLessThan(60_000)
  await place.looking('its share', () => third.owned.size > 0)
})

test('a relayer that is no longer assigned is released, and a new one is taken without waiting for the next look', async () => {
  await using place = await openPlace(3)
  const [first, second, third] = place.relayers as [RelayerId, RelayerId, RelayerId]
  const one = await place.replica([first, second])
  await place.looking('both', () => one.owned.size === 2)
  await one.ownerships.assign([second, third])
  await place.looking('the other two', () => one.owned.has(third) && !one.owned.has(first))
  expect([...one.owned.keys()].sort()).toEqual([second, third].sort())
})

test('a relayer whose account another service of the database has waits, with its epoch as it was, until the account is free', async () => {
  await using place = await openPlace(3)
  const [first = '' as RelayerId] = place.relayers
  place.server.elsewhere.add(first)
  const one = await place.replica()
  await place.looking('the others', () => one.owned.size === 2)
  for (let looks = 0; looks < 10; looks += 1) {
    place.clock.advance(500)
    await quiescence()
  }
  expect(one.owned.has(first)).toBe(false)
  place.server.elsewhere.delete(first)
  await place.looking('all', () => one.owned.size === 3)
  expect(one.acquired.find(({ relayer }) => relayer === first)?.epoch).toBe(1n)
})

test('accounts change hands with their relayers, and those that are not wanted any more are free', async () => {
  await using place = await openPlace(4)
  const one = await place.replica()
  await place.looking('all', () => one.owned.size === 4)
  const other = await place.replica()
  await place.looking('shares', () => one.owned.size === 2 && other.owned.size === 2)
  const holderOf = (relayer: RelayerId) => (one.owned.has(relayer) ? 1 : 2)
  expect([...place.server.accounts].sort()).toEqual(place.relayers.map((each) => [each, holderOf(each)]).sort())
  for (const each of [one, other]) await each.ownerships.assign(place.relayers.slice(0, 1))
  await place.looking('one account', () => place.server.accounts.size === 1)
  expect([...place.server.accounts.keys()]).toEqual(place.relayers.slice(0, 1))
})
