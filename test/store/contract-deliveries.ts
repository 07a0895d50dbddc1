// Queues of deliveries: events wait for their notification, in order within a transaction, until delivery.
import { expect, test } from 'vitest'
import { cancel } from '../../src/domain/cancel.ts'
import type { Due, Tried } from '../../src/domain/delivery.ts'
import type { Relayer } from '../../src/domain/relayer.ts'
import type { Transaction } from '../../src/domain/transaction.ts'
import type { QueueAdvance, Store } from '../../src/store/store.ts'
import { now } from '../domain/some.ts'
import { someWait } from '../domain/some-reasons.ts'
import { allOf, type OpenStore, send, storedRelayer } from './contract.ts'

export const retention = {
  eventsKeptMs: 1_000,
  eventsKeptMax: 1_000_000,
  deadLettersKeptMs: 1_000_000,
  deadLettersKeptMax: 1_000,
}

export const day = 86_400_000
let notificationsMade = 0
/** A relayer whose events go to a notification of its own. */
export async function notified(store: Store): Promise<Relayer & { notificationId: string }> {
  notificationsMade += 1
  const notificationId = `hook-${notificationsMade}`
  const relayer = { ...(await storedRelayer(store)), notificationId }
  await store.commit((session) => session.saveRelayer(relayer))
  return relayer
}

/** So many events: one wait after the other, and at last its end. */
export async function happen(store: Store, { id }: Relayer, events: number, at = now): Promise<Transaction> {
  let latest = await send(store, id)
  const save = async (after: Transaction) => {
    const before = latest
    latest = await store.commit((session) => session.saveTransaction(before, after, at))
  }
  const waits = ['paused', 'balance_short'] as const
  for (let each = 1; each < events; each++) {
    await save({ ...latest, wait: someWait(waits[each % 2] ?? 'paused') })
  }
  await save(cancel(latest, at))
  return latest
}

type Advance = Partial<Omit<QueueAdvance, 'tried'>> & { tried?: readonly Tried[] }

export const turn = (store: Store, notificationId: string, changes: Advance = {}) =>
  store.commit((session) =>
    session.advanceQueue({
      ...{
        notificationId,
        owner: 'me',
        leaseMs: 100,
        leaseBelievedMs: 200,
        now,
        tried: [],
        busy: new Set(),
        room: 100,
      },
      ...changes,
    }),
  )

export const delivered = (due: readonly Due[] | undefined): Tried[] =>
  (due ?? []).map((each) => ({ due: each, result: 'delivered' }))
const numbers = (due: readonly Due[] | undefined) => due?.map(({ subjectId, eventId }) => [subjectId, eventId])

export function deliveryContract(open: OpenStore): void {
  test('a notification fails from its first failure until a delivery, also once the event is given up', async () => {
    await using under = await open()
    const { store } = under
    const { notificationId, ...relayer } = await notified(store)
    await happen(store, { ...relayer, notificationId }, 1)
    await happen(store, { ...relayer, notificationId }, 1)
    const shown = async () =>
      (await store.reads.failingQueues()).filter((each) => each.notificationId === notificationId)
    const [one, other] = (await turn(store, notificationId)) ?? []
    if (!one || !other) throw new Error('two are due')
    expect(await shown()).toEqual([])
    const failed = { due: one, result: 'failed', error: 'HTTP 500', dueAt: now + 1 } as const
    await turn(store, notificationId, { tried: [failed], now: now + 5 })
    await turn(store, notificationId, { now: now + 6 })
    expect(await shown()).toEqual([{ notificationId, since: now + 5, error: 'HTTP 500' }])
    await turn(store, notificationId, { tried: [{ due: one, result: 'dead', error: 'HTTP 503' }], now: now + 9 })
    expect(await shown()).toEqual([{ notificationId, since: now + 5, error: 'HTTP 503' }])
    await turn(store, notificationId, { tried: delivered([other]) })
    expect(await shown()).toEqual([])
  })

  test('a notification gets events from when a relayer names it, each transaction in order, all of them side by side', async () => {
    await using under = await open()
    const { store } = under
    const plain = await storedRelayer(store)
    await happen(store, plain, 1)
    const relayer = { ...plain, notificationId: 'hook' }
    await store.commit((session) => session.saveRelayer(relayer))
    await happen(store, await notified(store), 1)
    const one = await happen(store, relayer, 3)
    const other = await happen(store, relayer, 2)
    const [first = 0] = (
      await under.query<{ id: number }>(`SELECT id FROM outbox WHERE transaction_id = '${one.id}' ORDER BY id`)
    ).map(({ id }) => id)

    expect(await store.reads.queuesToDo(now)).toContain('hook')
    const reported: unknown[] = []
    let due = await turn(store, 'hook')
    while (due && due.length > 0) {
      reported.push(numbers(due))
      due = await turn(store, 'hook', { tried: delivered(due) })
    }
    expect(reported).toEqual([
      [
        [one.id, first],
        [other.id, first + 3],
      ],
      [
        [one.id, first + 1],
        [other.id, first + 4],
      ],
      [[one.id, first + 2]],
    ])
    expect(await under.query(`SELECT * FROM deliveries WHERE notification_id = 'hook'`)).toEqual([])
    expect(await store.reads.queuesToDo(now)).not.toContain('hook')
    expect(await store.reads.moreToDo('hook', new Set(), now)).toBe(false)
  })

  test('what failed holds up its own transaction and no other, and is due again when its time comes', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await notified(store)
    const { notificationId } = relayer
    const one = await happen(store, relayer, 2)
    const other = await happen(store, relayer, 2)
    const [first, second] = (await turn(store, notificationId)) ?? []
    if (!first || !second) throw new Error('two')
    const tried: Tried[] = [
      { due: first, result: 'failed', error: 'HTTP 500', dueAt: now + 50 },
      { due: second, result: 'delivered' },
    ]
    const next = await turn(store, notificationId, { tried, now: now + 10 })
    expect(next?.map(({ subjectId }) => subjectId)).toEqual([other.id])
    expect(await turn(store, notificationId, { tried: delivered(next), now: now + 49 })).toEqual([])
    expect(await store.reads.queuesToDo(now + 49)).not.toContain(notificationId)
    const again = await turn(store, notificationId, { now: now + 50 })
    expect(again).toEqual([{ eventId: first.eventId, subjectId: one.id, tries: 1, givesUpAt: now + day }])
    const last = await turn(store, notificationId, { tried: delivered(again), now: now + 50 })
    expect(last?.map(({ tries }) => tries)).toEqual([0])
  })

  test('waiting deliveries and dead letters are counted by notification', async () => {
    await using under = await open()
    const { store } = under
    const [one, other] = [await notified(store), await notified(store)]
    const counts = async () => {
      const reported = await store.reads.queueCounts()
      return [one, other].map((relayer) => {
        const found = reported.find(({ notificationId }) => notificationId === relayer.notificationId)
        return [found?.waiting, found?.deadLetters]
      })
    }
    expect(await counts()).toEqual([
      [0, 0],
      [0, 0],
    ])
    await happen(store, one, 3)
    await happen(store, other, 2)
    const [first] = (await turn(store, one.notificationId)) ?? []
    if (!first) throw new Error('nothing is due')
    await turn(store, one.notificationId, { tried: [{ due: first, result: 'dead', error: 'HTTP 500' }] })
    await turn(store, other.notificationId)
    expect(await counts()).toEqual([
      [2, 1],
      [2, 0],
    ])
    const { eventId } = first
    await store.commit((session) => session.redeliver(one.notificationId, { from: 0, to: eventId }, 10, now))
    expect(await counts()).toEqual([
      [3, 0],
      [2, 0],
    ])
  })

  test('a delivery under way is not returned twice, and is due again for the next process after a crash', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await notified(store)
    for (let each = 0; each < 3; each++) await happen(store, relayer, 1)
    const due = await turn(store, relayer.notificationId, { room: 2 })
    const busy = new Set(due?.map(({ eventId }) => eventId))
    expect(busy.size).toBe(2)
    expect(await store.reads.moreToDo(relayer.notificationId, busy, now)).toBe(true)
    const rest = await turn(store, relayer.notificationId, { busy, room: 2 })
    expect(rest).toHaveLength(1)
    expect(await turn(store, relayer.notificationId, { busy: new Set() })).toHaveLength(3)
  })

  test('a queue has one worker at a time: one that lost it records nothing', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await notified(store)
    await happen(store, relayer, 1)
    const mine = await turn(store, relayer.notificationId)
    expect(mine).toHaveLength(1)
    expect(await turn(store, relayer.notificationId, { owner: 'other', now: now + 99 })).toBeUndefined()
    const theirs = await turn(store, relayer.notificationId, { owner: 'other', now: now + 100 })
    expect(theirs).toEqual(mine)
    const late = await turn(store, relayer.notificationId, { tried: delivered(mine), now: now + 150 })
    expect(late).toBeUndefined()
    expect(await turn(store, relayer.notificationId, { owner: 'other', now: now + 150 })).toEqual(mine)
  })

  test('who died with a clock that was ahead leaves neither its queue nor what it took over and tried in the future', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await notified(store)
    const { notificationId } = relayer
    const [one, other] = [await happen(store, relayer, 1), await happen(store, relayer, 1)]
    const due = await turn(store, notificationId, { owner: 'ahead', now: now + day })
    const [first] = due ?? []
    if (!first) throw new Error('two')
    const failed: Tried[] = [{ due: first, result: 'failed', error: 'HTTP 500', dueAt: now + day + 250 }]
    await turn(store, notificationId, { owner: 'ahead', now: now + day, tried: failed })
    expect(await store.reads.queuesToDo(now)).toContain(notificationId)
    const taken = await turn(store, notificationId)
    expect(taken?.map(({ subjectId, tries }) => [subjectId, tries])).toEqual([
      [one.id, 1],
      [other.id, 0],
    ])
    expect(await turn(store, notificationId, { tried: delivered(taken) })).toEqual([])
  })

  test('a worker a little ahead keeps its deliveries, and one to be tried in an hour waits', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await notified(store)
    const { notificationId } = relayer
    await happen(store, relayer, 1)
    const [first] = (await turn(store, notificationId, { now: now + 90 })) ?? []
    if (!first) throw new Error('one')
    const tried: Tried[] = [{ due: first, result: 'failed', error: 'HTTP 500', dueAt: now + 3_600_000 }]
    await turn(store, notificationId, { now: now + 90, tried })
    expect(await turn(store, notificationId, { owner: 'other' })).toBeUndefined()
    expect(await store.reads.queuesToDo(now)).not.toContain(notificationId)
    expect(await turn(store, notificationId)).toEqual([])
  })

  test('the dead are listed, let the next of their transaction pass, and come back in order on request', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await notified(store)
    const { notificationId } = relayer
    await happen(store, relayer, 3)
    let due = await turn(store, notificationId)
    const [first] = due ?? []
    for (const error of ['HTTP 500', 'HTTP 502']) {
      due = await turn(store, notificationId, {
        tried: (due ?? []).map((each) => ({ due: each, result: 'dead', error })),
      })
    }
    expect(due).toHaveLength(1)
    expect(await turn(store, notificationId, { tried: delivered(due) })).toEqual([])

    const dead = await store.reads.deadLetterItems(notificationId, { page: 1, perPage: 1 })
    expect(dead?.total).toBe(2)
    const [letter] = await allOf(dead?.items)
    expect(letter).toMatchObject({ tries: 1, firstTriedAt: now, gaveUpAt: now, lastError: 'HTTP 500' })
    expect(letter?.event).toMatchObject({ id: first?.eventId, kind: 'attention', terminal: false })
    expect(await store.reads.deadLetterItems('nobody', { page: 1, perPage: 1 })).toBeUndefined()

    const all = { from: 0, to: Number.MAX_SAFE_INTEGER }
    expect(await store.commit((session) => session.redeliver(notificationId, { from: 1e9, to: 1e9 }, 1, now))).toBe(0)
    expect(await store.commit((session) => session.redeliver(notificationId, all, 10, now + 5))).toBe(2)
    const back = await turn(store, notificationId, { now: now + 5 })
    expect(back).toEqual([{ ...first, givesUpAt: now + 5 + day }])
    const next = await turn(store, notificationId, { tried: delivered(back), now: now + 5 })
    expect(next).toHaveLength(1)
    expect(await turn(store, notificationId, { tried: delivered(next), now: now + 5 })).toEqual([])
    expect(await under.query('SELECT * FROM deliveries')).toEqual([])
    const [queue] = await under.query<{ waiting: number }>('SELECT waiting FROM delivery_queues')
    expect(queue?.waiting).toBe(0)
  })

  test('old events go from the outbox, but neither the newest nor undelivered ones', async () => {
    await using under = await open()
    const { store } = under
    const plain = await storedRelayer(store)
    const relayer = await notified(store)
    const prune = (at: number, changes = {}) =>
      store.commit((session) => session.pruneEvents({ ...retention, ...changes }, at))
    const kept = async () =>
      (await under.query<{ id: number }>('SELECT id FROM outbox ORDER BY id')).map(({ id }) => id)
    await happen(store, plain, 2)
    await happen(store, relayer, 2)
    await happen(store, plain, 2)
    expect(await prune(now + 500)).toBe(0)
    // Not taken over yet: 3 and all behind it stay.
    expect(await prune(now + 5_000)).toBe(2)
    expect(await kept()).toEqual([3, 4, 5, 6])
    let due = await turn(store, relayer.notificationId)
    expect(await prune(now + 5_000)).toBe(3)
    expect(await kept()).toEqual([3, 4, 6])
    expect(await store.reads.eventsPrunedThrough()).toBe(5)
    due = await turn(store, relayer.notificationId, { tried: delivered(due) })
    expect(await kept()).toEqual([4, 6])
    await turn(store, relayer.notificationId, { tried: [{ due: due?.[0] as Due, result: 'dead', error: 'HTTP 500' }] })
    expect(await prune(now + 5_000)).toBe(0)
    expect(await kept()).toEqual([4, 6])
    // A dead letter goes when its own time is over, and its event with it.
    expect(await prune(now + 2_000_000)).toBe(1)
    expect(await kept()).toEqual([6])
    expect(await store.reads.newestEvent()).toBe(6)
    await happen(store, plain, 1)
    expect(await kept()).toEqual([6, 7])
  })

  test('more events than are kept go, however young, the oldest first', async () => {
    await using under = await open()
    const { store } = under
    await happen(store, await storedRelayer(store), 10)
    const few = { ...retention, eventsKeptMs: 1e12, eventsKeptMax: 4 }
    expect(await store.commit((session) => session.pruneEvents(few, now))).toBe(6)
    expect((await under.query<{ id: number }>('SELECT id FROM outbox ORDER BY id')).map(({ id }) => id)).toEqual([
      7, 8, 9, 10,
    ])
    expect(await store.commit((session) => session.pruneEvents(few, now))).toBe(0)
  })
}
