// Configuration through the API: rows with a revision that only grows, and relayers that go and come back.
import { expect, test } from 'vitest'
import type { Address, RelayerId } from '../../src/domain/ids.ts'
import { now, someBulk } from '../domain/some.ts'
import { type OpenStore, send, sendWithin, storedRelayer } from './contract.ts'

const key = { kind: 'signer', id: 'one', facts: '{"type":"plain"}', sealed: 'v1.key.bytes' } as const

export function registryContract(open: OpenStore): void {
  test('a row is read as it was written last, and each change is at a higher revision than all before', async () => {
    await using under = await open()
    const { store } = under
    const seen = [await store.reads.revision()]
    await store.commit((session) => session.saveEntity(key))
    seen.push(await store.reads.revision())
    expect(await store.reads.entities()).toEqual([{ ...key, revision: seen.at(-1) }])
    const { sealed: _, ...bare } = { ...key, facts: '{}' }
    await store.commit(async (session) => {
      await session.saveEntity({ ...bare, kind: 'network' })
      await session.saveEntity(bare)
    })
    seen.push(await store.reads.revision())
    const [network, signer] = await store.reads.entities()
    expect([network, signer]).toMatchObject([{ ...bare, kind: 'network' }, bare])
    expect(signer).not.toHaveProperty('sealed')
    expect(signer?.revision).toBeGreaterThan(network?.revision ?? 0)
    expect(await store.commit((session) => session.entity('signer', 'one'))).toEqual(signer)
    await store.commit((session) => session.removeEntity('signer', 'one'))
    seen.push(await store.reads.revision())
    expect(await store.commit((session) => session.entity('signer', 'one'))).toBeUndefined()
    expect(seen).toEqual([...new Set(seen)].sort((one, other) => one - other))
  })

  test('changes that come at once each get a revision of their own, and a unit that fails leaves none', async () => {
    await using under = await open()
    const { store } = under
    const ids = Array.from({ length: 20 }, (_, index) => `signer-${index}`)
    await Promise.all(ids.map((id) => store.commit((session) => session.saveEntity({ ...key, id }))))
    const rows = await store.reads.entities()
    expect(new Set(rows.map(({ revision }) => revision)).size).toBe(20)
    const before = await store.reads.revision()
    const failing = store.commit(async (session) => {
      await session.removeEntity('signer', 'signer-3')
      throw new Error('refused')
    })
    await expect(failing).rejects.toThrow('refused')
    expect(await store.reads.revision()).toBe(before)
    expect(await store.reads.entities()).toEqual(rows)
  })

  test('a relayer that is removed is in no list, takes nothing, and leaves its transactions', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    const sent = await send(store, relayer.id)
    expect(await store.commit((session) => session.hasOpen(relayer.id))).toBe(true)
    await store.commit((session) => session.cancelPending(relayer.id, now, someBulk()))
    expect(await store.commit((session) => session.hasOpen(relayer.id))).toBe(false)
    expect(await store.reads.wasRelayer(relayer.id)).toBe(false)
    await store.commit((session) => session.removeRelayer(relayer.id, now))
    expect(await store.reads.relayer(relayer.id)).toBeUndefined()
    expect(await store.reads.work(relayer.id)).toBeUndefined()
    expect(await store.commit((session) => session.acquire(relayer.id))).toBeUndefined()
    expect(await store.commit((session) => session.reserveSequence(relayer.id))).toBeUndefined()
    expect(await store.reads.wasRelayer(relayer.id)).toBe(true)
    expect((await store.reads.transaction(relayer.id, sent.id))?.id).toBe(sent.id)
  })

  test('one that comes back goes on in its order and above its epoch, and keeps its floor with its account', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    await store.commit(async (session) => {
      await session.acquire(relayer.id)
      await session.acquire(relayer.id)
      await session.raiseFloor(relayer.id, { spentBelow: 7, explainedBelow: 7 })
      await sendWithin(session, relayer.id)
      await session.cancelPending(relayer.id, now, someBulk())
      await session.removeRelayer(relayer.id, now)
      await session.saveRelayer(relayer)
    })
    expect((await store.reads.work(relayer.id))?.floor).toEqual({ spentBelow: 7, explainedBelow: 7 })
    expect(await store.commit((session) => session.acquire(relayer.id))).toBe(3n)
    expect((await store.commit((session) => session.reserveSequence(relayer.id)))?.sequence).toBe(2)

    const moved = { ...relayer, address: `0x${'9'.repeat(40)}` as Address }
    await store.commit(async (session) => {
      await session.removeRelayer(relayer.id, now)
      await session.saveRelayer(moved)
    })
    expect((await store.reads.work(relayer.id))?.floor).toEqual({ spentBelow: 0, explainedBelow: 0 })
    expect(await store.commit((session) => session.acquire(relayer.id))).toBe(4n)
  })

  test('the relayers of an account, a signer or a notification are returned', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    const { id, chainId, address, signerId } = relayer
    await store.commit((session) => session.saveRelayer({ ...relayer, notificationId: 'hook' }))
    await store.commit(async (session) => {
      expect((await session.relayerOf(chainId, address))?.id).toBe(id)
      expect(await session.relayerOf(chainId + 1, address)).toBeUndefined()
      const elsewhere = { ...relayer, id: 'elsewhere' as RelayerId, chainId: chainId + 1 }
      await session.saveRelayer(elsewhere)
      expect(await session.relayersUsing('signer', signerId)).toEqual([elsewhere.id, id].sort())
      expect(await session.relayersUsing('notification', 'hook')).toEqual([id])
      expect(await session.relayersUsing('notification', signerId)).toEqual([])
    })
    expect((await store.reads.relayersOf(address)).map((each) => each.id)).toEqual(['elsewhere', id].sort())
    expect(await store.reads.relayersOf(`0x${'9'.repeat(40)}`)).toEqual([])
  })
}
