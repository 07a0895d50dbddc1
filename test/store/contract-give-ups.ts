// The payloads of an hour that every node refused, which limit the sends of their API key.
import { expect, test } from 'vitest'
import { giveUpsWindowMs } from '../../src/domain/give-up.ts'
import type { ApiKeyId, TransactionId } from '../../src/domain/ids.ts'
import type { Relayer } from '../../src/domain/relayer.ts'
import type { Store } from '../../src/store/store.ts'
import { now } from '../domain/some.ts'
import { type OpenStore, storedRelayer } from './contract.ts'

const [clerk, other] = ['clerk', 'other'] as ApiKeyId[] as [ApiKeyId, ApiKeyId]

const record = (store: Store, { id }: Relayer, keyId: ApiKeyId, transaction: string, at: number) =>
  store.commit((session) => session.recordGiveUp(id, { keyId, transactionId: transaction as TransactionId }, at), id)

export function giveUpContract(open: OpenStore): void {
  test('they count for an hour, for their key and relayer, and go afterwards', async () => {
    await using under = await open()
    const { store } = under
    const [one, two] = [await storedRelayer(store), await storedRelayer(store)]
    await record(store, one, clerk, 'a', now)
    await record(store, one, clerk, 'a', now)
    await record(store, one, clerk, 'b', now)
    await record(store, one, clerk, 'c', now + 10)
    await record(store, one, other, 'd', now)
    await record(store, two, clerk, 'e', now)
    const count = ({ id }: Relayer, keyId: ApiKeyId, at: number) =>
      store.commit((session) => session.giveUps(id, keyId, at))
    expect(await count(one, clerk, now + giveUpsWindowMs - 1)).toBe(3)
    expect(await count(one, clerk, now + giveUpsWindowMs)).toBe(1)
    expect(await count(one, other, now)).toBe(1)
    expect(await count(two, clerk, now)).toBe(1)
    await record(store, one, clerk, 'f', now + giveUpsWindowMs + 10)
    const left = await under.query(
      `SELECT transaction_id FROM give_ups WHERE relayer_id = '${one.id}' ORDER BY transaction_id`,
    )
    expect(left).toEqual([{ transaction_id: 'c' }, { transaction_id: 'f' }])
    await store.commit((session) => session.removeRelayer(one.id, now))
    expect(await under.query('SELECT transaction_id FROM give_ups')).toEqual([{ transaction_id: 'e' }])
  })

  test('a send reads when its relayer last gave one up', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    const { id } = relayer
    expect(await store.commit((session) => session.reserveSequence(id), id)).toEqual({ relayer, sequence: 1 })
    await record(store, relayer, clerk, 'a', now)
    // A change of the relayer leaves it as it is.
    await store.commit((session) => session.saveRelayer(relayer))
    expect(await store.commit((session) => session.reserveSequence(id), id)).toEqual({
      ...{ relayer, sequence: 2, gaveUpAt: now },
    })
    expect(await store.commit((session) => session.reserveSequences(id, 3), id)).toEqual({
      ...{ relayer, first: 3, gaveUpAt: now },
    })
  })
}
