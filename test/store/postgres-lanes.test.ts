// Two processes' transactions on one database: none waits for another with locks in hand, no event is passed over, and a
// unit costs no other one its place.
import { expect, test } from 'vitest'
import { cancel } from '../../src/domain/cancel.ts'
import type { RelayerId } from '../../src/domain/ids.ts'
import type { Lanes } from '../../src/store/postgres/lanes.ts'
import { now, transactionEvents } from '../domain/some.ts'
import { send, sendWithin, storedRelayer } from './contract.ts'
import { sharedPostgres } from './open-postgres.ts'
import { placesOn } from './postgres-place.ts'

const openPlace = placesOn(sharedPostgres())
test('two processes send and cancel for the same relayers at once: no deadlock, no place doubled or left out', async () => {
  await using place = await openPlace()
  const { store } = place
  const other = place.otherLanes()
  const relayers = [await storedRelayer(store), await storedRelayer(store)].map(({ id }) => id)
  const change = (lanes: Pick<Lanes, 'commit'>, id: RelayerId) =>
    lanes.commit(async (session) => {
      const sent = await sendWithin(session, id)
      return session.saveTransaction(sent, cancel(sent, now), now)
    }, id)
  await Promise.all(
    Array.from({ length: 120 }, (_, index) =>
      change(index % 2 ? store : other, relayers[index % 3 ? 0 : 1] as RelayerId),
    ),
  )
  for (const [index, id] of relayers.entries()) {
    const sent = index === 0 ? 80 : 40
    const places = await place.query<{ sequence: number }>(
      `SELECT sequence FROM transactions WHERE relayer_id = '${id}' ORDER BY sequence`,
    )
    expect(places.map(({ sequence }) => sequence)).toEqual(Array.from({ length: sent }, (_, at) => at + 1))
    expect(await store.reads.counts(id)).toMatchObject({ pending: 0, canceled: sent })
  }
  const [database] = await place.query<{ deadlocks: number }>(
    'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
  )
  expect(database?.deadlocks).toBe(0)
})

test('a unit that fails after it took a place gives it back, whether it wrote or not', async () => {
  await using place = await openPlace()
  const { store } = place
  const { id } = await storedRelayer(store)
  const refused = store.commit(async (session) => {
    await session.reserveSequence(id)
    throw new Error('refused')
  }, id)
  const doubled = store.commit(async (session) => {
    const sent = await sendWithin(session, id)
    await session.insertTransaction({ ...sent, sequence: sent.sequence + 1 })
  }, id)
  const outcomes = await Promise.allSettled([send(store, id), refused, send(store, id), doubled, send(store, id)])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'])
  const sent = outcomes.flatMap((each) => (each.status === 'fulfilled' && each.value ? [each.value.sequence] : []))
  expect(sent).toEqual([1, 2, 3])
  expect((await store.reads.work(id))?.lastSequence).toBe(3)
  expect((await send(store, id)).sequence).toBe(4)
})

test('in one transaction the relayer may change: what follows sees the row, not the memory of it', async () => {
  await using place = await openPlace()
  const { store } = place
  const relayer = await storedRelayer(store)
  const { id } = relayer
  const seen = await Promise.all([
    send(store, id).then(({ sequence }) => sequence),
    store
      .commit(async (session) => {
        await session.saveRelayer({ ...relayer, paused: true })
        throw new Error('undone')
      }, id)
      .catch(() => 'undone'),
    store.commit(async (session) => (await session.relayer(id))?.paused, id),
    store.commit(async (session) => {
      await session.saveRelayer({ ...relayer, paused: true })
      return (await session.reserveSequence(id))?.relayer.paused
    }, id),
    store.commit((session) => session.acquire(id), id),
    store.commit((session) => session.fence(id, 1n), id),
    store.commit((session) => session.fence(id, 0n), id).catch(({ name }: Error) => name),
    send(store, id).then(({ sequence }) => sequence),
  ])
  expect(seen).toEqual([1, 'undone', false, true, 1n, undefined, 'OwnershipLost', 3])
  expect(await place.query('SELECT last_sequence, paused FROM relayers')).toEqual([{ last_sequence: 3, paused: 1 }])
})

test('an event is read once no older one can come: nobody who reads on passes one over', async () => {
  await using place = await openPlace()
  const { store } = place
  const { id } = await storedRelayer(store)
  const sent = await send(store, id)
  const slow = await place.session()
  await slow.query('BEGIN')
  await slow.query('SELECT pg_current_xact_id()')
  const { rows } = await slow.query(
    `INSERT INTO outbox (relayer_id, transaction_id, status, terminal, occurred_at)
     VALUES ('${id}', '${sent.id}', 'pending', 0, 1) RETURNING id`,
  )
  const older = Number(rows[0].id)
  const canceled = await store.commit((session) => session.saveTransaction(sent, cancel(sent, now), now), id)
  expect(canceled.version).toBe(2)
  // The newer one is committed and seen by everybody, but must wait for the older.
  expect(await place.query('SELECT id FROM outbox')).toEqual([{ id: older + 1 }])
  for (let looks = 0; looks < 3; looks += 1) {
    expect(await store.reads.newestEvent()).toBeLessThan(older)
    expect((await store.reads.events(0, 10, () => true)).events).toEqual([])
  }
  await slow.query('COMMIT')
  expect(await store.reads.newestEvent()).toBe(older + 1)
  const { events } = await store.reads.events(0, 10, () => true)
  expect(events.map((event) => event.id)).toEqual([older, older + 1])
})

test('what an older transaction gave back does not hold events up, and ids without an event are no gap to wait for', async () => {
  await using place = await openPlace()
  const { store } = place
  const { id } = await storedRelayer(store)
  const sent = await send(store, id)
  const slow = await place.session()
  await slow.query('BEGIN')
  await slow.query(
    `INSERT INTO outbox (relayer_id, transaction_id, status, terminal, occurred_at) VALUES ('${id}', '${sent.id}', 'pending', 0, 1)`,
  )
  await store.commit((session) => session.saveTransaction(sent, cancel(sent, now), now), id)
  expect((await store.reads.events(0, 10, () => true)).events).toEqual([])
  await slow.query('ROLLBACK')
  expect(transactionEvents((await store.reads.events(0, 10, () => true)).events).map(({ status }) => status)).toEqual([
    'canceled',
  ])
})
