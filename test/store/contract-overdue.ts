// Events that a receiver did not take within their day: they are given up, and hold up nothing else.
import { expect, test } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import { now } from '../domain/some.ts'
import { allOf, type OpenStore, storedRelayer } from './contract.ts'
import { day, delivered, happen, notified, retention, turn } from './contract-deliveries.ts'

const isOverdue = async (store: Store, notificationId: string, at: number, changes = {}) =>
  (await store.reads.overdueQueues({ ...retention, ...changes }, at)).includes(notificationId)

/** Until nothing changes. */
async function giveUp(store: Store, notificationId: string, at: number, changes = {}) {
  const sum = { givenUp: 0, dropped: 0, shares: 0 }
  for (;;) {
    const share = await store.commit((session) =>
      session.giveUpOverdue(notificationId, { ...retention, ...changes }, at),
    )
    if (share.givenUp + share.dropped === 0) return sum
    sum.givenUp += share.givenUp
    sum.dropped += share.dropped
    sum.shares += 1
  }
}

async function pruneAll(store: Store, at: number): Promise<void> {
  while ((await store.commit((session) => session.pruneEvents(retention, at))) > 0);
}

const letters = async (store: Store, notificationId: string) =>
  allOf((await store.reads.deadLetterItems(notificationId, { page: 1, perPage: 100 }))?.items ?? [])
const waitingOf = async (store: Store, notificationId: string) =>
  (await store.reads.queueCounts()).find((each) => each.notificationId === notificationId)?.waiting

export function overdueContract(open: OpenStore): void {
  test('what a queue has not taken over is a dead letter a day after its commit, and pruning passes it', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await notified(store)
    const { notificationId } = relayer
    const plain = await storedRelayer(store)
    await happen(store, relayer, 3)
    await happen(store, plain, 2)
    await happen(store, relayer, 1, now + 10)
    await pruneAll(store, now + day)
    expect(await store.reads.eventsPrunedThrough()).toBe(0)

    expect(await isOverdue(store, notificationId, now + day - 1)).toBe(false)
    expect(await giveUp(store, notificationId, now + day - 1)).toMatchObject({ givenUp: 0 })
    expect(await isOverdue(store, notificationId, now + day)).toBe(true)
    expect(await giveUp(store, notificationId, now + day)).toMatchObject({ givenUp: 3, dropped: 0 })
    expect(await isOverdue(store, notificationId, now + day)).toBe(false)
    const dead = await letters(store, notificationId)
    expect(dead.map(({ event, tries, gaveUpAt }) => [event.id, tries, gaveUpAt])).toEqual(
      [1, 2, 3].map((id) => [id, 0, now + day]),
    )
    for (const letter of dead) expect(letter).not.toHaveProperty('firstTriedAt')
    await pruneAll(store, now + day)
    const kept = await under.query<{ id: number }>('SELECT id FROM outbox ORDER BY id')
    // Of the other relayer nothing stays, of this one the dead letters and what has its day.
    expect(kept.map(({ id }) => id)).toEqual([1, 2, 3, 6])
    const due = await turn(store, notificationId, { now: now + day })
    expect(due?.map(({ eventId, givesUpAt }) => [eventId, givesUpAt])).toEqual([[6, now + 10 + day]])
  })

  test('a waiting delivery is given up when its day is over, tried or not; a redelivered one has a day of its own', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await notified(store)
    const { notificationId } = relayer
    const one = await happen(store, relayer, 2)
    await happen(store, relayer, 1)
    const [first, second] = (await turn(store, notificationId, { now: now + 5 })) ?? []
    if (!first || !second) throw new Error('two are due')
    const failed = { due: first, result: 'failed', error: 'HTTP 500', dueAt: now + 60 } as const
    await turn(store, notificationId, { now: now + 50, tried: [failed] })
    expect(await giveUp(store, notificationId, now + day - 1)).toMatchObject({ givenUp: 0 })
    expect(await giveUp(store, notificationId, now + day)).toMatchObject({ givenUp: 3 })
    expect(await waitingOf(store, notificationId)).toBe(0)
    expect(await store.reads.queuesToDo(now + 2 * day)).not.toContain(notificationId)
    expect((await letters(store, notificationId)).map(({ tries, lastError }) => [tries, lastError])).toEqual([
      [1, 'HTTP 500'],
      [0, expect.stringContaining('before its first try')],
      [0, expect.stringContaining('before its first try')],
    ])

    const later = now + 3 * day
    await store.commit((session) => session.redeliver(notificationId, { from: 0, to: 2 }, 9, later))
    expect(await giveUp(store, notificationId, later + day - 1)).toMatchObject({ givenUp: 0 })
    const due = await turn(store, notificationId, { now: later })
    expect(due).toEqual([{ eventId: 1, subjectId: one.id, tries: 0, givesUpAt: later + day }])
    expect(await giveUp(store, notificationId, later + day)).toMatchObject({ givenUp: 2 })
    expect(await letters(store, notificationId)).toHaveLength(3)
  })

  test('what comes after an event that is given up is due at once, in its order', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await notified(store)
    const { notificationId } = relayer
    await happen(store, relayer, 2)
    await giveUp(store, notificationId, now + day)
    for (const id of [1, 2]) {
      const only = { from: id, to: id }
      await store.commit((session) => session.redeliver(notificationId, only, 9, now + day + id))
    }
    const later = now + 2 * day + 1
    const dueNow = async () => (await turn(store, notificationId, { now: later }))?.map(({ eventId }) => eventId)
    expect(await dueNow()).toEqual([1])
    expect(await giveUp(store, notificationId, later)).toMatchObject({ givenUp: 1 })
    expect(await dueNow()).toEqual([2])
  })

  test('a try that was under way meanwhile counts when it succeeds, and changes nothing when it fails', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await notified(store)
    const { notificationId } = relayer
    for (let each = 0; each < 2; each += 1) await happen(store, relayer, 1)
    const [first, second] = (await turn(store, notificationId)) ?? []
    if (!first || !second) throw new Error('two are due')
    await giveUp(store, notificationId, now + day)
    const failed = { due: second, result: 'failed', error: 'HTTP 500', dueAt: now + day + 60 } as const
    const tried = [...delivered([first]), failed]
    expect(await turn(store, notificationId, { now: now + day, tried })).toEqual([])
    expect((await letters(store, notificationId)).map(({ event, tries }) => [event.id, tries])).toEqual([[2, 0]])
    expect(await waitingOf(store, notificationId)).toBe(0)
  })

  test('of dead letters the newest stay, so many, and the events of the others are pruned', async () => {
    await using under = await open()
    const { store } = under
    const [relayer, other] = [await notified(store), await notified(store)]
    const { notificationId } = relayer
    for (let each = 0; each < 5; each += 1) await happen(store, relayer, 2)
    await happen(store, other, 1)
    const few = { deadLettersKeptMax: 3 }
    await giveUp(store, other.notificationId, now + day, few)
    await giveUp(store, notificationId, now + day)
    await pruneAll(store, now + day)
    expect(await letters(store, notificationId)).toHaveLength(10)
    expect(await isOverdue(store, notificationId, now + day)).toBe(false)
    expect(await isOverdue(store, notificationId, now + day, few)).toBe(true)
    expect(await giveUp(store, notificationId, now + day, few)).toMatchObject({ givenUp: 0, dropped: 7 })
    expect(await isOverdue(store, notificationId, now + day, few)).toBe(false)
    expect((await letters(store, notificationId)).map(({ event }) => event.id)).toEqual([8, 9, 10])
    expect(await letters(store, other.notificationId)).toHaveLength(1)
    const kept = await under.query<{ id: number }>('SELECT id FROM outbox ORDER BY id')
    expect(kept.map(({ id }) => id)).toEqual([8, 9, 10, 11])
  })

  test('many go in portions, and no portion reads the rest', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await notified(store)
    for (let each = 0; each < 60; each += 1) await happen(store, relayer, 20)
    const { shares, ...sum } = await giveUp(store, relayer.notificationId, now + day)
    expect([shares, sum]).toEqual([3, { givenUp: 1_200, dropped: 200 }])
    const rows = await under.query<{ count: number }>(`SELECT count(*) AS count FROM deliveries WHERE state = 'dead'`)
    expect(Number(rows[0]?.count)).toBe(1_000)
  })
}
