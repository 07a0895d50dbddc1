// The sequences of a relayer on PostgreSQL, whose newest transaction has the last one: another process may store one meanwhile.
import { expect, test } from 'vitest'
import type { RelayerId } from '../../src/domain/ids.ts'
import { freshId, send, storedRelayer } from './contract.ts'
import { sharedPostgres } from './open-postgres.ts'
import { type Place, placesOn } from './postgres-place.ts'

const openPlace = placesOn(sharedPostgres())

const sequencesOf = async (place: Place, relayer: RelayerId) =>
  (
    await place.query<{ sequence: number }>(
      `SELECT sequence FROM transactions WHERE relayer_id = '${relayer}' ORDER BY sequence`,
    )
  ).map(({ sequence }) => sequence)

test('a unit without the lock reserves after the transactions of the holder for which it waits', async () => {
  await using place = await openPlace()
  const { store } = place
  const { id } = await storedRelayer(store)
  const holder = await place.session()
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
