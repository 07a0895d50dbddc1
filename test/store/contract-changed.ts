// The work of a step, read after an earlier one.
import { expect, test } from 'vitest'
import { cancel } from '../../src/domain/cancel.ts'
import type { Transaction } from '../../src/domain/transaction.ts'
import { earlierOf } from '../../src/engine/earlier-work.ts'
import { broadcastStates, by, now, someAttempt, someBulk } from '../domain/some.ts'
import { someWait } from '../domain/some-reasons.ts'
import { freshId, type OpenStore, send, storedRelayer } from './contract.ts'

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
    const before = await store.reads.work(relayer.id)
    if (!before) throw new Error('the relayer is stored')
    const earlier = earlierOf(before, [])

    const same = await store.reads.work(relayer.id, undefined, earlier)
    expect(same).toStrictEqual(before)
    for (const part of ['open', 'expiring'] as const) {
      for (const [place, transaction] of before[part].entries()) expect(same?.[part][place]).toBe(transaction)
    }

    // The answer of a node, a rival for the nonce, an end, a wait and a send.
    const answered = { ...ofOne, broadcast: broadcastStates.accepted }
    const rival = someAttempt(0, { transactionId: one.id, kind: 'cancel' })
    await save(bound, { phase: 'inFlight', nonce: 0, attempts: [answered, rival] })
    await save(mined, {
      phase: 'final',
      nonce: 2,
      attempts: [ofThree],
      inclusion: by(ofThree),
      finalAt: now,
      witnesses: 1,
    })
    const wait = someWait('paused')
    await store.commit((session) => session.saveTransaction(waiting, { ...waiting, wait }, now))
    await send(store, relayer.id)

    const later = await store.reads.work(relayer.id, undefined, earlier)
    expect(later).toStrictEqual(await store.reads.work(relayer.id))
    expect(later?.open.map(({ id }) => id)).toEqual([one.id, two.id])
    expect(later?.open[1]).toBe(before.open[1])
  })

  test('what a save returns is what a read finds, and only another version is read again', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    const first = await send(store, relayer.id)
    const attempt = someAttempt(0, { transactionId: first.id, broadcast: broadcastStates.sending })
    const answered = { ...attempt, broadcast: broadcastStates.underpriced }
    const noOp = someAttempt(0, { transactionId: first.id, kind: 'cancel' })
    const steps: readonly ((known: Transaction) => Transaction)[] = [
      (known) => ({ ...known, sentAt: now, lifecycle: { phase: 'inFlight', nonce: 0, attempts: [attempt] } }),
      (known) => ({ ...known, lifecycle: { phase: 'inFlight', nonce: 0, attempts: [answered] } }),
      (known) => ({ ...known, wait: someWait('paused') }),
      (known) => cancel(known, now),
      (known) => ({ ...known, lifecycle: { phase: 'inFlight', nonce: 0, attempts: [answered, noOp] } }),
      (known) => ({
        ...known,
        lifecycle: { phase: 'mined', nonce: 0, attempts: [answered, noOp], inclusion: by(noOp) },
      }),
    ]
    let known = first
    for (const change of steps) {
      const before = known
      known = await store.commit((session) => session.saveTransaction(before, change(before), now), relayer.id)
      expect(await store.reads.transaction(relayer.id, first.id)).toStrictEqual(known)
      const current = await store.commit((session) => session.current(known), relayer.id)
      expect(current).toBe(known)
      const found = await store.commit((session) => session.current(before), relayer.id)
      expect(found).toStrictEqual(known)
    }
    const missing = { ...known, id: freshId() }
    expect(await store.commit((session) => session.current(missing), relayer.id)).toBeUndefined()
  })

  test('the current transaction is the stored one after a unit that failed, and after a bulk cancellation', async () => {
    await using under = await open()
    const { store } = under
    const { id } = await storedRelayer(store)
    const sent = await send(store, id)
    const currentOf = (known: Transaction) => store.commit((session) => session.current(known), id)
    let lost = sent
    const failing = store.commit(async (session) => {
      lost = await session.saveTransaction(sent, { ...sent, wait: someWait('paused') }, now)
      throw new Error('too late')
    }, id)
    await expect(failing).rejects.toThrow('too late')
    expect(await currentOf(lost)).toEqual(sent)
    const saved = await store.commit(
      (session) => session.saveTransaction(sent, { ...sent, wait: someWait('paused') }, now),
      id,
    )
    expect(await currentOf(saved)).toEqual(saved)
    await store.commit((session) => session.cancelPending(id, now, someBulk()), id)
    expect(await currentOf(saved)).toEqual(await store.reads.transaction(id, sent.id))
    expect(await currentOf(saved)).toMatchObject({ lifecycle: { phase: 'dropped' } })
  })
}
