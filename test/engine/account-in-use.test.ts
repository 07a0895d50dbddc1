// A relayer whose account another service of the database has: its transactions, its metric and its state say so, until it is acquired.
import { expect, test } from 'vitest'
import { reportToAll } from '../../src/domain/relayer-observer.ts'
import { reconcile } from '../../src/engine/reconcile.ts'
import { watchRelayers } from '../../src/ops/relayer-states.ts'
import { ownByLocks } from '../../src/ownership/own-by-locks.ts'
import { openLockServer } from '../ownership/locks-in-memory.ts'
import { quiet } from '../store/open-store.ts'
import { until } from '../support/settled.ts'
import { openWorkplace } from './workplace.ts'

test('what waits for an account in use says so, and goes on when the account is free', async () => {
  await using place = await openWorkplace()
  const { relayer, clock } = place
  const server = openLockServer()
  server.elsewhere.add(relayer.id)
  const states = watchRelayers()
  const held = new Map<string, boolean>()
  const observer = reportToAll(states.observer, {
    accountInUse: ({ id }, isInUse) => void held.set(id, isInUse),
  })
  const stateOf = () => Object.entries(states.counts([relayer], () => true)).find(([, count]) => count > 0)?.[0]
  const ownerships = ownByLocks({
    ...{ store: place.under.store, clock, logger: quiet },
    ...{ locks: server.locks, hints: server.hints },
  })
  const sent = await place.send()
  await using running = await reconcile({ ...place.context, observer }, ownerships)
  await ownerships.assign([relayer.id])
  const looking = (what: string, condition: () => boolean | Promise<boolean>) =>
    until(what, async () => {
      clock.advance(100)
      return condition()
    })

  await looking('the reason', async () => (await place.read(sent)).wait !== undefined)
  const { wait, version } = await place.read(sent)
  expect(wait).toMatchObject({ condition: 'account_in_use', facts: {} })
  expect([running.owns(relayer.id), stateOf(), held.get(relayer.id)]).toEqual([false, 'waiting', true])
  // A cancellation is free, and the next of the queue gets the reason; nothing is written twice.
  const next = await place.send()
  expect((await place.cancel(sent)).lifecycle.phase).toBe('dropped')
  await looking('the next reason', async () => (await place.read(next)).wait !== undefined)
  const { version: reported } = await place.read(next)
  for (let looks = 0; looks < 200; looks += 1) await looking('another look', () => true)
  expect((await place.read(next)).version).toBe(reported)
  expect((await place.read(sent)).version).toBeGreaterThan(version)

  server.elsewhere.delete(relayer.id)
  await looking('the owner', () => running.owns(relayer.id))
  await looking('a nonce', async () => (await place.read(next)).lifecycle.phase === 'inFlight')
  expect((await place.read(next)).wait).toBeUndefined()
  // A report that was under way meanwhile stands until the next look.
  await looking('the end of the report', () => held.get(relayer.id) === false && stateOf() === 'ok')
})
