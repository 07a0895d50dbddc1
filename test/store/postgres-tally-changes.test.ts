// The counts of a relayer on PostgreSQL: commits append their changes, and a commit in about a hundred folds them into one row for each
// status. So an open snapshot keeps few versions of each row, and whoever wrote a change, it counts once.
import { expect, test } from 'vitest'
import { cancel } from '../../src/domain/cancel.ts'
import type { RelayerId } from '../../src/domain/ids.ts'
import { secretUrl } from '../../src/ops/secret.ts'
import { openPool } from '../../src/store/postgres/connect.ts'
import { readingExecutor } from '../../src/store/postgres/executor.ts'
import { listTransactions } from '../../src/store/transactions/found/list-transactions.ts'
import { now } from '../domain/some.ts'
import { send, sendWithin, storedRelayer } from './contract.ts'
import { sharedPostgres } from './open-postgres.ts'
import { type Place, placesOn } from './postgres-place.ts'

const openPlace = placesOn(sharedPostgres())

async function countsOfRows(place: Place, relayer: RelayerId) {
  const rows = await place.query<{ status: string; count: number }>(
    `SELECT status, count(*)::int AS count FROM transactions WHERE relayer_id = '${relayer}' GROUP BY status`,
  )
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

test('counts are those of the rows, whether two processes append, fold, or change a tally at once', async () => {
  await using place = await openPlace()
  const { store } = place
  const { id } = await storedRelayer(store)
  const other = place.otherLanes()
  const change = async (index: number) => {
    const lanes = index % 2 ? store : other
    const sent = await lanes.commit((session) => sendWithin(session, id), id)
    // Every third is changed by a unit that holds no lock.
    if (index % 3 > 0)
      await lanes.commit(
        (session) => session.saveTransaction(sent, cancel(sent, now), now),
        index % 3 > 1 ? id : undefined,
      )
  }
  for (let round = 0; round < 40; round += 1) await Promise.all(Array.from({ length: 9 }, (_, index) => change(index)))
  expect(await countsOfRows(place, id)).toEqual({ pending: 120, canceled: 240 })
  expect(await store.reads.counts(id)).toMatchObject({ pending: 120, canceled: 240 })
  expect(await store.commit((session) => session.pending(id), id)).toBe(120)
  expect(await store.commit((session) => session.pending(id))).toBe(120)
  expect(await store.reads.backlogs()).toEqual(new Map([[id, 360]]))
  const pool = openPool(secretUrl(new URL(place.url)), { max: 1, onIdleError: () => undefined })
  const executor = readingExecutor(pool)
  const { total } = await listTransactions(executor, id, { status: 'canceled' }, { page: 1, perPage: 1 })
  expect(total).toBe(240)
  await pool.end()
})

test('while a snapshot is open, sends leave few versions of tallies, and reads begin after what is folded', async () => {
  await using place = await openPlace()
  const { store } = place
  const { id } = await storedRelayer(store)
  const dump = await place.session()
  await dump.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  await dump.query('SELECT 1')
  for (let sends = 0; sends < 600; sends += 1) await send(store, id)
  // A page has room for about 130 versions.
  const pages = `SELECT pg_relation_size('tallies') / 8192 AS tallies, pg_relation_size('tally_folds') / 8192 AS folds`
  expect(await place.query(pages)).toEqual([{ tallies: 1, folds: 1 }])
  const [left] = await place.query<{ changes: number; first: number; through: number }>(
    `SELECT count(*)::int AS changes, min(id)::int AS first, (SELECT through::int FROM tally_folds) AS through FROM tally_changes`,
  )
  expect(left?.changes).toBeLessThanOrEqual(130)
  expect(left?.through).toBe((left?.first ?? 0) - 1)
  expect(left?.through).toBeGreaterThan(400)
  expect((await store.reads.counts(id)).pending).toBe(600)
})

test('a relayer that was deleted and comes back keeps its counts', async () => {
  await using place = await openPlace()
  const { store } = place
  const relayer = await storedRelayer(store)
  const { id } = relayer
  for (let sends = 0; sends < 140; sends += 1) await send(store, id)
  await store.commit((session) => session.removeRelayer(id, now), id)
  expect(await store.reads.counts(id)).toMatchObject({ pending: 140 })
  await store.commit((session) => session.saveRelayer(relayer))
  await send(store, id)
  expect(await store.reads.counts(id)).toMatchObject({ pending: 141 })
})
