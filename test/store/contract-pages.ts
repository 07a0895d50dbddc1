// Pages whose items may be large: each is read by itself, and is whole.
import { expect, test } from 'vitest'
import { cancel } from '../../src/domain/cancel.ts'
import { replace } from '../../src/domain/replace.ts'
import { hashOf, now, someAttempt, somePayload, transactionEvents } from '../domain/some.ts'
import { allOf, type OpenStore, send, storedRelayer } from './contract.ts'

export function pageContract(open: OpenStore): void {
  test('a page of large payloads: whole, in its order, without signed bytes, and with the size of each', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    const large = `0x${'ab'.repeat(100_000)}` as const
    const small = await send(store, relayer.id)
    const wide = await send(store, relayer.id, { payload: { ...somePayload, from: relayer.address, data: large } })
    const accessList = [{ address: relayer.address, storageKeys: Array.from({ length: 200 }, (_, key) => hashOf(key)) }]
    const listing = await send(store, relayer.id, { payload: { ...somePayload, from: relayer.address, accessList } })
    const before = await send(store, relayer.id, { payload: { ...somePayload, from: relayer.address, data: large } })
    const { from: _, ...other } = somePayload
    const replaced = await store.commit((session) =>
      session.saveTransaction(before, replace(before, { ...other, value: 42n }, 'public'), now),
    )
    const attempt = someAttempt(0, { transactionId: wide.id })
    const bound = { ...wide, lifecycle: { phase: 'inFlight', nonce: 0, attempts: [attempt] } as const }
    const sent = await store.commit((session) => session.saveTransaction(wide, bound, now))
    const { items, total } = await store.reads.transactionItems(relayer.id, {}, { page: 1, perPage: 9 })
    expect(total).toBe(4)
    const { raw: __, ...unsigned } = attempt
    const listed = { ...sent, lifecycle: { phase: 'inFlight', nonce: 0, attempts: [unsigned] } }
    expect(await allOf(items)).toStrictEqual([replaced, listing, listed, small])
    const [ofReplaced = 0, ofListing = 0, ofWide = 0, ofSmall = 0] = items.map(({ bytes }) => bytes)
    expect(ofWide).toBe(large.length)
    expect(ofReplaced).toBeGreaterThan(large.length)
    expect(ofListing).toBeGreaterThan(200 * 66)
    expect(ofSmall).toBeLessThan(100)
    // A PUT between the page and its slice: the whole payload is the new one.
    const again = await store.reads.transactionItems(relayer.id, {}, { page: 4, perPage: 1 })
    expect(await allOf(again.items)).toStrictEqual([small])
    const page = await store.reads.transactionItems(relayer.id, {}, { page: 1, perPage: 1 })
    const after = replace(replaced, { ...other, value: 43n, data: large }, 'public')
    const latest = await store.commit((session) => session.saveTransaction(replaced, after, now))
    const [read] = await allOf(page.items)
    expect(read).toMatchObject({ payload: latest.payload, earlier: latest.earlier })
  })
  test('a window of large events ends early, and the next one goes on', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    const from = await store.reads.newestEvent()
    const payload = { ...somePayload, from: relayer.address, data: `0x${'ab'.repeat(60_000)}` } as const
    const sent = []
    for (let count = 0; count < 7; count += 1) sent.push((await send(store, relayer.id, { payload })).id)
    for (const id of sent) {
      await store.commit(async (session) => {
        const before = await session.transaction(relayer.id, id)
        if (before) await session.saveTransaction(before, cancel(before, now), now)
      })
    }
    const windows: number[] = []
    const read: string[] = []
    for (let after = from; read.length < 7; ) {
      const window = await store.reads.events(after, 50, ({ relayerId }) => relayerId === relayer.id)
      expect(window.through).toBeGreaterThan(after)
      windows.push(window.events.length)
      read.push(...transactionEvents(window.events).map(({ transaction }) => transaction.id))
      after = window.through
    }
    expect(read).toEqual(sent)
    // The third goes beyond 256 KiB.
    expect(windows).toEqual([3, 3, 1])
  })
}
