// Idempotency keys: one of many units that come at once claims one, and it lasts as long as what it stands for.
import { expect, test } from 'vitest'
import { administratorId } from '../../src/domain/api-key.ts'
import type { Claim } from '../../src/domain/claim.ts'
import type { ApiKeyId, TransactionId } from '../../src/domain/ids.ts'
import { now } from '../domain/some.ts'
import { freshId, type OpenStore, sendWithin, storedRelayer } from './contract.ts'

const claim: Claim = { owner: administratorId, key: 'payment 7', digest: 'of the request' }

export function claimContract(open: OpenStore): void {
  test('of units that claim a key at once one stores, and the others get its transaction', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () =>
        store.commit(async (session) => {
          const id = freshId()
          const claimed = await session.claim(claim, [id], now)
          if (claimed) return claimed.ids
          return [(await sendWithin(session, relayer.id, { id })).id]
        }),
      ),
    )
    const rows = await under.query<{ id: TransactionId }>('SELECT id FROM transactions')
    expect(rows).toHaveLength(1)
    expect(outcomes).toEqual(outcomes.map(() => [rows[0]?.id]))
  })

  test('a unit that fails leaves its key free, and keys of two owners are two', async () => {
    await using under = await open()
    const { store } = under
    const failing = store.commit(async (session) => {
      await session.claim(claim, [freshId()], now)
      throw new Error('refused')
    })
    await expect(failing).rejects.toThrow('refused')
    expect(await under.query('SELECT * FROM idempotency_keys')).toEqual([])

    const ids = [freshId(), freshId()]
    expect(await store.commit((session) => session.claim(claim, ids, now))).toBeUndefined()
    const other = { ...claim, owner: 'another' as ApiKeyId }
    expect(await store.commit((session) => session.claim(other, [freshId()], now))).toBeUndefined()
    const again = { ...claim, digest: 'of another request' }
    expect(await store.commit((session) => session.claim(again, [freshId()], now))).toEqual({
      digest: claim.digest,
      ids,
    })
  })
}
