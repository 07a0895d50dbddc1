// Units that share a transaction on PostgreSQL: what they ask is read ahead for all of them, what they write goes in lists,
// and each still sees what the one before it did, and fails alone.
import { expect, test } from 'vitest'
import { administratorId } from '../../src/domain/api-key.ts'
import { cancel } from '../../src/domain/cancel.ts'
import { StaleWrite } from '../../src/domain/errors.ts'
import type { RelayerId, TransactionId } from '../../src/domain/ids.ts'
import type { Transaction } from '../../src/domain/transaction.ts'
import type { Store } from '../../src/store/store.ts'
import { now, someAttempt, someBulk } from '../domain/some.ts'
import { freshId, send, sendWithin, storedRelayer } from './contract.ts'
import { openOn, sharedPostgres } from './open-postgres.ts'

const open = openOn(sharedPostgres())

function cancelOne(store: Store, relayer: RelayerId, id: TransactionId, at = now): Promise<Transaction> {
  return store.commit(
    async (session) => {
      const found = await session.transaction(relayer, id)
      if (!found) throw new Error('not found')
      const after = cancel(found, at)
      return after === found ? found : session.saveTransaction(found, after, at)
    },
    relayer,
    { transactions: [id] },
  )
}

const outcomeOf = (outcome: PromiseSettledResult<Transaction>) =>
  outcome.status === 'fulfilled' ? outcome.value.version : (outcome.reason as Error).message

test('many are canceled at once: each a row, an event in the order of the calls, and a count', async () => {
  await using under = await open()
  const { store } = under
  const { id } = await storedRelayer(store)
  const sent = await Promise.all(Array.from({ length: 60 }, () => send(store, id)))
  const canceled = await Promise.all(sent.map((each) => cancelOne(store, id, each.id)))
  for (const [index, each] of canceled.entries()) {
    expect(each.version).toBe(2)
    expect(await store.reads.transaction(id, sent[index]?.id as TransactionId)).toStrictEqual(each)
  }
  expect(await under.query('SELECT transaction_id, status, terminal FROM outbox ORDER BY id')).toEqual(
    sent.map((each) => ({ transaction_id: each.id, status: 'canceled', terminal: 1 })),
  )
  expect(await store.reads.counts(id)).toMatchObject({ pending: 0, canceled: 60 })
})

test.each([
  ['where it is another one for each', (index: number) => now + (index % 3)],
  ['where the clock went on between two of them', (index: number) => now + (index < 5 ? 0 : 1)],
])('of those that are canceled at once each keeps its own moment, %s', async (_, momentOf) => {
  await using under = await open()
  const { store } = under
  const { id } = await storedRelayer(store)
  const sent = await Promise.all(Array.from({ length: 9 }, () => send(store, id)))
  await Promise.all(sent.map((each, index) => cancelOne(store, id, each.id, momentOf(index))))
  const moments = sent.map((_, index) => ({ at: momentOf(index) }))
  expect(await under.query('SELECT canceled_at AS at FROM transactions ORDER BY sequence')).toEqual(moments)
  expect(await under.query('SELECT occurred_at AS at FROM outbox ORDER BY id')).toEqual(moments)
})

test('a second unit sees what the first has made of what was read ahead for both', async () => {
  await using under = await open()
  const { store } = under
  const { id } = await storedRelayer(store)
  const [one, other] = [await send(store, id), await send(store, id)]
  const attempts = [someAttempt(0, { transactionId: one.id })] as const
  const bound = { ...one, lifecycle: { phase: 'inFlight', nonce: 0, attempts } as const }
  const [saved, , again, bulk, last] = await Promise.all([
    store.commit((session) => session.saveTransaction(one, bound, now), id, { transactions: [one.id] }),
    cancelOne(store, id, other.id),
    cancelOne(store, id, one.id),
    store.commit((session) => session.cancelPending(id, now, someBulk()), id),
    cancelOne(store, id, other.id),
  ])
  expect([saved.version, again.version, last.version]).toEqual([2, 3, 2])
  expect(again.lifecycle).toStrictEqual(bound.lifecycle)
  expect(bulk.canceled).toEqual([])
  expect(await store.reads.transaction(id, one.id)).toStrictEqual(again)
  expect(await under.query('SELECT status FROM outbox ORDER BY id')).toEqual([
    { status: 'submitted' },
    { status: 'canceled' },
    { status: 'canceled' },
  ])
})

test('what is read ahead has the attempts of its nonce, and of no earlier one', async () => {
  await using under = await open()
  const { store } = under
  const { id } = await storedRelayer(store)
  const sent = await send(store, id)
  const inFlight = (nonce: number) => ({
    phase: 'inFlight' as const,
    nonce,
    attempts: [someAttempt(nonce, { transactionId: sent.id })] as const,
  })
  const saved = await store.commit(async (session) => {
    const first = await session.saveTransaction(sent, { ...sent, lifecycle: inFlight(3) }, now)
    const back = await session.saveTransaction(first, { ...first, lifecycle: { phase: 'queued' } }, now)
    return session.saveTransaction(back, { ...back, lifecycle: inFlight(7) }, now)
  }, id)
  const found = await store.commit((session) => session.transaction(id, sent.id), id, { transactions: [sent.id] })
  expect(found).toStrictEqual(saved)
})

test('what is read ahead is the relayer’s own: a neighbour’s, an unknown and a deleted relayer’s are as without', async () => {
  await using under = await open()
  const { store } = under
  const [one, other] = [(await storedRelayer(store)).id, (await storedRelayer(store)).id]
  const theirs = await send(store, other)
  const mine = await send(store, one)
  const outcomes = await Promise.allSettled([
    cancelOne(store, one, theirs.id),
    cancelOne(store, one, freshId()),
    cancelOne(store, one, 'a\0b' as TransactionId),
    cancelOne(store, 'nobody' as RelayerId, mine.id),
    cancelOne(store, one, mine.id),
  ])
  expect(outcomes.map(outcomeOf)).toEqual(['not found', 'not found', 'not found', 'not found', 2])
  expect(await store.reads.transaction(other, theirs.id)).toStrictEqual(theirs)
})

test('a row that can’t be read, and one that somebody changed, cost the units beside theirs nothing', async () => {
  await using under = await open()
  const { store } = under
  const { id } = await storedRelayer(store)
  const sent = await Promise.all(Array.from({ length: 8 }, () => send(store, id)))
  const [damaged, stale] = sent as [Transaction, Transaction]
  await under.query(`UPDATE transactions SET phase = 'mined', nonce = 5 WHERE id = '${damaged.id}'`)
  const outcomes = await Promise.allSettled([
    ...sent.slice(2, 5).map((each) => cancelOne(store, id, each.id)),
    cancelOne(store, id, damaged.id),
    store.commit((session) => session.saveTransaction({ ...stale, version: 9 }, cancel(stale, now), now), id),
    store.commit(async (session) => {
      await session.saveTransaction(stale, cancel(stale, now), now)
      throw new Error('changed its mind')
    }, id),
    ...sent.slice(5).map((each) => cancelOne(store, id, each.id)),
    send(store, id),
  ])
  expect(outcomes.map(outcomeOf)).toEqual([
    ...[2, 2, 2],
    expect.stringContaining('without an attempt'),
    expect.stringContaining('no longer at version 9'),
    'changed its mind',
    ...[2, 2, 2],
    1,
  ])
  expect(outcomes[4]).toMatchObject({ reason: expect.any(StaleWrite) })
  expect(await store.reads.transaction(id, stale.id)).toStrictEqual(stale)
  expect(await store.reads.counts(id)).toMatchObject({ pending: 3, canceled: 6 })
})

test('a row with a nonce that can’t be read costs a bulk cancellation nothing but itself', async () => {
  await using under = await open()
  const { store } = under
  const { id } = await storedRelayer(store)
  const [first, damaged, last] = await Promise.all([send(store, id), send(store, id), send(store, id)])
  await under.query(`UPDATE transactions SET phase = 'mined', nonce = 5 WHERE id = '${damaged.id}'`)
  const taken = await store.commit((session) => session.cancelPending(id, now, someBulk()), id, { long: true })
  const failed = [{ id: damaged.id, reason: expect.stringContaining('without an attempt') }]
  expect(taken).toMatchObject({ canceled: [first.id, last.id], failed })
  expect(await store.reads.counts(id)).toMatchObject({ pending: 1, canceled: 2 })
})

test('an id that is stored already fails its own unit, whatever shares the list with it', async () => {
  await using under = await open()
  const { store } = under
  const { id } = await storedRelayer(store)
  const known = await send(store, id)
  const outcomes = await Promise.allSettled([
    send(store, id),
    store.commit((session) => sendWithin(session, id, { id: known.id }), id),
    send(store, id),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await under.query('SELECT sequence FROM transactions ORDER BY sequence')).toEqual(
    [1, 2, 3].map((sequence) => ({ sequence })),
  )
})

test('how many are pending counts what the units before in the transaction have sent and taken back', async () => {
  await using under = await open()
  const { store } = under
  const { id } = await storedRelayer(store)
  const first = await send(store, id)
  const pending = () => store.commit((session) => session.pending(id), id)
  const seen = await Promise.all([
    pending(),
    send(store, id).then(() => 'sent'),
    pending(),
    store
      .commit(async (session) => {
        await sendWithin(session, id)
        throw new Error('undone')
      }, id)
      .catch(() => 'undone'),
    pending(),
    cancelOne(store, id, first.id).then(() => 'canceled'),
    pending(),
    store.commit((session) => session.cancelPending(id, now, someBulk()), id).then(() => 'bulk'),
    pending(),
  ])
  expect(seen).toEqual([1, 'sent', 2, 'undone', 2, 'canceled', 1, 'bulk', 0])
})

const claimOf = (key: string) => ({ owner: administratorId, key, digest: `digest of ${key}` })

/** What a send under an idempotency key does: its id, new or of an earlier one. */
function sendOnce(store: Store, relayer: RelayerId, key: string, fail?: string): Promise<TransactionId> {
  const id = freshId()
  return store.commit(
    async (session) => {
      const claimed = await session.claim(claimOf(key), [id], now)
      if (claimed) return claimed.ids[0] as TransactionId
      await sendWithin(session, relayer, { id })
      if (fail !== undefined) throw new Error(fail)
      return id
    },
    relayer,
    { claims: [claimOf(key)] },
  )
}

test('of sends under one key that come at once one is stored, and all are told of it, also later', async () => {
  await using under = await open()
  const { store } = under
  const { id } = await storedRelayer(store)
  const sent = await Promise.all(['a', 'b', 'a', 'a', 'c', 'b'].map((key) => sendOnce(store, id, key)))
  const [a, b, , , c] = sent
  expect(sent).toEqual([a, b, a, a, c, b])
  expect(new Set(sent).size).toBe(3)
  expect(await Promise.all(['c', 'd', 'a'].map((key) => sendOnce(store, id, key)))).toEqual([c, expect.any(String), a])
  expect(await under.query('SELECT sequence FROM transactions ORDER BY sequence')).toHaveLength(4)
})

test('a send that fails leaves its key free, for the next in the same transaction', async () => {
  await using under = await open()
  const { store } = under
  const { id } = await storedRelayer(store)
  const outcomes = await Promise.allSettled([
    sendOnce(store, id, 'a', 'refused'),
    sendOnce(store, id, 'a'),
    sendOnce(store, id, 'b'),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
  expect(await under.query('SELECT key FROM idempotency_keys ORDER BY key')).toEqual([{ key: 'a' }, { key: 'b' }])
  expect(await under.query('SELECT sequence FROM transactions ORDER BY sequence')).toEqual([
    { sequence: 1 },
    { sequence: 2 },
  ])
})

test('a key that another relayer’s unit is about to claim is waited for, and belongs to one of them', async () => {
  await using under = await open()
  const { store } = under
  const [one, other] = [(await storedRelayer(store)).id, (await storedRelayer(store)).id]
  const keys = Array.from({ length: 12 }, (_, index) => `key-${index}`)
  const [mine, theirs] = await Promise.all([
    Promise.all(keys.map((key) => sendOnce(store, one, key))),
    Promise.all(keys.toReversed().map((key) => sendOnce(store, other, key))),
  ])
  expect(mine).toEqual(theirs.toReversed())
  expect(await under.query('SELECT id FROM transactions')).toHaveLength(keys.length)
})

test('what becomes of transactions has its room in an index: an entry beside each of theirs splits no page', async () => {
  await using under = await open()
  const { store } = under
  const { id } = await storedRelayer(store)
  const sent = await Promise.all(Array.from({ length: 3_000 }, () => send(store, id)))
  const pages = async () => {
    const [row] = await under.query<{ pages: number }>(
      "SELECT pg_relation_size('transactions_sequence') / 8192 AS pages",
    )
    return row?.pages ?? 0
  }
  const before = await pages()
  await Promise.all(sent.map((each) => cancelOne(store, id, each.id)))
  expect(before).toBeGreaterThan(20)
  expect(await pages()).toBeLessThan(before * 1.2)
  // The others that grow at their end, where rows are not numbered at random as here.
  const roomy = await under.query<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE reloptions @> '{fillfactor=50}' ORDER BY relname",
  )
  expect(roomy.map(({ name }) => name)).toEqual(['transactions_pkey', 'transactions_sequence'])
})
