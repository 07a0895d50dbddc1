// A replica of a later release migrates the database while this one runs: its tables get columns that nobody here knows of.
import { expect, test } from 'vitest'
import { cancel } from '../../src/domain/cancel.ts'
import type { RelayerId, TransactionId } from '../../src/domain/ids.ts'
import type { Store } from '../../src/store/store.ts'
import { now } from '../domain/some.ts'
import { send, storedRelayer } from './contract.ts'
import { openOn, sharedPostgres } from './open-postgres.ts'

const open = openOn(sharedPostgres())

const tables = ['transactions', 'attempts', 'relayers', 'outbox', 'idempotency_keys', 'managed']

/** On as many connections as the store opens. */
async function readAtOnce({ reads }: Store, relayer: RelayerId, id: TransactionId) {
  const rounds = Array.from({ length: 12 }, async () => [
    (await reads.work(relayer))?.queued.length,
    (await reads.transaction(relayer, id))?.id,
    (await reads.transactions(relayer, {}, { page: 1, perPage: 10 })).items.length,
    (await reads.relayer(relayer))?.id,
  ])
  return Promise.all(rounds)
}

async function cancelOne(store: Store, relayer: RelayerId, id: TransactionId) {
  return store.commit(async (session) => {
    const found = await session.transaction(relayer, id)
    return found && session.saveTransaction(found, cancel(found, now), now)
  }, relayer)
}

/** A unit that fails before it has written anything. */
async function readInUnit(store: Store, relayer: RelayerId, id: TransactionId) {
  return store.commit(async (session) => (await session.transaction(relayer, id))?.version)
}

test('reads and writes go on', async () => {
  await using under = await open()
  const { store } = under
  const others = await Promise.all(Array.from({ length: 10 }, () => storedRelayer(store)))
  const sent = await Promise.all(
    others.map(async ({ id }) => ({ relayer: id, first: await send(store, id), second: await send(store, id) })),
  )
  const [{ relayer, first }] = sent as [(typeof sent)[number]]
  const own = await Promise.all(Array.from({ length: 4 }, async () => (await send(store, relayer)).id))
  const before = await readAtOnce(store, relayer, first.id)
  await Promise.all(sent.map(({ relayer, first }) => cancelOne(store, relayer, first.id)))
  // One after the other: each on the same connection.
  for (const id of own.slice(0, 2)) await cancelOne(store, relayer, id)
  // On as many connections as the store opens.
  await Promise.all(Array.from({ length: 16 }, () => readInUnit(store, relayer, first.id)))
  // The pool lends the connection that came back last, and this one has the plan of this read.
  await store.reads.work(relayer)
  for (const [round, table] of tables.entries())
    await under.query(`ALTER TABLE ${table} ADD COLUMN later_${round} BIGINT`)
  // One after the other: each connection fails once.
  expect(await readInUnit(store, relayer, first.id)).toBe(2)
  // One alone: what is read together is read again one by one, for any failure.
  expect((await store.reads.work(relayer))?.queued.length).toBe(3)
  const after = await readAtOnce(store, relayer, first.id)
  expect(after).toEqual(before.map(([, ...rest]) => [3, ...rest]))
  for (const id of own.slice(2)) expect((await cancelOne(store, relayer, id))?.version).toBe(2)
  const canceled = await Promise.all(sent.map(({ relayer, second }) => cancelOne(store, relayer, second.id)))
  expect(canceled.map((each) => each?.version)).toEqual(sent.map(() => 2))
  expect(await under.query('SELECT count(*)::int AS n FROM transactions WHERE canceled_at IS NOT NULL')).toEqual([
    { n: 24 },
  ])
})
