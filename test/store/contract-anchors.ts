// The record of anchors: one for each network and chain, replaced only by a writer that has read it.
import { expect, test } from 'vitest'
import type { Anchor } from '../../src/domain/anchor.ts'
import type { Hash, NetworkName } from '../../src/domain/ids.ts'
import type { NetworkKey } from '../../src/store/network-port.ts'
import type { Store } from '../../src/store/store.ts'
import { inFlight, now, queued, someAttempt, someRelayer } from '../domain/some.ts'
import type { OpenStore } from './contract.ts'

const one: NetworkKey = { name: 'one', chainId: 1 }
const hashOf = (digit: string): Hash => `0x${digit.repeat(64)}`
const anchor: Anchor = { number: 7, hash: hashOf('a'), minedAt: now - 5, recordedAt: now }
const later: Anchor = { number: 2 ** 40, hash: hashOf('b'), minedAt: now + 5, recordedAt: now + 9 }

const record = (store: Store, network: NetworkKey, next: Anchor, before?: Hash) =>
  store.commit((session) => session.recordAnchor(network, next, before))

export function anchorContract(open: OpenStore): void {
  test('an anchor is read back, and belongs to the name and the chain of its network', async () => {
    await using under = await open()
    const { store } = under
    expect(await store.reads.anchor(one)).toBeUndefined()
    await record(store, one, anchor)
    expect(await store.reads.anchor(one)).toEqual(anchor)
    for (const other of [
      { ...one, name: 'two' },
      { ...one, chainId: 2 },
    ]) {
      expect(await store.reads.anchor(other)).toBeUndefined()
    }
  })

  test('a replica replaces only the anchor that it has read', async () => {
    await using under = await open()
    const { store } = under
    await record(store, one, anchor)
    await record(store, one, later)
    await record(store, one, later, hashOf('c'))
    expect(await store.reads.anchor(one)).toEqual(anchor)
    await record(store, one, later, anchor.hash)
    expect(await store.reads.anchor(one)).toEqual(later)
    await store.commit((session) => session.removeAnchor(one))
    await record(store, one, anchor, later.hash)
    expect(await store.reads.anchor(one)).toBeUndefined()
  })

  test('a network is free while no transaction of its relayers has a nonce', async () => {
    await using under = await open()
    const { store } = under
    const relayer = { ...someRelayer(), network: 'one' as NetworkName, chainId: 1 }
    const isBound = (network: NetworkKey) => store.commit((session) => session.hasBoundOn(network))
    const other = { ...one, name: 'two' }
    await record(store, one, anchor)
    await record(store, other, anchor)
    await store.commit((session) => session.saveRelayer(relayer))
    expect(await isBound(one)).toBe(false)
    await store.commit((session) => session.insertTransaction(queued(1, { relayerId: relayer.id })), relayer.id)
    expect(await isBound(one)).toBe(false)
    await store.commit(
      (session) => session.insertTransaction(inFlight(2, [someAttempt(2)], { relayerId: relayer.id })),
      relayer.id,
    )
    expect(await isBound(one)).toBe(true)
    expect(await isBound(other)).toBe(false)
  })
}
