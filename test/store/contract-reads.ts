// Pages, filters, order, and the work of a step, which never grows with finished rows.
import { expect, test } from 'vitest'
import { cancel } from '../../src/domain/cancel.ts'
import type { Address, RelayerId } from '../../src/domain/ids.ts'
import { replace } from '../../src/domain/replace.ts'
import { statuses, type Transaction } from '../../src/domain/transaction.ts'
import { broadcastStates, by, byForeign, hashOf, now, someAttempt, someBulk, somePayload } from '../domain/some.ts'
import { freshId, type OpenStore, send, storedRelayer } from './contract.ts'

export function readContract(open: OpenStore): void {
  test('sends are numbered from 1 in the order of their commits, also where they come at once', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    const sent = await Promise.all(Array.from({ length: 40 }, () => send(store, relayer.id)))
    expect(sent.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1))
  })

  test('the first of a queue, each with what its cost depends on', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    const pricing = { kind: 'eip1559', maxFeePerGas: 2n ** 80n, maxPriorityFeePerGas: 3n } as const
    const { gasLimit: _, ...estimated } = somePayload
    await send(store, (await storedRelayer(store)).id)
    await send(store, relayer.id, { payload: { ...somePayload, value: 2n ** 200n, gasLimit: 60_000, pricing } })
    await send(store, relayer.id, { payload: estimated })
    await send(store, relayer.id, {})
    const sends = await store.reads.queuedSends(relayer.id, 2)
    expect(sends).toEqual([
      { value: 2n ** 200n, gasLimit: 60_000, pricing },
      { value: somePayload.value, pricing: somePayload.pricing },
    ])
  })

  test('pages are newest first, without gap or overlap, in all and in each status', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    const other = await storedRelayer(store)
    await send(store, other.id)
    const ids: string[] = []
    for (let count = 0; count < 25; count += 1) ids.unshift((await send(store, relayer.id)).id)
    const canceled = await store.commit(async (session) => {
      for (const id of ids.filter((_, index) => index % 3 === 0)) {
        const before = await session.transaction(relayer.id, id as never)
        if (!before) throw new Error('gone')
        const after = { ...before, lifecycle: { phase: 'dropped', reason: 'canceled', droppedAt: now } as const }
        await session.saveTransaction(before, after, now)
      }
      return ids.filter((_, index) => index % 3 === 0)
    })
    const all = async (filter: { status?: 'canceled' | 'pending' }) => {
      const found: string[] = []
      for (let page = 1; ; page += 1) {
        const { items, total } = await store.reads.transactions(relayer.id, filter, { page, perPage: 4 })
        if (items.length === 0) return { found, total }
        found.push(...items.map(({ id }) => id))
      }
    }
    expect(await all({})).toEqual({ found: ids, total: 25 })
    expect(await all({ status: 'canceled' })).toEqual({ found: canceled, total: 9 })
    expect(await all({ status: 'pending' })).toEqual({ found: ids.filter((id) => !canceled.includes(id)), total: 16 })
  })

  test('work is as of one instant, in spite of commits while it is read', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    // On SQLite the turns of one burst: each begins the read one later, until the commit lies before it.
    for (let turns = 0; turns < 40; turns += 1) {
      const sent = await send(store, relayer.id)
      const attempts = [someAttempt(turns, { transactionId: sent.id, broadcast: broadcastStates.held })] as const
      const bound = { ...sent, lifecycle: { phase: 'inFlight', nonce: turns, attempts } as const }
      const before = await store.commit((session) => session.saveTransaction(sent, bound, now))
      let after: Promise<unknown> = Promise.resolve()
      await store.commit(async () => {
        const freed = { ...before, lifecycle: { phase: 'queued' } as const }
        after = store.commit((session) => session.saveTransaction(before, freed, now))
      })
      for (let turn = 0; turn < turns; turn += 1) await undefined
      const work = await store.reads.work(relayer.id)
      await after
      expect([...(work?.open ?? []), ...(work?.queued ?? [])].map(({ id }) => id)).toEqual([sent.id])
      await store.commit((session) => session.cancelPending(relayer.id, now, someBulk()))
    }
  })

  test('a neighbour’s transaction is not there', async () => {
    await using under = await open()
    const { store } = under
    const [relayer, other] = [await storedRelayer(store), await storedRelayer(store)]
    const { id } = await send(store, relayer.id)
    expect(await store.reads.transaction(other.id, id)).toBeUndefined()
    expect(await store.commit((session) => session.transaction(other.id, id))).toBeUndefined()
    expect(await store.reads.transactionByNonce(other.id, 0)).toBeUndefined()
  })

  test('work holds everything open by nonce, the first of the queue up to max_in_flight, and nothing that ended', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store, { maxInFlight: 3 })
    for (const nonce of [2, 0, 1, 3]) {
      const id = freshId()
      const attempts = [someAttempt(nonce, { transactionId: id })] as const
      const inclusion = nonce === 1 ? byForeign() : by(attempts[0])
      const lifecycle =
        nonce === 3
          ? ({ phase: 'final', nonce, attempts, inclusion, finalAt: now, witnesses: 1 } as const)
          : nonce === 1
            ? ({ phase: 'mined', nonce, attempts, inclusion } as const)
            : ({ phase: 'inFlight', nonce, attempts } as const)
      const queuedFirst = await send(store, relayer.id, { id })
      await store.commit((session) => session.saveTransaction(queuedFirst, { ...queuedFirst, lifecycle }, now))
    }
    for (let count = 0; count < 5; count += 1) await send(store, relayer.id)
    const late = await send(store, relayer.id, { validUntil: now + 10 })
    const soon = await send(store, relayer.id, { validUntil: now + 5 })
    await store.commit((session) => session.raiseFloor(relayer.id, { spentBelow: 4, explainedBelow: 1 }))
    await store.commit((session) => session.raiseFloor(relayer.id, { spentBelow: 2, explainedBelow: 2 }))

    const work = await store.reads.work(relayer.id)
    expect(work?.relayer).toStrictEqual(relayer)
    expect(work?.floor).toEqual({ spentBelow: 4, explainedBelow: 2 })
    expect(work?.open.map(({ lifecycle }) => 'nonce' in lifecycle && lifecycle.nonce)).toEqual([0, 1, 2])
    expect(work?.queued.map(({ sequence }) => sequence)).toEqual([5, 6, 7])
    expect(work?.expiring).toStrictEqual([soon, late])
    for (const transaction of work?.open ?? []) {
      expect(transaction).toStrictEqual(await store.reads.transaction(relayer.id, transaction.id))
    }
  })

  test('a nonce names its holder, or its holder when it was settled', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    const first = await send(store, relayer.id)
    const attempt = someAttempt(0, { transactionId: first.id })
    const facts = { nonce: 0, attempts: [attempt] as const, inclusion: by(attempt) }
    const settled = { ...first, lifecycle: { phase: 'final', ...facts, finalAt: now, witnesses: 1 } as const }
    const saved = await store.commit((session) => session.saveTransaction(first, settled, now))
    expect(await store.reads.transactionByNonce(relayer.id, 0)).toStrictEqual(saved)
    const second = await send(store, relayer.id)
    const again = { phase: 'inFlight', nonce: 0, attempts: [someAttempt(0, { transactionId: second.id })] } as const
    await store.commit((session) => session.saveTransaction(second, { ...second, lifecycle: again }, now))
    expect((await store.reads.transactionByNonce(relayer.id, 0))?.id).toBe(second.id)
    expect(await store.reads.transactionByNonce(relayer.id, 1)).toBeUndefined()
    expect(await store.reads.firstSequenceAbove(relayer.id, -1)).toBe(first.sequence)
    expect(await store.reads.firstSequenceAbove(relayer.id, 0)).toBeUndefined()
  })

  test('a relayer is read as it was saved, and saving it anew leaves order, epoch and floor', async () => {
    await using under = await open()
    const { store } = under
    const policies = { minBalance: 2n ** 200n, gasPriceCap: 1n, cancelGasPriceCap: 2n ** 90n, cancelReserve: 0n }
    const token = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' as Address
    const relayer = await storedRelayer(store, {
      ...policies,
      eip1559Pricing: false,
      gasLimitEstimation: false,
      whitelistReceivers: [token],
      whitelistSelectors: [{ receiver: token, selectors: ['0xa9059cbb', '0x'] }],
      valueCap: 2n ** 70n,
    })
    expect(await store.reads.relayer(relayer.id)).toStrictEqual(relayer)
    await send(store, relayer.id)
    await store.commit((session) => session.acquire(relayer.id))
    const closed = { ...relayer, policies: { ...relayer.policies, whitelistReceivers: [] } }
    await store.commit((session) => session.saveRelayer(closed))
    expect(await store.reads.relayer(relayer.id)).toStrictEqual(closed)
    const renamed = { ...relayer, name: 'Other', paused: true, notificationId: 'hook' }
    await store.commit((session) => session.saveRelayer(renamed))
    expect(await store.reads.relayer(relayer.id)).toStrictEqual(renamed)
    expect((await send(store, relayer.id)).sequence).toBe(2)
    expect(await store.commit((session) => session.acquire(relayer.id))).toBe(2n)
  })

  test('held transactions take no room in the queue of a step, and the oldest one stands for them', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store, { maxInFlight: 3 })
    const sent: Transaction[] = []
    for (let count = 0; count < 6; count += 1) sent.push(await send(store, relayer.id, { validUntil: now + count }))
    const ids = (of: readonly { id: string }[] | undefined) =>
      of?.map(({ id }) => sent.findIndex((each) => each.id === id))
    await store.commit(async (session) => {
      for (const each of sent.slice(0, 4)) {
        const suspectedNoOp = { hash: hashOf(7), nonce: 3 }
        await session.saveTransaction(each, { ...each, suspectedNoOp }, now)
      }
    })
    const work = await store.reads.work(relayer.id)
    expect([ids(work?.queued), ids(work?.suspected)]).toEqual([[4, 5], [0]])
    expect(work?.suspected[0]?.suspectedNoOp).toEqual({ hash: hashOf(7), nonce: 3 })
    expect(ids(work?.expiring)).toEqual([0, 1, 2, 3, 4, 5])
    expect(ids(await store.reads.queueThrough(relayer.id, 5))).toEqual([0, 1, 2, 3, 4])

    // A PUT makes it one to be sent.
    const [first] = work?.suspected ?? []
    if (!first) throw new Error('one stands for them')
    const { from: _, ...request } = somePayload
    await store.commit((session) =>
      session.saveTransaction(first, replace(first, { ...request, value: 9n }, 'public'), now),
    )
    const after = await store.reads.work(relayer.id)
    expect([ids(after?.queued), ids(after?.suspected)]).toEqual([[0, 4, 5], [1]])
    expect(after?.queued[0]).not.toHaveProperty('suspectedNoOp')

    for (const [index, at] of [
      [4, now + 10],
      [5, now + 20],
    ] as const) {
      const each = sent[index]
      if (each) await store.commit((session) => session.saveTransaction(each, cancel(each, at), at))
    }
    const droppedSince = async (through: number, since: number) =>
      (await store.reads.droppedSince(relayer.id, through, since)).map(({ sequence }) => sequence)
    expect([await droppedSince(6, now), await droppedSince(6, now + 20)]).toEqual([[5, 6], [6]])
    expect(await droppedSince(5, now)).toEqual([5])
  })

  test('places taken together lie next to each other', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    await send(store, relayer.id)
    const places = await store.commit((session) => session.reserveSequences(relayer.id, 3))
    expect(places).toEqual({ relayer, first: 2 })
    expect((await send(store, relayer.id)).sequence).toBe(5)
  })

  test('of an unknown relayer there is nothing', async () => {
    await using under = await open()
    const { reads, commit } = under.store
    const nobody = 'nobody' as RelayerId
    expect(await reads.relayer(nobody)).toBeUndefined()
    expect(await reads.work(nobody)).toBeUndefined()
    expect(await reads.transactions(nobody, {}, { page: 1, perPage: 10 })).toEqual({ items: [], total: 0 })
    const none = Object.fromEntries([...statuses, 'bytes'].map((counted) => [counted, 0]))
    expect(await reads.counts(nobody)).toEqual(none)
    expect(await commit((session) => session.reserveSequence(nobody))).toBeUndefined()
    expect(await commit((session) => session.reserveSequences(nobody, 3))).toBeUndefined()
    expect(await commit((session) => session.acquire(nobody))).toBeUndefined()
  })
}
