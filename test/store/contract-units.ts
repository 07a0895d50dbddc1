// Units of work: all of one or nothing of it, each alone, however many share a commit.
import { expect, test } from 'vitest'
import type { Session } from '../../src/store/store.ts'
import { type OpenStore, send, sendWithin, storedRelayer } from './contract.ts'

export function unitContract(open: OpenStore): void {
  test('units that come at once fail alone, and a failed one leaves no trace', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, (_, index) =>
        store.commit(async (session) => {
          const sent = await sendWithin(session, relayer.id)
          if (index % 3 === 1) throw new Error(`unit ${index}`)
          // A statement that the database itself refuses.
          if (index % 3 === 2) await session.insertTransaction(sent)
          return sent
        }, relayer.id),
      ),
    )
    const stored = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    expect(stored.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 10 }, (_, index) => index + 1))
    const ids = stored.map(({ id }) => ({ id }))
    expect(await under.query('SELECT id FROM transactions ORDER BY sequence')).toEqual(ids)
    expect(await store.reads.counts(relayer.id)).toMatchObject({ pending: 10 })
    for (const [index, outcome] of outcomes.entries()) {
      if (index % 3 === 1) expect(outcome).toMatchObject({ reason: { message: `unit ${index}` } })
    }
  })

  test('a unit that fails after it changed a relayer and sent leaves nothing of it to the units of its commit', async () => {
    await using under = await open()
    const { store } = under
    const { id } = await storedRelayer(store)
    const epoch = await store.commit((session) => session.acquire(id), id)
    if (epoch === undefined) throw new Error('the relayer is stored')
    const failing = async (unit: (session: Session) => Promise<unknown>) => {
      const failed = store.commit(async (session) => {
        await unit(session)
        await session.reserveSequence(id)
        throw new Error('too late')
      }, id)
      await expect(failed).rejects.toThrow('too late')
    }
    const raised = { spentBelow: 7, explainedBelow: 7 }
    await Promise.all([
      failing((session) => session.raiseFloor(id, raised)),
      store.commit((session) => session.raiseFloor(id, raised), id),
    ])
    expect((await store.reads.work(id))?.floor).toEqual(raised)
    await Promise.all([
      failing((session) => session.acquire(id)),
      expect(store.commit((session) => session.fence(id, epoch + 1n), id)).rejects.toThrow('has another owner'),
      store.commit((session) => session.fence(id, epoch), id),
    ])
    const sequences = await Promise.all(
      [1, 2].map(() =>
        store.commit(async (session) => Promise.all([session.reserveSequence(id), session.reserveSequence(id)]), id),
      ),
    )
    expect(sequences.flat().map((each) => each?.sequence)).toEqual([1, 2, 3, 4])
  })

  test('a read sees committed rows, and nothing of a unit under way', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    const sent = await store.commit(async (session) => {
      const transaction = await sendWithin(session, relayer.id)
      expect(await session.transaction(relayer.id, transaction.id)).toStrictEqual(transaction)
      expect(await store.reads.transaction(relayer.id, transaction.id)).toBeUndefined()
      return transaction
    })
    expect(await store.reads.transaction(relayer.id, sent.id)).toStrictEqual(sent)
  })

  test('a store that is closing finishes what it took on, and takes no more', async () => {
    const under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    const sending = send(store, relayer.id)
    await under[Symbol.asyncDispose]()
    await expect(sending).resolves.toMatchObject({ sequence: 1 })
    await expect(send(store, relayer.id)).rejects.toThrow('closed')
  })

  test('a check passes on a healthy store', async () => {
    await using under = await open()
    await under.store.check()
  })
}
