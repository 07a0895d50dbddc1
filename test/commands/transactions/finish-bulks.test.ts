// A queue that a bulk cancellation writes in portions: no owner takes from it, no client sees it half done, and it ends.
import { expect, test } from 'vitest'
import type { ManagementContext } from '../../../src/commands/management.ts'
import { deleteRelayer } from '../../../src/commands/relayers/delete-relayer.ts'
import { readOverview } from '../../../src/commands/relayers/read-overview.ts'
import { cancelTransaction } from '../../../src/commands/transactions/cancel.ts'
import { cancelPending } from '../../../src/commands/transactions/cancel-pending.ts'
import { finishBulks } from '../../../src/commands/transactions/finish-bulks.ts'
import { RescindError, StaleWrite } from '../../../src/domain/errors.ts'
import type { ApiKeyId, RelayerId, TransactionId } from '../../../src/domain/ids.ts'
import { statusOf } from '../../../src/domain/transaction.ts'
import { systemClock } from '../../../src/ops/clock.ts'
import { unavailable } from '../../../src/store/failure.ts'
import type { Store } from '../../../src/store/store.ts'
import { now, someAttempt, someBulk } from '../../domain/some.ts'
import { send, storedRelayer } from '../../store/contract.ts'
import { openStore, quiet } from '../../store/open-store.ts'

const around = { clock: systemClock, logger: quiet, limits: { bulkPortion: 2, bulkBreathMs: 1 } }

/** For commands. */
const contextOver = (bulks: Awaited<ReturnType<typeof finishBulks>>) => ({
  ...around,
  random: { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) },
  store: bulks.store,
  bulks,
  wake() {},
  queueMax: 10,
  profileOf: () => undefined,
})

async function queueOf(store: Store, relayer: RelayerId, count: number): Promise<TransactionId[]> {
  const ids: TransactionId[] = []
  for (let sent = 0; sent < count; sent += 1) ids.push((await send(store, relayer)).id)
  return ids
}

/** A relayer's queue of five: longer than a share. */
async function openQueue() {
  const opened = new AsyncDisposableStack()
  const { store } = opened.use(await openStore())
  const { id } = await storedRelayer(store)
  const ids = await queueOf(store, id, 5)
  const bulks = opened.use(await finishBulks({ store, ...around }))
  return Object.assign(opened, { store, id, ids, bulks, context: contextOver(bulks) })
}

const mark = (store: Store, relayer: RelayerId) =>
  store.commit((session) => session.cancelPending(relayer, now, someBulk(), 2), relayer)

test('a queue as long as a share is canceled in one commit', async () => {
  await using under = await openStore()
  const { store } = under
  const { id } = await storedRelayer(store)
  const ids = await queueOf(store, id, 2)
  expect(await mark(store, id)).toEqual({ bulkId: expect.any(String), canceled: ids, failed: [], racing: 0 })
  expect(await store.reads.bulksUnderWay()).toEqual([])
})

test('from the first commit on no owner sees the queue, or writes what it had read before', async () => {
  await using under = await openStore()
  const { store } = under
  const { id } = await storedRelayer(store)
  await queueOf(store, id, 5)
  const read = await store.reads.work(id)
  expect(await mark(store, id)).toEqual({
    bulkId: expect.any(String),
    canceled: [],
    failed: [],
    racing: 0,
    isUnderWay: true,
  })
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
    `SELECT transaction_id, occurred_at FROM outbox WHERE status = 'canceled' AND bulk_parts IS NULL ORDER BY id`,
  )
  expect(events.map((event) => event.transaction_id)).toEqual(ids)
  expect(new Set(events.map((event) => event.occurred_at))).toEqual(new Set([now]))
  expect(await store.reads.bulksUnderWay()).toEqual([])
  expect((await store.reads.counts(one)).canceled).toBe(7)
})

test('counts and the overview take the whole queue for canceled from the first commit on, and do not wait', async () => {
  await using under = await openStore()
  const { store } = under
  const relayer = await storedRelayer(store)
  await queueOf(store, relayer.id, 5)
  await mark(store, relayer.id)
  const later = await send(store, relayer.id)
  // No share is ever written.
  const stuck: Store = { ...store, commit: () => new Promise(() => undefined) }
  const bulks = await finishBulks({ store: stuck, ...around })
  const { reads } = bulks.store
  for (const written of [0, 2, 4, 5]) {
    expect(await reads.counts(relayer.id)).toMatchObject({ pending: 1, canceled: 5 })
    expect(await readOverview(reads, relayer)).toMatchObject({ queued: 1, oldest: { id: later.id } })
    expect((await under.query(`SELECT id FROM transactions WHERE status = 'canceled'`)).length).toBe(written)
    await store.commit((session) => session.cancelPortion(relayer.id, 2), relayer.id)
  }
})

test('a DELETE in the very commit of the mark waits for its shares, too', async () => {
  await using opened = await openQueue()
  const { id, ids, context } = opened
  const [bulk, one] = await Promise.all([
    cancelPending(context, id),
    cancelTransaction(context, id, ids[4] as TransactionId),
  ])
  expect(bulk.canceled).toEqual(ids)
  expect(one).toMatchObject({ isChanged: false, transaction: { id: ids[4], lifecycle: { phase: 'dropped' } } })
})

test('a second DELETE in the very commit of the mark cancels what came after the first, and nothing else', async () => {
  await using opened = await openQueue()
  const { store, id, ids, bulks, context } = opened
  const [first, later, second] = await Promise.all([
    cancelPending(context, id),
    send(bulks.store, id),
    cancelPending(context, id),
  ])
  expect(first.canceled).toEqual(ids)
  expect(second.canceled).toEqual([later.id])
  expect(await store.reads.counts(id)).toMatchObject({ pending: 0, canceled: 6 })
})

test('a DELETE that finds another mark at each try waits for all of their shares', async () => {
  await using opened = await openQueue()
  const { store, id, ids, bulks, context } = opened
  // All in one commit. The second DELETE tries again with the third, and its mark is the first once more.
  const first = cancelPending(context, id)
  const sends = Array.from({ length: 5 }, () => send(bulks.store, id))
  const [, ...others] = await Promise.all([first, cancelPending(context, id), cancelPending(context, id)])
  expect((await first).canceled).toEqual(ids)
  const later = (await Promise.all(sends)).map((sent) => sent.id)
  expect(others.map(({ canceled }) => canceled)).toEqual([later, []])
  expect((await store.reads.counts(id)).canceled).toBe(10)
})

test('a relayer is deleted once the last share is written', async () => {
  await using under = await openStore()
  const { store } = under
  const { id } = await storedRelayer(store)
  await queueOf(store, id, 5)
  await mark(store, id)
  await using bulks = await finishBulks({ store, ...around })
  const registry = { file: { relayers: [], awaited: [] }, refresh: async () => undefined }
  const context = { ...around, store: bulks.store, bulks, registry, announce() {} } as unknown as ManagementContext
  const requester = { keyId: 'admin' as ApiKeyId, operation: 'deleteRelayer', requestId: 'r', address: '::1' }
  await deleteRelayer(context, id, requester)
  expect(await store.reads.wasRelayer(id)).toBe(true)
})

test.each([
  ['a full disk', unavailable('has a full disk', undefined)],
  ['the end of the process', new RescindError('SHUTTING_DOWN', 'shutting down')],
])('a DELETE whose shares are stopped by %s does not say that nothing is stored', async (_, cause) => {
  await using under = await openStore()
  const { store } = under
  const { id } = await storedRelayer(store)
  await queueOf(store, id, 5)
  let commits = 0
  const failing: Store = {
    ...store,
    commit(unit, ...of) {
      commits += 1
      return commits > 2 ? Promise.reject(cause) : store.commit(unit, ...of)
    },
  }
  const clock = { ...systemClock, sleep: () => new Promise<void>((resolve) => setTimeout(resolve, 1)) }
  await using bulks = await finishBulks({ store: failing, ...around, clock })
  const context = contextOver(bulks)
  await expect(cancelPending(context, id)).rejects.toMatchObject({
    code: 'OUTCOME_UNKNOWN',
    message: expect.stringMatching(/^everything pending is canceled/),
    cause,
  })
  expect(await store.reads.counts(id)).toMatchObject({ pending: 0, canceled: 5 })
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
