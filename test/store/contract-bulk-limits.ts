// Bulk cancellations with a max_cost, part by part: which of them need a price, and what they do to a race that is on.
import { expect, test } from 'vitest'
import type { BulkHead } from '../../src/domain/bulk-cancellation.ts'
import { cancel } from '../../src/domain/cancel.ts'
import type { Reckoning } from '../../src/domain/cost-limit.ts'
import type { ApiKeyId, BulkId, RelayerId } from '../../src/domain/ids.ts'
import type { Transaction } from '../../src/domain/transaction.ts'
import type { Wei } from '../../src/domain/units.ts'
import type { Store } from '../../src/store/store.ts'
import { now, someAttempt, someBulk, someReckoning } from '../domain/some.ts'
import { type OpenStore, send, storedRelayer } from './contract.ts'

const requester = { keyId: 'key' as ApiKeyId, operation: 'createBulkCancellation', requestId: 'r', address: '::1' }

/** As the first commit of a request does. */
export async function recordWithin(
  store: Store,
  relayers: readonly RelayerId[],
  maxCost: Wei,
  changes: Partial<BulkHead> = {},
): Promise<BulkId> {
  const { id } = someBulk()
  const head: BulkHead = {
    ...{ id, origin: 'request', filter: {}, pause: false, everyRelayer: false, requestedAt: now, maxCost },
    ...changes,
  }
  const claim = { owner: requester.keyId, key: id, digest: 'd' }
  await store.commit((session) => session.recordBulk({ head, relayers, requester, claim }))
  return id
}

/** A node has it. */
export async function submitted(store: Store, relayerId: RelayerId, nonce: number): Promise<Transaction> {
  const queued = await send(store, relayerId)
  const attempts = [someAttempt(nonce, { transactionId: queued.id })] as const
  const flying: Transaction = { ...queued, lifecycle: { phase: 'inFlight', nonce, attempts } }
  return store.commit((session) => session.saveTransaction(queued, flying, now))
}

const unpriced: Reckoning = { ...someReckoning, priceOf: () => undefined }

export function bulkLimitContract(open: OpenStore): void {
  const take = (store: Store, bulkId: BulkId, relayerId: RelayerId, reckoning: Reckoning = someReckoning) =>
    store.commit((session) => session.takeBulk({ bulkId, relayerId }, now + 1, reckoning), relayerId)

  test('a part needs a price only for a match that costs something, and without one it waits unchanged', async () => {
    await using under = await open()
    const { store } = under
    const [free, dear] = [await storedRelayer(store), await storedRelayer(store)]
    const queued = await send(store, free.id)
    const racing = await submitted(store, dear.id, 0)
    const bulkId = await recordWithin(store, [free.id, dear.id], 10n ** 18n)
    const stop = await take(store, bulkId, free.id, unpriced)
    expect(stop?.taken.canceled).toEqual([queued.id])
    await expect(take(store, bulkId, dear.id, unpriced)).rejects.toMatchObject({ code: 'PRICE_UNOBSERVED' })
    expect((await store.reads.transaction(dear.id, racing.id))?.cancellation).toBe(undefined)
    expect(await store.reads.waitingBulkParts(10)).toMatchObject([{ bulkId, relayerId: dear.id }])
    expect((await take(store, bulkId, dear.id))?.taken).toMatchObject({ canceled: [racing.id], racing: 1 })
    expect(await store.reads.waitingBulkParts(10)).toEqual([])
  })

  test('the parts that wait are read in pages', async () => {
    await using under = await open()
    const { store } = under
    const relayers = [await storedRelayer(store), await storedRelayer(store), await storedRelayer(store)]
    await recordWithin(
      store,
      relayers.map(({ id }) => id),
      1n,
    )
    const first = await store.reads.waitingBulkParts(2)
    const rest = await store.reads.waitingBulkParts(2, first.at(-1)?.number)
    expect([...first, ...rest].map(({ relayerId }) => relayerId)).toEqual(relayers.map(({ id }) => id))
    expect(await store.reads.waitingBulkParts(2, rest.at(-1)?.number)).toEqual([])
  })

  test('a race that is on gets the bound of a later object, which says so; the same bound again changes nothing', async () => {
    await using under = await open()
    const { store } = under
    const { id: relayerId } = await storedRelayer(store)
    const racing = await submitted(store, relayerId, 0)
    await store.commit((session) => session.saveTransaction(racing, cancel(racing, now, 'request', 1n), now))
    const boundOf = async () => (await store.reads.transaction(relayerId, racing.id))?.cancellation?.costMax
    const taken = async (maxCost: Wei) =>
      (await take(store, await recordWithin(store, [relayerId], maxCost), relayerId))?.taken
    expect(await taken(10n ** 18n)).toMatchObject({ canceled: [], racing: 0, rebounded: 1 })
    const bound = await boundOf()
    expect(bound).toBeGreaterThan(1n)
    expect(await taken(10n ** 18n)).not.toHaveProperty('rebounded')
    expect(await taken(2n)).not.toHaveProperty('rebounded')
    expect(await boundOf()).toBe(bound)
  })
}
