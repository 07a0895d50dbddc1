// Replicas of the release before go by the last sequence in a relayer's row, which this release no longer writes with each send.
// Both run for a while: no sequence is given out twice, whoever wrote last.
import { expect, test } from 'vitest'
import { cancel } from '../../src/domain/cancel.ts'
import type { ApiKeyId, RelayerId } from '../../src/domain/ids.ts'
import { now } from '../domain/some.ts'
import { freshId, send, storedRelayer } from './contract.ts'
import { sharedPostgres } from './open-postgres.ts'
import { type Place, placesOn } from './postgres-place.ts'

const openPlace = placesOn(sharedPostgres())

/** A session of the release before, with the statements that it runs. */
async function openEarlier(place: Place, relayer: RelayerId) {
  const client = await place.session()
  await client.query("SET rescind.counts_buckets = 'yes'")
  const lastOf = async (sql: string) => Number((await client.query(sql, [relayer])).rows[0]?.last_sequence)
  const insert = (sequence: number) =>
    client.query(
      `INSERT INTO transactions (id, relayer_id, sequence, version, created_at, origin, from_address, value, data, pricing, speed,
        phase, open, status) VALUES ($1, $2, $3, 1, 1, 'client', '0x', '0', '0x', 'speed', 'fast', 'queued', 1, 'pending')`,
      [freshId(), relayer, sequence],
    )
  /** From the locked row, as many sends in one commit do. Returns the sequence that it believes in. */
  async function sendWithLock(count: number): Promise<number> {
    await client.query('BEGIN')
    const last = await lastOf('SELECT * FROM relayers WHERE id = $1 FOR NO KEY UPDATE')
    for (let sent = 1; sent <= count; sent += 1) await insert(last + sent)
    await client.query('UPDATE relayers SET last_sequence = $2 WHERE id = $1', [relayer, last + count])
    await client.query('COMMIT')
    return last + count
  }
  /** By one statement, as a unit without the lock does. */
  async function sendAtOnce(): Promise<void> {
    await client.query('BEGIN')
    await insert(await lastOf('UPDATE relayers SET last_sequence = last_sequence + 1 WHERE id = $1 RETURNING *'))
    await client.query('COMMIT')
  }
  return { client, sendWithLock, sendAtOnce }
}

const sequencesOf = async (place: Place, relayer: RelayerId) =>
  (
    await place.query<{ sequence: number }>(
      `SELECT sequence FROM transactions WHERE relayer_id = '${relayer}' ORDER BY sequence`,
    )
  ).map(({ sequence }) => sequence)

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1)

test('sends of both releases in turn get rising sequences without a gap, also many in one commit', async () => {
  await using place = await openPlace()
  const { store } = place
  const { id } = await storedRelayer(store)
  const earlier = await openEarlier(place, id)
  await earlier.sendWithLock(2)
  expect((await send(store, id)).sequence).toBe(3)
  expect((await send(store, id)).sequence).toBe(4)
  expect(await earlier.sendWithLock(3)).toBe(5)
  expect(await sequencesOf(place, id)).toEqual(upTo(7))
  expect((await send(store, id)).sequence).toBe(8)
  await earlier.sendAtOnce()
  expect(await sequencesOf(place, id)).toEqual(upTo(9))
  await Promise.all([
    ...Array.from({ length: 20 }, () => send(store, id)),
    (async () => {
      for (let turn = 0; turn < 10; turn += 1) await earlier.sendWithLock(2)
    })(),
  ])
  expect(await sequencesOf(place, id)).toEqual(upTo(49))
  // The buckets are those that it counted.
  expect(await place.query('SELECT * FROM uncounted_relayers')).toEqual([])
})

test('a transaction of the release before that comes into another bucket leaves its relayer uncounted', async () => {
  await using place = await openPlace()
  const { store } = place
  const { id } = await storedRelayer(store)
  const earlier = await openEarlier(place, id)
  await store.commit((session) => session.reserveSequences(id, 16_383), id)
  // The floor is a row's, which the earlier release reads: only the transaction below is ahead of it.
  await send(store, id)
  await earlier.sendWithLock(1)
  expect(await sequencesOf(place, id)).toEqual([16_384, 16_385])
  expect(await place.query('SELECT * FROM uncounted_relayers')).toEqual([])
  const other = (await storedRelayer(store)).id
  const earlierOther = await openEarlier(place, other)
  await store.commit((session) => session.reserveSequences(other, 16_382), other)
  await send(store, other)
  await earlierOther.sendWithLock(1)
  expect(await sequencesOf(place, other)).toEqual([16_383, 16_384])
  expect(await place.query('SELECT relayer_id FROM uncounted_relayers')).toEqual([{ relayer_id: other }])
})

test('an owner of the release before begins its history check at the last sequence, whoever stored it', async () => {
  await using place = await openPlace()
  const { store } = place
  const { id } = await storedRelayer(store)
  const { client } = await openEarlier(place, id)
  await send(store, id)
  await send(store, id)
  const raise = `UPDATE relayers SET epoch = epoch + 1, unchecked_through = COALESCE(unchecked_through, last_sequence) WHERE id = $1`
  await client.query(raise, [id])
  expect(await store.reads.work(id)).toMatchObject({ lastSequence: 2, uncheckedThrough: 2 })
  await send(store, id)
  await client.query(raise, [id])
  const { rows } = await client.query('SELECT last_sequence::int, unchecked_through::int FROM relayers WHERE id = $1', [
    id,
  ])
  expect(rows).toEqual([{ last_sequence: 3, unchecked_through: 2 }])
})

test('what the release before removes leaves its sequence to nobody, be it a transaction or the relayer', async () => {
  await using place = await openPlace()
  const { store } = place
  const relayer = await storedRelayer(store)
  const { id } = relayer
  const { client } = await openEarlier(place, id)
  const drop = async () => {
    const sent = await send(store, id)
    await store.commit((session) => session.saveTransaction(sent, cancel(sent, now), now), id)
    return sent
  }
  await drop()
  const newest = await drop()
  await client.query('DELETE FROM transactions WHERE id = $1', [newest.id])
  const { id: third, sequence } = await drop()
  expect(sequence).toBe(3)
  // It writes down what the row says, and the transactions of a deleted relayer are removed later.
  await client.query(
    `WITH gone AS (DELETE FROM relayers WHERE id = $1 RETURNING *)
      INSERT INTO former_relayers (id, chain_id, address, epoch, last_sequence, spent_below, deleted_at)
      SELECT id, chain_id, address, epoch, last_sequence, spent_below, 1 FROM gone`,
    [id],
  )
  await client.query('DELETE FROM transactions WHERE id = $1', [third])
  await store.commit((session) => session.saveRelayer(relayer))
  expect((await send(store, id)).sequence).toBe(4)
})

test('a unit without the lock reserves after the transactions of the holder for which it waits', async () => {
  await using place = await openPlace()
  const { store } = place
  const { id } = await storedRelayer(store)
  const holder = await place.session()
  await holder.query("SET rescind.reads_sequences = 'yes'")
  const waiting = async (unit: () => Promise<unknown>) => {
    await holder.query('BEGIN')
    await holder.query('SELECT 1 FROM relayers WHERE id = $1 FOR NO KEY UPDATE', [id])
    const next = unit()
    const isWaiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
    while ((await place.query(isWaiting)).length === 0) await new Promise((resume) => setTimeout(resume, 20))
    const sequence = Math.max(0, ...(await sequencesOf(place, id))) + 1
    await holder.query(
      `INSERT INTO transactions (id, relayer_id, sequence, version, created_at, origin, from_address, value, data, pricing, speed,
        phase, open, status) VALUES ($1, $2, $3, 1, 1, 'client', '0x', '0', '0x', 'speed', 'fast', 'queued', 1, 'pending')`,
      [freshId(), id, sequence],
    )
    await holder.query('COMMIT')
    return next
  }
  expect(await waiting(() => store.commit((session) => session.reserveSequence(id)))).toMatchObject({ sequence: 2 })
  await send(store, id)
  expect(await waiting(() => send(store, id))).toMatchObject({ sequence: 5 })
  await waiting(() => store.commit((session) => session.acquire(id)))
  expect(await store.reads.work(id)).toMatchObject({ lastSequence: 6, uncheckedThrough: 6 })
})

test('what the release before does to a relayer leaves the pause of its network, and one that it creates gets it with the next change', async () => {
  await using place = await openPlace()
  const { store } = place
  const relayer = await storedRelayer(store)
  const mark = () =>
    store.commit(async (session) => {
      await session.raiseRevision()
      return session.markNetwork(relayer.network, { at: now, by: 'operator' as ApiKeyId })
    })
  await mark()
  const client = await place.session()
  const save = (id: string, address: string) =>
    client.query(
      `INSERT INTO relayers (id, name, network, chain_id, address, signer_id, paused, policies, epoch, last_sequence, spent_below)
        VALUES ($1, 'earlier', $2, 1, $3, 'dev', 0, '{}', 0, 0, 0)
        ON CONFLICT (id) DO UPDATE SET name = excluded.name, paused = excluded.paused`,
      [id, relayer.network, address],
    )
  await save(relayer.id, relayer.address)
  expect(await store.reads.relayer(relayer.id)).toMatchObject({ name: 'earlier', paused: false, networkPaused: true })
  await save('of-the-release-before', `0x${'e'.repeat(40)}`)
  const made = 'of-the-release-before' as RelayerId
  expect(await store.reads.relayer(made)).not.toHaveProperty('networkPaused')
  expect(await mark()).toEqual([made])
  expect(await store.reads.relayer(made)).toMatchObject({ networkPaused: true })
})
