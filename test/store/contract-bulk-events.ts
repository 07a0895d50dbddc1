// The events of bulk cancellations in the outbox: written from what the parts say, at most one a second, and the final ones once.
import { expect, test } from 'vitest'
import type { StoredEvent } from '../../src/domain/event.ts'
import type { RelayerId } from '../../src/domain/ids.ts'
import type { Relayer } from '../../src/domain/relayer.ts'
import type { Transaction } from '../../src/domain/transaction.ts'
import type { Store } from '../../src/store/store.ts'
import { by, now, someAttempt, someBulk, someNoOp } from '../domain/some.ts'
import { freshId, type OpenStore, type StoreUnderTest, send, storedRelayer } from './contract.ts'
import { record, takeAll } from './contract-bulk-objects.ts'

const everyone = () => true

/** Of bulk cancellations alone, as a reader sees them that sees `relayers`, by either way to read them. */
async function seenBy(store: Store, relayers: readonly RelayerId[], after: number) {
  const sees = ({ relayerId, transactionId }: { relayerId: RelayerId; transactionId?: string }) =>
    relayers.includes(relayerId) && transactionId === undefined
  const { events } = await store.reads.events(after, 1_000, sees)
  const { events: found } = await store.reads.searchEvents(after, { rows: 1_000, limit: 100 }, sees)
  expect(found).toEqual(events)
  return events.map((event) =>
    'bulk' in event ? [event.kind, event.bulk.parts.map(({ relayerId }) => relayerId)] : ['of a transaction'],
  )
}

export function bulkEventContract(open: OpenStore): void {
  test('says what changed, at most once a second, and the end once, each notification of its relayers alone', async () => {
    await using under = await open()
    const { store } = under
    const hooks = [freshId(), freshId()]
    const [one, two, three] = [
      await notifying(store, hooks[0]),
      await notifying(store, hooks[1]),
      await notifying(store, hooks[0]),
    ]
    const ids = [one, two, three].map(({ id }) => id)
    const race = await racing(store, two.id)
    await send(store, one.id)
    const after = await store.reads.newestEvent()
    const bulkId = await record(store, ids, {})
    const announce = (at: number) => store.commit((session) => session.announceBulk(bulkId, at))
    const isChanged = async () => (await store.reads.bulksToAnnounce(undefined, 1_000)).changed.includes(bulkId)
    expect(await isChanged()).toBe(false)
    expect(await announce(now)).toBe(false)

    await takeAll(store, bulkId, one.id)
    expect(await isChanged()).toBe(true)
    // Two replicas look at once.
    expect((await Promise.all([announce(now), announce(now + 1)])).filter((did) => did)).toHaveLength(1)
    await takeAll(store, bulkId, two.id)
    await takeAll(store, bulkId, three.id)
    expect(await announce(now + 999)).toBe(false)
    expect(await announce(now + 1_001)).toBe(true)
    expect(await isChanged()).toBe(false)
    expect(await announce(now + 5_000)).toBe(false)
    await race.end(now + 6_000)
    expect(await announce(now + 6_000)).toBe(true)
    expect(await announce(now + 9_000)).toBe(false)
    expect(await isChanged()).toBe(false)

    expect(await seenBy(store, ids, after)).toEqual([
      ['bulkProgress', ids],
      ['bulkProgress', ids],
      ['bulkFinal', ids],
    ])
    expect(await seenBy(store, [one.id], after)).toEqual([['bulkFinal', [one.id]]])
    expect(await seenBy(store, [one.id, three.id], after)).toEqual([
      ['bulkProgress', [one.id, three.id]],
      ['bulkFinal', [one.id, three.id]],
    ])
    expect(await seenBy(store, [two.id], after)).toEqual([
      ['bulkProgress', [two.id]],
      ['bulkFinal', [two.id]],
    ])
    const rows = await noticesOf(under, bulkId)
    expect(rows.map((row) => row.notification_id)).toEqual(hooks)
    const notices = await Promise.all(rows.map(({ id }) => store.reads.event(Number(id))))
    expect(notices.map(seen)).toEqual([
      ['bulkFinal', [one.id, three.id], { dropped: 1, won: 0 }],
      ['bulkFinal', [two.id], { dropped: 0, won: 1 }],
    ])
  })

  test('the commit that cancels a race writes no final event', async () => {
    await using under = await open()
    const { store } = under
    const { id } = await notifying(store, freshId())
    const race = await racing(store, id)
    const after = await store.reads.newestEvent()
    const bulkId = await record(store, [id], {})
    const announce = (at: number) => store.commit((session) => session.announceBulk(bulkId, at))
    // Units that arrive during a commit share the next one.
    const gate = Promise.withResolvers<void>()
    const before = store.commit(() => gate.promise)
    const beside = [takeAll(store, bulkId, id), announce(now)]
    gate.resolve()
    await Promise.all([before, ...beside])
    expect(await noticesOf(under, bulkId)).toEqual([])
    await race.end(now + 6_000)
    expect(await announce(now + 6_000)).toBe(true)
    expect(await noticesOf(under, bulkId)).toHaveLength(1)
    expect((await seenBy(store, [id], after)).at(-1)).toEqual(['bulkFinal', [id]])
  })

  test('a DELETE of everything pending, in its shares too, is for readers alone', async () => {
    await using under = await open()
    const { store } = under
    const { id: relayerId } = await notifying(store, freshId())
    await send(store, relayerId)
    const by = someBulk()
    const after = await store.reads.newestEvent()
    await store.commit((session) => session.cancelPending(relayerId, now, by), relayerId)
    expect(await store.commit((session) => session.announceBulk(by.id, now))).toBe(true)
    expect(await seenBy(store, [relayerId], after)).toEqual([['bulkFinal', [relayerId]]])
    const rows = await under.query(
      `SELECT id FROM outbox WHERE notification_id IS NOT NULL AND transaction_id = '${by.id}'`,
    )
    expect(rows).toEqual([])
  })

  test('an object is kept until its end was announced', async () => {
    await using under = await open()
    const { store } = under
    const { id: relayerId } = await storedRelayer(store)
    const bulkId = await record(store, [relayerId], {})
    await takeAll(store, bulkId, relayerId)
    // The newest part stays in any case.
    await record(store, [(await storedRelayer(store)).id], {})
    const prune = () =>
      store.commit((session) => session.pruneBulks({ entriesMax: 100, since: now + 1, emptySince: 0 }, 100))
    await prune()
    expect(await store.reads.bulk(bulkId)).toMatchObject({ id: bulkId })
    const after = await store.reads.newestEvent()
    await store.commit((session) => session.announceBulk(bulkId, now))
    await prune()
    expect(await store.reads.bulk(bulkId)).toBe(undefined)
    expect((await store.reads.events(after, 10, everyone)).events).toEqual([])
  })

  test('objects beyond one look come in the next', async () => {
    await using under = await open()
    const { store } = under
    const made: string[] = []
    for (let count = 0; count < 5; count += 1) {
      const { id: relayerId } = await storedRelayer(store)
      const bulkId = await record(store, [relayerId], {})
      await takeAll(store, bulkId, relayerId)
      made.push(bulkId)
    }
    const found: string[] = []
    for (let after: Awaited<ReturnType<typeof store.reads.bulksToAnnounce>>['last']; ; ) {
      const look = await store.reads.bulksToAnnounce(after, 2)
      found.push(...look.changed)
      after = look.last
      if (after === undefined) break
    }
    expect(found.filter((id) => made.includes(id)).sort()).toEqual(made.toSorted())
  })
}

async function notifying(store: Store, notificationId: string | undefined): Promise<Relayer> {
  const relayer = await storedRelayer(store)
  if (notificationId === undefined) return relayer
  await store.commit((session) => session.saveRelayer({ ...relayer, notificationId }))
  return relayer
}

/** The rows that notifications are delivered from, of a bulk cancellation. */
function noticesOf(under: StoreUnderTest, bulkId: string) {
  return under.query<{ id: number; notification_id: string }>(
    `SELECT id, notification_id FROM outbox WHERE kind = 'bulk_notice' AND transaction_id = '${bulkId}' ORDER BY id`,
  )
}

function seen(event: StoredEvent | undefined) {
  if (!event || !('bulk' in event)) return 'not of a bulk cancellation'
  const { kind, bulk } = event
  const sum = (name: 'dropped' | 'won') => bulk.parts.reduce((total, { counts }) => total + counts[name], 0)
  return [kind, bulk.parts.map(({ relayerId }) => relayerId), { dropped: sum('dropped'), won: sum('won') }]
}

/** One that a node has: its no-op wins at `end`. */
async function racing(store: Store, relayerId: RelayerId): Promise<{ end(at: number): Promise<void> }> {
  const id = freshId()
  const sent = someAttempt(0, { transactionId: id })
  const noOp = someNoOp(0, { transactionId: id })
  const save = (change: Partial<Transaction>, at: number) =>
    store.commit(async (session) => {
      const before = await session.transaction(relayerId, id)
      if (!before) throw new Error('it is gone')
      await session.saveTransaction(before, { ...before, ...change }, at)
    }, relayerId)
  await send(store, relayerId, { id })
  await save({ lifecycle: { phase: 'inFlight', nonce: 0, attempts: [sent] } }, now)
  const inclusion = { ...by(noOp), gasUsed: 21_000, effectiveGasPrice: 1n }
  const attempts = [sent, noOp] as const
  return {
    end: (at) => save({ lifecycle: { phase: 'final', nonce: 0, attempts, inclusion, finalAt: at, witnesses: 1 } }, at),
  }
}
