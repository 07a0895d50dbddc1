// A queue that a bulk cancellation writes in shares: no owner takes from it, no client sees it half done, and it ends.
import { expect, test } from 'vitest'
import { cancelTransaction } from '../../../src/commands/transactions/cancel.ts'
import { cancelPending } from '../../../src/commands/transactions/cancel-pending.ts'
import { finishBulks } from '../../../src/commands/transactions/finish-bulks.ts'
import { StaleWrite } from '../../../src/domain/errors.ts'
import type { RelayerId, TransactionId } from '../../../src/domain/ids.ts'
import { statusOf } from '../../../src/domain/transaction.ts'
import { systemClock } from '../../../src/ops/clock.ts'
import type { Store } from '../../../src/store/store.ts'
import { now, someAttempt } from '../../domain/some.ts'
import { send, storedRelayer } from '../../store/contract.ts'
import { openStore, quiet } from '../../store/open-store.ts'

const around = { clock: systemClock, logger: quiet, limits: { bulkShare: 2, bulkBreathMs: 1 } }

async function queueOf(store: Store, relayer: RelayerId, count: number): Promise<TransactionId[]> {
  const ids: TransactionId[] = []
  for (let sent = 0; sent < count; sent += 1) ids.push((await send(store, relayer)).id)
  return ids
}

const mark = (store: Store, relayer: RelayerId) =>
  store.commit((session) => session.cancelPending(relayer, now, 2), relayer)

test('a queue as long as a share is canceled in one commit', async () => {
  await using under = await openStore()
  const { store } = under
  const { id } = await storedRelayer(store)
  const ids = await queueOf(store, id, 2)
  expect(await mark(store, id)).toEqual({ canceled: ids, failed: [], racing: 0 })
  expect(await store.reads.bulksUnderWay()).toEqual([])
})

test('from the first commit on no owner sees the queue, or writes what it had read before', async () => {
  await using under = await openStore()
  const { store } = under
  const { id } = await storedRelayer(store)
  await queueOf(store, id, 5)
  const read = await store.reads.work(id)
  expect(await mark(store, id)).toEqual({ canceled: [], failed: [], racing: 0, isUnderWay: true })
  const later = await send(store, id)
  const work = await store.reads.work(id)
  expect(work?.queued.map((each) => each.id)).toEqual([later.id])
  expect((await store.reads.queueHead(id))?.id).toBe(later.id)
  expect(await store.reads.queueThrough(id, 100)).toEqual([later])
  const [first] = read?.queued ?? []
  if (!first) throw new Error('the queue was empty')
  const attempts = [someAttempt(0, { transactionId: first.id })] as const
  const bound = { ...first, lifecycle: { phase: 'inFlight', nonce: 0, attempts } } as const
  await expect(store.commit((session) => session.saveTransaction(first, bound, now))).rejects.toThrow(StaleWrite)
  await store.commit((session) =>
    session.saveTransaction(
      later,
      {
        ...bound,
        ...later,
        lifecycle: { ...bound.lifecycle, attempts: [someAttempt(0, { transactionId: later.id })] },
      },
      now,
    ),
  )
})

test('requests of the relayer wait for the last share, those of others do not', async () => {
  await using under = await openStore()
  const { store } = under
  const [one, two] = [(await storedRelayer(store)).id, (await storedRelayer(store)).id]
  const ids = await queueOf(store, one, 7)
  const [other] = await queueOf(store, two, 1)
  await mark(store, one)
  await using bulks = await finishBulks({ store, ...around })
  const order: string[] = []
  const last = bulks.store.reads.transaction(one, ids[6] as TransactionId).then((found) => {
    order.push('waited')
    return found
  })
  const written = bulks.store.commit(async (session) => session.transaction(one, ids[6] as TransactionId), one)
  await bulks.store.reads.transaction(two, other as TransactionId).then(() => order.push('other'))
  expect(order).toEqual(['other'])
  for (const found of [await last, await written]) expect(found && statusOf(found)).toBe('canceled')
  expect(order).toEqual(['other', 'waited'])
  const events = await under.query<{ transaction_id: string; occurred_at: number }>(
    `SELECT transaction_id, occurred_at FROM outbox WHERE status = 'canceled' ORDER BY id`,
  )
  expect(events.map((event) => event.transaction_id)).toEqual(ids)
  expect(new Set(events.map((event) => event.occurred_at))).toEqual(new Set([now]))
  expect(await store.reads.bulksUnderWay()).toEqual([])
  expect((await store.reads.counts(one)).canceled).toBe(7)
})

test('a DELETE in the very commit of the mark waits for its shares, too', async () => {
  await using under = await openStore()
  const { store } = under
  const { id } = await storedRelayer(store)
  const ids = await queueOf(store, id, 5)
  await using bulks = await finishBulks({ store, ...around })
  const random = { bytes: (length: number) => new Uint8Array(length) }
  const context = { ...around, random, store: bulks.store, bulks, wake() {}, queueMax: 10, profileOf: () => undefined }
  const [bulk, one] = await Promise.all([
    cancelPending(context, id),
    cancelTransaction(context, id, ids[4] as TransactionId),
  ])
  expect(bulk.canceled).toEqual(ids)
  expect(one).toMatchObject({ isChanged: false, transaction: { id: ids[4], lifecycle: { phase: 'dropped' } } })
})

test('where a share cannot be written, requests fail until it can, and nothing is left out', async () => {
  await using under = await openStore()
  const { store } = under
  const { id } = await storedRelayer(store)
  const ids = await queueOf(store, id, 5)
  let isFull = true
  const failing: Store = {
    ...store,
    commit: (unit, ...of) => (isFull ? Promise.reject(new Error('the disk is full')) : store.commit(unit, ...of)),
  }
  const sleeps: (() => void)[] = []
  const clock = { ...systemClock, sleep: () => new Promise<void>((resolve) => sleeps.push(resolve)) }
  await mark(store, id)
  await using bulks = await finishBulks({ store: failing, ...around, clock })
  await expect(bulks.finish(id)).rejects.toThrow('the disk is full')
  await expect(bulks.store.reads.transactions(id, {}, { page: 1, perPage: 1 })).rejects.toThrow('the disk is full')
  isFull = false
  const wakeAll = () => {
    for (const wake of sleeps.splice(0)) wake()
  }
  wakeAll()
  // The next try has begun with the sleep's end, and sleeps between its shares.
  const pace = setInterval(wakeAll, 1)
  const done = bulks.store.reads.transactions(id, { status: 'canceled' }, { page: 1, perPage: 10 })
  await done.catch(() => undefined)
  expect(await bulks.finish(id)).toEqual(ids)
  clearInterval(pace)
  expect(await store.reads.bulksUnderWay()).toEqual([])
})
