// Retention: which transactions that ended may be removed, with everything that belongs to them, and which stay.
import { expect, test } from 'vitest'
import { cancel } from '../../src/domain/cancel.ts'
import { dayOf } from '../../src/domain/daily-spend.ts'
import type { RelayerId, TransactionId } from '../../src/domain/ids.ts'
import type { Lifecycle, Transaction } from '../../src/domain/transaction.ts'
import type { Store } from '../../src/store/store.ts'
import { by, byForeign, canceled, now, someAttempt, someBulk } from '../domain/some.ts'
import { freshId, type OpenStore, send, sendWithin, storedRelayer } from './contract.ts'

type Phase = 'inFlight' | 'mined' | 'confirmed' | 'final' | 'external'

function lifecycleOf(phase: Phase, nonce: number, id: TransactionId, at: number): Lifecycle {
  const attempts = [someAttempt(nonce, { transactionId: id })] as const
  const bound = { nonce, attempts }
  switch (phase) {
    case 'inFlight':
      return { phase: 'inFlight', ...bound }
    case 'mined':
      return { phase: 'mined', ...bound, inclusion: by(attempts[0]) }
    case 'confirmed':
      return { phase: 'mined', ...bound, inclusion: by(attempts[0]), confirmedAt: at }
    case 'final':
      return { phase: 'final', ...bound, inclusion: by(attempts[0]), finalAt: at, witnesses: 1 }
    case 'external':
      return { phase: 'final', ...bound, inclusion: byForeign(), finalAt: at, witnesses: 1 }
  }
}

/** Stores a transaction in this phase. One that has ended did so at `at`. */
async function store(
  { commit }: Store,
  relayer: RelayerId,
  phase: Phase,
  nonce: number,
  { at = now, changes = {} }: { at?: number; changes?: Partial<Transaction> } = {},
): Promise<TransactionId> {
  const id = freshId()
  await commit(async (session) => {
    const sent = await sendWithin(session, relayer, { id })
    await session.saveTransaction(sent, { ...sent, ...changes, lifecycle: lifecycleOf(phase, nonce, id, at) }, at)
  }, relayer)
  return id
}

async function dropped(store: Store, relayer: RelayerId): Promise<TransactionId> {
  const sent = await send(store, relayer)
  await store.commit((session) => session.saveTransaction(sent, cancel(sent, now), now), relayer)
  return sent.id
}

const explainBelow = (store: Store, relayer: RelayerId, nonce: number) =>
  store.commit((session) => session.raiseFloor(relayer, { spentBelow: nonce, explainedBelow: nonce }), relayer)

const remove = (store: Store, relayer: RelayerId, ids: readonly TransactionId[]) =>
  store.commit((session) => session.removeEnded(relayer, ids), relayer)

export function retentionContract(open: OpenStore): void {
  test('a finally ended transaction goes with its attempts, and is no longer counted; all else stays', async () => {
    await using under = await open()
    const [{ id: relayer }, { id: other }] = [await storedRelayer(under.store), await storedRelayer(under.store)]
    const ended = [
      await store(under.store, relayer, 'final', 0),
      await store(under.store, relayer, 'external', 1, { changes: canceled }),
      await dropped(under.store, relayer),
    ]
    const staying = [
      await store(under.store, relayer, 'final', 5),
      await store(under.store, relayer, 'confirmed', 2),
      await store(under.store, relayer, 'mined', 3),
      await store(under.store, relayer, 'inFlight', 4, { changes: canceled }),
      (await send(under.store, relayer)).id,
      await store(under.store, other, 'final', 0),
    ]
    // The final transaction with nonce 5 is not explained yet.
    await explainBelow(under.store, relayer, 5)
    const all = [...ended, ...staying]
    expect(await under.store.reads.removable(relayer, all)).toHaveLength(ended.length)
    expect(new Set(await remove(under.store, relayer, all))).toEqual(new Set(ended))
    expect(await remove(under.store, relayer, all)).toEqual([])

    for (const id of ended) expect(await under.store.reads.transaction(relayer, id)).toBeUndefined()
    const rows = await under.query<{ id: string }>('SELECT id FROM transactions')
    expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(staying))
    const attempts = await under.query<{ id: string }>('SELECT transaction_id AS id FROM attempts')
    expect(new Set(attempts.map(({ id }) => id))).toEqual(new Set(staying.filter((id) => id !== staying[4])))
    expect(await under.store.reads.counts(relayer)).toMatchObject({
      ...{ confirmed: 2, mined: 1, canceled: 1, pending: 1 },
    })
    expect((await under.store.reads.transactions(relayer, {}, { page: 1, perPage: 9 })).total).toBe(5)
    expect(await under.store.reads.transactionByNonce(relayer, 0)).toBeUndefined()
    // The fees of the day are a sum of their own.
    const gas = await under.store.reads.dailySpend(dayOf(now))
    expect(gas.find(({ relayerId }) => relayerId === relayer)).toMatchObject({ transactions: 2 })
  })

  test('a removed transaction leaves its sequence to no later one, also where it was the newest or its relayer was deleted', async () => {
    await using under = await open()
    const { id } = await storedRelayer(under.store)
    const ids = [await dropped(under.store, id), await dropped(under.store, id), await dropped(under.store, id)]
    expect(await remove(under.store, id, ids.slice(2))).toHaveLength(1)
    expect((await under.store.reads.work(id))?.lastSequence).toBe(3)
    expect((await send(under.store, id)).sequence).toBe(4)
    const relayer = await under.store.reads.relayer(id)
    if (!relayer) throw new Error('the relayer is stored')
    expect(await remove(under.store, id, ids.slice(0, 2))).toHaveLength(2)
    await under.store.commit((session) => session.cancelPending(id, now, someBulk()), id)
    await under.store.commit((session) => session.removeRelayer(id, now), id)
    const { items } = await under.store.reads.transactions(id, {}, { page: 1, perPage: 9 })
    expect(
      await remove(
        under.store,
        id,
        items.map((each) => each.id),
      ),
    ).toHaveLength(1)
    await under.store.commit((session) => session.saveRelayer(relayer))
    expect((await send(under.store, id)).sequence).toBe(5)
  })

  test('the newest nonce stays, and so does that of a relayer that was deleted', async () => {
    await using under = await open()
    const { id: relayer } = await storedRelayer(under.store)
    const ids = [await store(under.store, relayer, 'final', 0), await store(under.store, relayer, 'final', 1)]
    await explainBelow(under.store, relayer, 2)
    expect(await under.store.reads.removable(relayer, ids)).toEqual([ids[0]])
    await under.store.commit((session) => session.removeRelayer(relayer, now), relayer)
    expect(await remove(under.store, relayer, ids)).toEqual([ids[0]])
    expect(await under.store.reads.highestNonce(relayer)).toBe(1)
  })

  test('while a history check may need them, transactions that ended without a nonce stay', async () => {
    await using under = await open()
    const { id: relayer } = await storedRelayer(under.store)
    const early = await dropped(under.store, relayer)
    const waiting = await send(under.store, relayer)
    await under.store.commit((session) => session.acquire(relayer))
    const late = await dropped(under.store, relayer)
    expect(await remove(under.store, relayer, [early, late])).toEqual([])
    await under.store.commit((session) => session.completeHistoryCheck(relayer))
    expect(await remove(under.store, relayer, [late])).toEqual([late])
    expect(await under.store.reads.removable(relayer, [early])).toEqual([early])
    // With nothing open, an incomplete check has nothing to compare them with.
    await under.store.commit((session) => session.acquire(relayer))
    expect(await under.store.reads.removable(relayer, [early])).toEqual([])
    await under.store.commit((session) => session.saveTransaction(waiting, cancel(waiting, now), now), relayer)
    expect(await remove(under.store, relayer, [early])).toEqual([early])
  })

  test('a transaction stays while an event of it waits or is a dead letter', async () => {
    await using under = await open()
    const relayer = { ...(await storedRelayer(under.store)), notificationId: 'retained' }
    await under.store.commit((session) => session.saveRelayer(relayer))
    const id = await dropped(under.store, relayer.id)
    const advance = { notificationId: 'retained', owner: 'me', leaseMs: 100, leaseBelievedMs: 200, now }
    const turn = { ...advance, tried: [], busy: new Set<number>(), room: 9 }
    const [due] = (await under.store.commit((session) => session.advanceQueue(turn))) ?? []
    if (!due) throw new Error('nothing is due')
    expect(await remove(under.store, relayer.id, [id])).toEqual([])
    const dead = { ...turn, tried: [{ due, result: 'dead', error: 'HTTP 500' } as const] }
    await under.store.commit((session) => session.advanceQueue(dead))
    expect(await remove(under.store, relayer.id, [id])).toEqual([])
    expect((await under.store.reads.deadLetterItems('retained', { page: 1, perPage: 1 }))?.total).toBe(1)
    const forgotten = { eventsKeptMs: 1, eventsKeptMax: 1, deadLettersKeptMs: 1, deadLettersKeptMax: 1 }
    await under.store.commit((session) => session.pruneEvents(forgotten, now + 9))
    expect(await remove(under.store, relayer.id, [id])).toEqual([id])
  })

  test('they are found by their end, a share at a time, also where many ended at once', async () => {
    await using under = await open()
    const { id: relayer } = await storedRelayer(under.store)
    expect(await under.store.reads.oldestEventAt()).toBeUndefined()
    for (const [nonce, at] of [30, 10, 10, 10, 20, 40].entries()) {
      await store(under.store, relayer, 'final', nonce, { at: now + at })
    }
    const found = async (before: number, from: { endedAt: number; passed: number }, limit: number) =>
      (await under.store.reads.endedBefore(now + before, from, limit)).map(({ endedAt }) => endedAt - now)
    expect(await found(40, { endedAt: 0, passed: 0 }, 2)).toEqual([10, 10])
    expect(await found(40, { endedAt: now + 10, passed: 2 }, 2)).toEqual([10, 20])
    expect(await found(40, { endedAt: now + 20, passed: 1 }, 2)).toEqual([30])
    expect(await found(10, { endedAt: 0, passed: 0 }, 2)).toEqual([])
    expect(await under.store.reads.oldestEventAt()).toBe(now + 30)
    const few = { eventsKeptMs: 1, eventsKeptMax: 1, deadLettersKeptMs: 1, deadLettersKeptMax: 1 }
    await under.store.commit((session) => session.pruneEvents(few, now + 99))
    // The newest event always stays.
    expect(await under.store.reads.oldestEventAt()).toBe(now + 40)
  })

  test('idempotency keys without a recorded transaction go by their own age, and are free then', async () => {
    await using under = await open()
    const { id: relayer } = await storedRelayer(under.store)
    const claim = (key: string, id: TransactionId, at: number) =>
      under.store.commit((session) => session.claim({ owner: 'one' as never, key, digest: 'd' }, [id], at), relayer)
    const ids = [freshId(), freshId(), freshId(), freshId()] as const
    for (const [index, id] of ids.entries()) await claim(`key-${index}`, id, now + index)
    const prune = async (before: number, rows: number) =>
      (await under.store.commit((session) => session.pruneClaims(now + before, now + before, rows))).removed
    expect(await prune(3, 2)).toBe(2)
    expect(await prune(3, 2)).toBe(1)
    expect(await prune(3, 2)).toBe(0)
    expect(await claim('key-3', ids[0], now)).toMatchObject({ ids: [ids[3]] })
    expect(await claim('key-0', ids[1], now)).toBeUndefined()
  })
}
