// The work of a step, read after an earlier one.
import { expect, test } from 'vitest'
import type { Transaction } from '../../src/domain/transaction.ts'
import { broadcastStates, by, now, someAttempt } from '../domain/some.ts'
import { type OpenStore, send, storedRelayer } from './contract.ts'

export function changedContract(open: OpenStore): void {
  test('work after an earlier one reads anew what changed since, and only that', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store, { maxInFlight: 3 })
    const save = (before: Transaction, lifecycle: Transaction['lifecycle']) =>
      store.commit((session) => session.saveTransaction(before, { ...before, lifecycle }, now))

    const [one, two, three] = [
      await send(store, relayer.id),
      await send(store, relayer.id),
      await send(store, relayer.id),
    ]
    const ofOne = someAttempt(0, { transactionId: one.id, broadcast: broadcastStates.sending })
    const ofTwo = someAttempt(1, { transactionId: two.id })
    const ofThree = someAttempt(2, { transactionId: three.id })
    const bound = await save(one, { phase: 'inFlight', nonce: 0, attempts: [ofOne] })
    await save(two, { phase: 'inFlight', nonce: 1, attempts: [ofTwo] })
    const mined = await save(three, { phase: 'inFlight', nonce: 2, attempts: [ofThree] })
    const waiting = await send(store, relayer.id, { validUntil: now + 5 })
    await send(store, relayer.id)
    const earlier = await store.reads.work(relayer.id)

    const same = await store.reads.work(relayer.id, undefined, earlier)
    expect(same).toStrictEqual(earlier)
    for (const part of ['open', 'expiring'] as const) {
      for (const [place, transaction] of (earlier?.[part] ?? []).entries())
        expect(same?.[part][place]).toBe(transaction)
    }

    // The answer of a node, a rival for the nonce, an end, a wait and a send.
    const answered = { ...ofOne, broadcast: broadcastStates.accepted }
    const rival = someAttempt(0, { transactionId: one.id, kind: 'cancel' })
    await save(bound, { phase: 'inFlight', nonce: 0, attempts: [answered, rival] })
    await save(mined, { phase: 'final', nonce: 2, attempts: [ofThree], inclusion: by(ofThree), settledAt: now })
    const wait = { condition: 'paused', text: 'the relayer is paused' } as const
    await store.commit((session) => session.saveTransaction(waiting, { ...waiting, wait }, now))
    await send(store, relayer.id)

    const later = await store.reads.work(relayer.id, undefined, earlier)
    expect(later).toStrictEqual(await store.reads.work(relayer.id))
    expect(later?.open.map(({ id }) => id)).toEqual([one.id, two.id])
    expect(later?.open[1]).toBe(earlier?.open[1])
  })
}
