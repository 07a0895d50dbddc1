// The record of gap fillers: the nonces that were given back, those that were filled, and what an operator permits.
import { expect, test } from 'vitest'
import { fillsWindowMs, permitMsMax } from '../../src/domain/gap-record.ts'
import type { Relayer } from '../../src/domain/relayer.ts'
import type { Session, Store } from '../../src/store/store.ts'
import { address, now, someAttempt } from '../domain/some.ts'
import { type OpenStore, type StoreUnderTest, send, storedRelayer } from './contract.ts'

/** A transaction gets the nonce and gives it back. */
async function giveBack(store: Store, { id }: Relayer, nonce: number): Promise<void> {
  const sent = await send(store, id)
  await store.commit(async (session) => {
    const lifecycle = { phase: 'inFlight', nonce, attempts: [someAttempt(nonce, { transactionId: sent.id })] } as const
    const bound = await session.saveTransaction(sent, { ...sent, lifecycle }, now)
    await session.saveTransaction(bound, { ...bound, lifecycle: { phase: 'queued' } }, now)
  }, id)
}

const fill = (store: Store, { id }: Relayer, nonce: number, at: number) =>
  store.commit((session) => session.recordGapFill(id, nonce, at))

const permit = (store: Store, { id }: Relayer, fills: number, grantedAt: number, forMs: number) =>
  store.commit((session) => session.permitGapFillers(id, { fills, grantedAt, expiresAt: grantedAt + forMs }))

const tables = ['released_nonces', 'gap_fills', 'gap_permits'] as const

function rowsIn({ query }: StoreUnderTest): Promise<readonly number[]> {
  return Promise.all(tables.map(async (table) => (await query(`SELECT relayer_id FROM ${table}`)).length))
}

export function gapContract(open: OpenStore): void {
  test('a nonce that a transaction gave back is released: of this relayer, from the given nonce on, until it is spent', async () => {
    await using under = await open()
    const { store } = under
    const [one, other] = [await storedRelayer(store), await storedRelayer(store)]
    for (const nonce of [4, 6, 7]) await giveBack(store, one, nonce)
    const has = async ({ id }: Relayer, from: number) => {
      const { released } = await store.reads.gapRecord(id, from, now)
      return [4, 5, 6, 7].filter((nonce) => released.has(nonce))
    }
    expect(await has(one, 0)).toEqual([4, 6, 7])
    expect(await has(one, 5)).toEqual([6, 7])
    expect(await has(other, 0)).toEqual([])
    await store.commit((session) => session.raiseFloor(one.id, { spentBelow: 7, explainedBelow: 7 }))
    await giveBack(store, one, 9)
    expect(await under.query('SELECT nonce FROM released_nonces ORDER BY nonce')).toEqual([{ nonce: 7 }, { nonce: 9 }])
  })

  test('gap fillers count for an hour, for their relayer, and once each', async () => {
    await using under = await open()
    const { store } = under
    const [one, other] = [await storedRelayer(store), await storedRelayer(store)]
    for (const nonce of [4, 5, 5]) await fill(store, one, nonce, now)
    await fill(store, one, 6, now + 10)
    await fill(store, other, 6, now)
    const inHour = async (at: number) => (await store.reads.gapRecord(one.id, 0, at)).filledInHour
    expect(await inHour(now + 10)).toBe(3)
    expect(await inHour(now + fillsWindowMs - 1)).toBe(3)
    expect(await inHour(now + fillsWindowMs)).toBe(1)
    expect(await inHour(now + fillsWindowMs + 10)).toBe(0)
    // Rows that no limit and no permit counts any more go.
    await fill(store, one, 7, now + permitMsMax + fillsWindowMs + 5)
    expect(await under.query(`SELECT nonce FROM gap_fills WHERE relayer_id = '${one.id}' ORDER BY nonce`)).toEqual([
      { nonce: 6 },
      { nonce: 7 },
    ])
  })

  test('a permit counts gaps filled from then on, ends with its time, and the next one replaces it', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    const permitted = async (at: number) => (await store.reads.gapRecord(relayer.id, 0, at)).permitted
    await fill(store, relayer, 1, now - 1)
    expect(await permitted(now)).toBe(0)
    await permit(store, relayer, 3, now, 1_000)
    expect(await permitted(now)).toBe(3)
    await fill(store, relayer, 2, now)
    expect(await permitted(now)).toBe(2)
    expect(await permitted(now + 999)).toBe(2)
    expect(await permitted(now + 1_000)).toBe(0)
    await permit(store, relayer, 1, now + 10, 5_000)
    expect(await permitted(now + 1_000)).toBe(1)
    for (const nonce of [3, 4]) await fill(store, relayer, nonce, now + 20)
    expect(await permitted(now + 1_000)).toBe(0)
  })

  test.each<[string, readonly number[], (session: Session, relayer: Relayer) => Promise<void>]>([
    // Each limit is the relayer's, whatever its account.
    [
      'whose account is another has no released nonces',
      [0, 1, 1],
      (session, relayer) => session.saveRelayer({ ...relayer, address }),
    ],
    ['that is deleted has none of it', [0, 0, 0], (session, { id }) => session.removeRelayer(id, now)],
  ])('a relayer %s', async (_, left, change) => {
    await using under = await open()
    const { store } = under
    const [one, other] = [await storedRelayer(store), await storedRelayer(store)]
    for (const relayer of [one, other]) {
      await giveBack(store, relayer, 4)
      await fill(store, relayer, 5, now)
      await permit(store, relayer, 10, now, 1_000)
    }
    expect(await rowsIn(under)).toEqual([2, 2, 2])
    await store.commit((session) => change(session, one))
    expect(await rowsIn(under)).toEqual(left.map((of) => of + 1))
    const { released, filledInHour, permitted } = await store.reads.gapRecord(other.id, 0, now)
    expect([released.has(4), filledInHour, permitted]).toEqual([true, 1, 9])
  })
}
