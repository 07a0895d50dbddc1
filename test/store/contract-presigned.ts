// No-ops that are signed before a cancellation: the hash first, then the bytes, and none longer than it may help.
import { expect, test } from 'vitest'
import type { Hash } from '../../src/domain/ids.ts'
import type { Relayer } from '../../src/domain/relayer.ts'
import type { Session, Store } from '../../src/store/store.ts'
import { address, eip1559, gwei, hashOf, now } from '../domain/some.ts'
import { type OpenStore, storedRelayer } from './contract.ts'

const fees = eip1559(40n * gwei, 4n * gwei)

async function record(store: Store, { id }: Relayer, nonce: number, hash: Hash, sealed?: string): Promise<void> {
  await store.commit(async (session) => {
    await session.recordPresigned(id, { hash, nonce, fees, gasLimit: 21_000, signedAt: now })
    if (sealed !== undefined) await session.sealPresigned({ relayerId: id, nonce, hash, sealed })
  })
}

const listed = async (store: Store, { id }: Relayer) => (await store.reads.work(id))?.presigned

export function presignedContract(open: OpenStore): void {
  test('one is usable once its bytes are stored, and a hash that is not stored gets none', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store, { presignCancel: 1 })
    expect(await listed(store, relayer)).toEqual([])
    await record(store, relayer, 7, hashOf(1))
    expect(await listed(store, relayer)).toEqual([])
    const of = { relayerId: relayer.id, nonce: 7 }
    await store.commit((session) => session.sealPresigned({ ...of, hash: hashOf(2), sealed: 'v1.k.other' }))
    expect(await listed(store, relayer)).toEqual([])
    await record(store, relayer, 7, hashOf(1), 'v1.k.bytes')
    const legacy = { kind: 'legacy', gasPrice: 3n * gwei } as const
    const at = { hash: hashOf(3), nonce: 6, fees: legacy, gasLimit: 30_000, signedAt: now }
    await store.commit(async (session) => {
      await session.recordPresigned(relayer.id, at)
      await session.sealPresigned({ relayerId: relayer.id, nonce: 6, hash: hashOf(3), sealed: 'v1.k.legacy' })
    })
    expect(await listed(store, relayer)).toStrictEqual([
      { hash: hashOf(3), nonce: 6, fees: legacy, gasLimit: 30_000, sealed: 'v1.k.legacy' },
      { hash: hashOf(1), nonce: 7, fees, gasLimit: 21_000, sealed: 'v1.k.bytes' },
    ])
    expect(await store.reads.presigned()).toHaveLength(2)
    await store.commit((session) => session.removePresigned(relayer.id, { nonce: 7, hash: hashOf(1) }))
    expect((await listed(store, relayer))?.map(({ nonce }) => nonce)).toEqual([6])
  })

  test('those whose nonce is spent for good go, and no others, of no other relayer', async () => {
    await using under = await open()
    const { store } = under
    const [one, other] = [
      await storedRelayer(store, { presignCancel: 2 }),
      await storedRelayer(store, { presignCancel: 2 }),
    ]
    for (const relayer of [one, other]) {
      for (const nonce of [4, 5, 6]) await record(store, relayer, nonce, hashOf(nonce), 'v1.k.bytes')
    }
    await store.commit(async (session) => {
      await session.raiseFloor(one.id, { spentBelow: 6, explainedBelow: 6 })
      await session.prunePresigned(one.id)
    })
    expect((await listed(store, one))?.map(({ nonce }) => nonce)).toEqual([6])
    expect(await listed(store, other)).toHaveLength(3)
  })

  test.each<[string, (session: Session, relayer: Relayer) => Promise<void>]>([
    [
      'the policy is off',
      (session, { policies: { presignCancel: _, ...policies }, ...relayer }) =>
        session.saveRelayer({ ...relayer, policies }),
    ],
    ['its account is another', (session, relayer) => session.saveRelayer({ ...relayer, address })],
    ['it is deleted', (session, { id }) => session.removeRelayer(id, now)],
  ])('a relayer has none once %s', async (_, change) => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store, { presignCancel: 2 })
    await record(store, relayer, 4, hashOf(4), 'v1.k.bytes')
    await record(store, relayer, 5, hashOf(5))
    // A change that leaves the policy on leaves them.
    await store.commit((session) => session.saveRelayer({ ...relayer, paused: true }))
    expect(await under.query('SELECT hash FROM presigned_no_ops')).toHaveLength(2)
    await store.commit((session) => change(session, relayer))
    expect(await under.query('SELECT hash FROM presigned_no_ops')).toEqual([])
  })
}
