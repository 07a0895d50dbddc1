// Transactions of several relayers on PostgreSQL: while the database is busy, what waits shares one, and no relayer holds up
// another.
import { expect, test } from 'vitest'
import { cancel } from '../../src/domain/cancel.ts'
import { StaleWrite } from '../../src/domain/errors.ts'
import type { RelayerId } from '../../src/domain/ids.ts'
import type { Transaction } from '../../src/domain/transaction.ts'
import { until } from '../../tooling/client.ts'
import { now, someBulk } from '../domain/some.ts'
import { send, sendWithin, storedRelayer } from './contract.ts'
import { sharedPostgres } from './open-postgres.ts'
import { type Place, placesOn } from './postgres-place.ts'

const openPlace = placesOn(sharedPostgres())

async function relayersOf({ store }: Place, count: number): Promise<readonly RelayerId[]> {
  const relayers: RelayerId[] = []
  for (let each = 0; each < count; each += 1) relayers.push((await storedRelayer(store)).id)
  return relayers
}

async function isThrough(work: Promise<unknown> | undefined): Promise<boolean> {
  return Promise.race([
    Promise.resolve(work).then(() => true),
    new Promise<boolean>((resolve) => setImmediate(resolve, false)),
  ])
}

/** How many sessions do. */
async function waitsForLocks(place: Place): Promise<number> {
  const rows = await place.query("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
  return rows.length
}

/** Relayer and place of each transaction, by the database transaction that wrote it, in the order of the ids. */
async function writtenBy(place: Place): Promise<readonly (readonly string[])[]> {
  const rows = await place.query<{ by: string; what: string }>(
    `SELECT xmin::text AS by, relayer_id || ' ' || sequence AS what FROM transactions ORDER BY relayer_id, sequence`,
  )
  return [...Map.groupBy(rows, ({ by }) => by).values()].map((each) => each.map(({ what }) => what))
}

test('what several relayers send at once is one transaction, and each of them has its own sequences', async () => {
  await using place = await openPlace()
  const relayers = await relayersOf(place, 3)
  const sent = await Promise.all(relayers.flatMap((id) => [send(place.store, id), send(place.store, id)]))
  expect(sent.map(({ sequence }) => sequence)).toEqual([1, 2, 1, 2, 1, 2])
  expect(await writtenBy(place)).toEqual([relayers.toSorted().flatMap((id) => [`${id} 1`, `${id} 2`])])
  for (const id of relayers) expect(await place.store.reads.counts(id)).toMatchObject({ pending: 2 })
})

test('a relayer that another process has locked waits alone, in the order of its calls; the others do not', async () => {
  await using place = await openPlace()
  const { store } = place
  const [locked, ...free] = await relayersOf(place, 4)
  if (!locked) throw new Error('there are four')
  const other = await place.session()
  await other.query('BEGIN')
  await other.query('SELECT * FROM relayers WHERE id = $1 FOR NO KEY UPDATE', [locked])
  let isThrough = false
  const waiting = Promise.all([send(store, locked), send(store, locked)]).finally(() => {
    isThrough = true
  })
  await Promise.all(free.map((id) => send(store, id)))
  const later = send(store, locked)
  await Promise.all(free.map((id) => send(store, id)))
  expect(isThrough).toBe(false)
  await other.query('COMMIT')
  expect((await waiting).map(({ sequence }) => sequence)).toEqual([1, 2])
  expect((await later).sequence).toBe(3)
})

test('how many are pending is read under the lock: it counts what another process stored meanwhile', async () => {
  await using place = await openPlace()
  const [id] = await relayersOf(place, 1)
  if (!id) throw new Error('there is one')
  await send(place.store, id)
  const other = await place.session()
  await other.query('BEGIN')
  await other.query('SELECT * FROM relayers WHERE id = $1 FOR NO KEY UPDATE', [id])
  const pending = place.store.commit((session) => session.pending(id), id)
  await until(async () => (await waitsForLocks(place)) === 1, { what: 'a unit that waits for the lock' })
  await other.query("INSERT INTO tallies (relayer_id, status, count) VALUES ($1, 'pending', 6)", [id])
  await other.query('COMMIT')
  expect(await pending).toBe(7)
})

test('relayers that another process has locked, one after the other, leave the others their transactions', async () => {
  await using place = await openPlace()
  const { store } = place
  const [free, ...locked] = await relayersOf(place, 4)
  if (!free) throw new Error('there are four')
  const holder = await place.session()
  await holder.query('BEGIN')
  await holder.query('SELECT * FROM relayers WHERE id = ANY($1) FOR NO KEY UPDATE', [locked])
  const waiting: Promise<Transaction>[] = []
  for (const id of locked) {
    waiting.push(send(store, id))
    await until(async () => (await waitsForLocks(place)) === waiting.length, { what: 'it to wait for the lock' })
    await send(store, free)
  }
  expect(await store.reads.counts(free)).toMatchObject({ pending: 3 })
  await holder.query('COMMIT')
  expect((await Promise.all(waiting)).map(({ sequence }) => sequence)).toEqual([1, 1, 1])
})

test('relayers with long queues leave another its turn', async () => {
  await using place = await openPlace()
  const { store } = place
  const [last, ...busy] = await relayersOf(place, 4)
  if (!last) throw new Error('there are four')
  let open = 0
  const queues = busy.map((id) =>
    Promise.all(
      Array.from({ length: 1_500 }, async () => {
        open += 1
        await send(store, id)
        open -= 1
      }),
    ),
  )
  await send(store, last)
  // Less than a third of theirs went before it.
  expect(open).toBeGreaterThan(3_000)
  await Promise.all(queues)
  for (const id of busy) expect(await store.reads.counts(id)).toMatchObject({ pending: 1_500 })
})

test('where a shared transaction fails, no relayer waits for one that another process locks then', async () => {
  await using place = await openPlace()
  const { store } = place
  const [failing, locked, free] = await relayersOf(place, 3)
  if (!failing || !locked || !free) throw new Error('there are three')
  const holder = await place.session()
  await holder.query('BEGIN')
  let holding: Promise<unknown> | undefined
  const failed = store.commit(async (session) => {
    await sendWithin(session, failing)
    holding ??= holder.query('SELECT * FROM relayers WHERE id = $1 FOR NO KEY UPDATE', [locked])
    await until(async () => (await waitsForLocks(place)) > 0 || (await isThrough(holding)), { what: 'the lock' })
    throw new Error('changed its mind')
  }, failing)
  const waiting = send(store, locked)
  await expect(Promise.all([failed, send(store, free)])).rejects.toThrow('changed its mind')
  await holding
  expect((await send(store, free)).sequence).toBe(2)
  await holder.query('COMMIT')
  expect((await waiting).sequence).toBe(1)
})

test('a unit that fails, before or after it wrote, costs the units of other relayers nothing', async () => {
  await using place = await openPlace()
  const { store } = place
  const [one, other, third] = await relayersOf(place, 3)
  if (!one || !other || !third) throw new Error('there are three')
  const stale = await send(store, other)
  const outcomes = await Promise.allSettled([
    send(store, one),
    store.commit(async (session) => {
      await sendWithin(session, other)
      throw new Error('changed its mind')
    }, other),
    send(store, other),
    store.commit((session) => session.saveTransaction({ ...stale, version: 9 }, cancel(stale, now), now), other),
    store.commit(async () => {
      throw new Error('refused')
    }, third),
    send(store, third),
    send(store, 'nobody' as RelayerId).catch(() => 'no such relayer'),
    store.commit((session) => session.reserveSequence('no\0body' as RelayerId), 'no\0body' as RelayerId),
  ])
  const seen = outcomes.map((each) => (each.status === 'fulfilled' ? each.value : each.reason))
  const sent = (relayerId: RelayerId, sequence: number) => expect.objectContaining({ relayerId, sequence })
  expect(seen).toEqual([
    sent(one, 1),
    new Error('changed its mind'),
    sent(other, 2),
    expect.any(StaleWrite),
    new Error('refused'),
    sent(third, 1),
    'no such relayer',
    undefined,
  ])
  for (const [id, pending] of [
    [one, 1],
    [other, 2],
    [third, 1],
  ] as const)
    expect(await store.reads.counts(id)).toMatchObject({ pending, canceled: 0 })
})

test('what may write thousands of rows has a transaction of its own, and holds up no other relayer', async () => {
  await using place = await openPlace()
  const { store } = place
  const [long, ...others] = await relayersOf(place, 3)
  if (!long) throw new Error('there are three')
  await send(store, long)
  let sent = 0
  let sentBefore = 0
  const canceling = store.commit(
    async (session) => {
      // At last it goes on: the test fails then, and does not hang.
      await until(() => sent === others.length, { what: 'the others', limitMs: 20_000 }).catch(() => undefined)
      sentBefore = sent
      return session.cancelPending(long, now, someBulk())
    },
    long,
    { long: true },
  )
  for (const id of others) void send(store, id).then(() => (sent += 1))
  expect((await canceling).canceled).toHaveLength(1)
  expect(sentBefore).toBe(others.length)
})

test('what waits while two transactions are under way goes together, and the end waits for all of it', async () => {
  await using place = await openPlace()
  const { store } = place
  const relayers = await relayersOf(place, 6)
  const [first, second, ...rest] = relayers
  if (!first || !second) throw new Error('there are six')
  let goOn = () => {}
  const slow = new Promise<void>((resolve) => {
    goOn = resolve
  })
  let begun = 0
  const holding = [first, second].map(async (id, index) => {
    await until(() => begun === index, { what: 'the transaction before it' })
    return store.commit(async (session) => {
      begun += 1
      await slow
      return sendWithin(session, id)
    }, id)
  })
  await until(() => begun === 2, { what: 'both transactions' })
  const waiting = rest.map((id) => send(store, id))
  goOn()
  await Promise.all([...holding, ...waiting])
  const groups = await writtenBy(place)
  expect(groups.map((each) => each.length).toSorted()).toEqual([1, 1, 4])
})

test('reads of several relayers share a snapshot, and one that fails costs the others nothing', async () => {
  await using place = await openPlace()
  const { store } = place
  const relayers = await relayersOf(place, 3)
  for (const id of relayers) await send(store, id)
  const damaged = relayers[1]
  await place.query(`UPDATE transactions SET phase = 'mined', nonce = 5 WHERE relayer_id = '${damaged}'`)
  const works = await Promise.allSettled([
    ...relayers.map((id) => store.reads.work(id)),
    store.reads.work('nobody' as RelayerId),
  ])
  expect(works.map((each) => (each.status === 'fulfilled' ? each.value?.queued.length : 'failed'))).toEqual([
    1,
    'failed',
    1,
    undefined,
  ])
})
