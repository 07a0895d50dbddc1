// A queue that is longer than a function call has room for arguments. PostgreSQL cancels it in one commit.
import { expect, test } from 'vitest'
import { now, someBulk } from '../domain/some.ts'
import { send, storedRelayer } from './contract.ts'
import { openOn, sharedPostgres } from './open-postgres.ts'

const open = openOn(sharedPostgres())

test('a queue of 200,000 is canceled whole', async () => {
  await using under = await open()
  const { store } = under
  const { id } = await storedRelayer(store)
  const first = await send(store, id)
  const count = 200_000
  await under.query(
    `INSERT INTO transactions (id, relayer_id, sequence, version, created_at, origin, from_address, value, data, pricing, speed,
        phase, open, status)
      SELECT 'clone-' || i, relayer_id, sequence + i, version, created_at, origin, from_address, value, data, pricing, speed,
        phase, open, status FROM transactions, generate_series(1, ${count - 1}) AS i WHERE id = '${first.id}'`,
  )
  const { canceled } = await store.commit((session) => session.cancelPending(id, now, someBulk()), id)
  expect([canceled.length, canceled[0], canceled.at(-1)]).toEqual([count, first.id, `clone-${count - 1}`])
  const left = `SELECT status FROM transactions WHERE relayer_id = '${id}' AND status <> 'canceled'`
  expect(await under.query(left)).toEqual([])
})
