// The fence: from the moment a relayer has a new owner, the old one writes nothing.
import { expect, test } from 'vitest'
import { OwnershipLost } from '../../src/domain/errors.ts'
import { type OpenStore, sendWithin, storedRelayer } from './contract.ts'

export function ownerContract(open: OpenStore): void {
  test('each acquisition raises the epoch by one', async () => {
    await using under = await open()
    const relayer = await storedRelayer(under.store)
    const epochs = []
    for (let count = 0; count < 3; count += 1) {
      epochs.push(await under.store.commit((session) => session.acquire(relayer.id)))
    }
    expect(epochs).toEqual([1n, 2n, 3n])
  })

  test('the mark of an incomplete history check stays from owner to owner, until one completes it', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    const acquire = () => store.commit((session) => session.acquire(relayer.id))
    const mark = async () => (await store.reads.work(relayer.id))?.uncheckedThrough
    const send = () => store.commit((session) => sendWithin(session, relayer.id))
    await send()
    expect(await mark()).toBeUndefined()
    await acquire()
    expect(await mark()).toBe(1)
    await send()
    await acquire()
    await store.commit((session) => session.saveRelayer({ ...relayer, paused: true }))
    expect(await mark()).toBe(1)
    await store.commit((session) => session.completeHistoryCheck(relayer.id))
    expect(await mark()).toBeUndefined()
    await acquire()
    expect(await mark()).toBe(2)
    await store.commit((session) => session.saveRelayer({ ...relayer, chainId: relayer.chainId + 1 }))
    expect(await mark()).toBeUndefined()
  })

  test('a unit under an old epoch, or one that never was, is refused and leaves no trace', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    const acquire = () => store.commit((session) => session.acquire(relayer.id))
    const writeAt = (epoch: bigint) =>
      store.commit(async (session) => {
        await session.fence(relayer.id, epoch)
        return sendWithin(session, relayer.id)
      })
    await acquire()
    await writeAt(1n)
    await acquire()
    for (const epoch of [0n, 1n, 3n]) await expect(writeAt(epoch)).rejects.toThrow(OwnershipLost)
    expect(await under.query('SELECT sequence FROM transactions')).toEqual([{ sequence: 1 }])
    expect((await writeAt(2n)).sequence).toBe(2)
  })

  test('writes that arrive with a new owner are ordered by it: none of the old epoch comes after', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    await store.commit((session) => session.acquire(relayer.id))
    const write = () =>
      store.commit(async (session) => {
        await session.fence(relayer.id, 1n)
        await sendWithin(session, relayer.id)
      }, relayer.id)
    const before = [write(), write()]
    const acquired = store.commit((session) => session.acquire(relayer.id), relayer.id)
    const after = [write(), write()]
    await Promise.all([...before, acquired])
    for (const late of await Promise.allSettled(after)) {
      expect(late).toMatchObject({ status: 'rejected', reason: { name: 'OwnershipLost' } })
    }
    expect(await under.query('SELECT sequence FROM transactions ORDER BY sequence')).toHaveLength(2)
  })
}
