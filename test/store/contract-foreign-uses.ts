// Foreign uses of relayers' keys: how far each account was looked at, what was found, and what the record says of nonces.
import { expect, test } from 'vitest'
import type { Attempt } from '../../src/domain/attempt.ts'
import type { ForeignUse } from '../../src/domain/foreign-use.ts'
import type { ApiKeyId, NonEmpty } from '../../src/domain/ids.ts'
import type { Relayer } from '../../src/domain/relayer.ts'
import type { Inclusion, Lifecycle, Transaction } from '../../src/domain/transaction.ts'
import type { ForeignLook } from '../../src/store/relayer-port.ts'
import type { Store } from '../../src/store/store.ts'
import { by, byForeign, hashOf, now, someAttempt, someNoOp } from '../domain/some.ts'
import { type OpenStore, send, storedRelayer } from './contract.ts'

const someUse = (first: number, last: number, changes: Partial<ForeignUse> = {}): ForeignUse => ({
  ...{ first, last, foundAt: now, mayBeLost: false },
  ...changes,
})

const look = (store: Store, { id }: Relayer, looked: ForeignLook) =>
  store.commit((session) => session.recordForeignLook(id, looked), id)

const find = (store: Store, relayer: Relayer, found: ForeignUse) =>
  look(store, relayer, { lookedBelow: found.last + 1, found })

const acknowledgment = { at: now + 5, by: 'ops' as ApiKeyId, note: 'ours' }

const acknowledge = (store: Store, { id }: Relayer) =>
  store.commit((session) => session.acknowledgeForeignUses(id, acknowledgment), id)

/** Binds a transaction to the nonce and saves it as `then` says. */
async function save(
  store: Store,
  { id }: Relayer,
  attempts: NonEmpty<Attempt>,
  then: (attempts: NonEmpty<Attempt>, nonce: number) => readonly (Partial<Transaction> & { lifecycle: Lifecycle })[],
): Promise<void> {
  const { nonce } = attempts[0]
  let saved = await send(store, id)
  const own = attempts.map((each) => ({ ...each, transactionId: saved.id })) as unknown as NonEmpty<Attempt>
  for (const changes of [{ lifecycle: { phase: 'inFlight', nonce, attempts: own } as const }, ...then(own, nonce)])
    saved = await store.commit((session) => session.saveTransaction(saved, { ...saved, ...changes }, now), id)
}

const minedBy =
  (inclusion: (attempts: NonEmpty<Attempt>) => Inclusion, confirmedAt?: number) =>
  (attempts: NonEmpty<Attempt>, nonce: number) => [
    {
      lifecycle: {
        ...{ phase: 'mined' as const, nonce, attempts, inclusion: inclusion(attempts) },
        ...(confirmedAt !== undefined && { confirmedAt }),
      },
    },
  ]

const finalBy =
  (inclusion: (attempts: NonEmpty<Attempt>) => Inclusion) => (attempts: NonEmpty<Attempt>, nonce: number) => [
    {
      lifecycle: {
        phase: 'final' as const,
        nonce,
        attempts,
        inclusion: inclusion(attempts),
        finalAt: now,
        witnesses: 1,
      },
    },
  ]

const byFirst = ([attempt]: NonEmpty<Attempt>) => by(attempt)

export function foreignUseContract(open: OpenStore): void {
  test('each relayer has a look of its own, and the next one replaces it', async () => {
    await using under = await open()
    const { store } = under
    const [one, other] = [await storedRelayer(store), await storedRelayer(store)]
    expect(await store.reads.lookedBelow(one.id)).toBeUndefined()
    await look(store, one, { lookedBelow: 0 })
    await look(store, other, { lookedBelow: 9 })
    expect(await store.reads.lookedBelow(one.id)).toBe(0)
    await look(store, one, { lookedBelow: 4 })
    expect(await store.reads.lookedBelow(one.id)).toBe(4)
    expect(await store.reads.foreignUses(one.id, 0)).toEqual([])
    await find(store, one, someUse(4, 4))
    await store.commit((session) => session.removeRelayer(one.id, now))
    expect(await under.query('SELECT relayer_id, looked_below FROM foreign_looks')).toEqual([
      { relayer_id: other.id, looked_below: 9 },
    ])
    expect(await under.query('SELECT relayer_id FROM foreign_uses')).toEqual([])
  })

  test('a run that goes on is one entry, until it is acknowledged; one that was recorded before is not recorded again', async () => {
    await using under = await open()
    const { store } = under
    const [one, other] = [await storedRelayer(store), await storedRelayer(store)]
    const seen = someUse(3, 4, { spender: { hash: hashOf(7), block: 12 }, mayBeLost: true })
    await find(store, one, seen)
    await find(store, one, someUse(5, 6, { foundAt: now + 1 }))
    await find(store, one, someUse(8, 8))
    await find(store, one, someUse(8, 8, { foundAt: now + 2 }))
    await find(store, other, someUse(7, 7))
    const run = { ...seen, last: 6 }
    expect(await store.reads.foreignUses(one.id, 0)).toEqual([run, someUse(8, 8)])
    expect(await store.reads.foreignUses(one.id, 6)).toEqual([run, someUse(8, 8)])
    expect(await store.reads.foreignUses(one.id, 7)).toEqual([someUse(8, 8)])
    expect(await store.reads.openForeignUses(one.id)).toEqual([run, someUse(8, 8)])

    await acknowledge(store, one)
    expect(await store.reads.openForeignUses(one.id)).toEqual([])
    await find(store, one, someUse(9, 9))
    expect(await store.commit((session) => session.openForeignUses(one.id))).toEqual([someUse(9, 9)])
    // An acknowledgment is of what there is: a later one leaves it as it was.
    await store.commit((session) => session.acknowledgeForeignUses(one.id, { at: now + 9, by: 'late' as ApiKeyId }))
    expect(await store.reads.foreignUses(one.id, 0)).toEqual([
      { ...run, acknowledged: acknowledgment },
      { ...someUse(8, 8), acknowledged: acknowledgment },
      { ...someUse(9, 9), acknowledged: { at: now + 9, by: 'late' } },
    ])
    expect(await store.reads.openForeignUses(other.id)).toEqual([someUse(7, 7)])
  })

  test('the record of a nonce says whose it is, and whether for good', async () => {
    await using under = await open()
    const { store } = under
    const [one, other] = [await storedRelayer(store), await storedRelayer(store)]
    await save(store, one, [someAttempt(0)], finalBy(byFirst))
    await save(store, one, [someAttempt(1)], minedBy(byFirst))
    await save(store, one, [someAttempt(2)], () => [])
    // A foreign transaction that a reorganization may still drop, one that is confirmed, and one for good.
    await save(
      store,
      one,
      [someAttempt(3)],
      minedBy(() => byForeign(20)),
    )
    await save(
      store,
      one,
      [someAttempt(4)],
      minedBy(() => byForeign(21), now),
    )
    await save(
      store,
      one,
      [someAttempt(5)],
      finalBy(() => byForeign(22)),
    )
    // Given up, its nonce is spent by our no-op, and the payload waits for another nonce.
    await save(store, one, [someAttempt(7), someNoOp(7)], () => [{ giveUps: 1, lifecycle: { phase: 'queued' } }])
    await save(store, other, [someAttempt(6)], () => [])
    const foreign = (nonce: number, block: number) => ({
      by: 'foreign',
      nonce,
      spender: { hash: byForeign().hash, block },
    })
    const all = [
      { by: 'ours', nonce: 0, isFinal: true },
      { by: 'ours', nonce: 1, isFinal: false },
      { by: 'undecided', nonce: 2 },
      { by: 'undecided', nonce: 3 },
      foreign(4, 21),
      foreign(5, 22),
      { by: 'ours', nonce: 7, isFinal: true },
    ]
    expect(await store.reads.nonceRecord(one.id, 0, 9)).toEqual(all)
    expect(await store.reads.nonceRecord(one.id, 1, 5)).toEqual(all.slice(1, 5))
    expect(await store.reads.nonceRecord(one.id, 7, 8)).toEqual(all.slice(6))
    expect(await store.reads.nonceRecord(one.id, 0, 0)).toEqual([])
  })
}
