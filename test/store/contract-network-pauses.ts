// The pause of a whole network: a mark of its own, and a copy in the row of each relayer.
import { expect, test } from 'vitest'
import { RescindError } from '../../src/domain/errors.ts'
import type { ApiKeyId, RelayerId } from '../../src/domain/ids.ts'
import { isPaused } from '../../src/domain/pause.ts'
import type { Relayer } from '../../src/domain/relayer.ts'
import type { Store } from '../../src/store/store.ts'
import { type OpenStore, send, storedRelayer } from './contract.ts'

const pause = { at: 5_000, by: 'key' as ApiKeyId, note: 'the chain\0has halted' }

async function mark(store: Store, network: string, isOn: boolean): Promise<readonly RelayerId[]> {
  return store.commit(async (session) => {
    await session.raiseRevision()
    return session.markNetwork(network, isOn ? pause : undefined)
  })
}

/** What a relayer on another network shows is read as well. */
async function onNetwork(store: Store, relayer: Relayer, network: string): Promise<Relayer> {
  const moved = { ...relayer, network } as Relayer
  await store.commit((session) => session.saveRelayer(moved))
  return moved
}

const pausedOf = async (store: Store, { id }: Pick<Relayer, 'id'>) => {
  const { paused, networkPaused } = (await store.reads.relayer(id)) ?? {}
  return { paused, networkPaused }
}

export function networkPauseContract(open: OpenStore): void {
  test('it marks the relayers of the network alone, and lifting it resumes none that was paused itself', async () => {
    await using under = await open()
    const { store } = under
    const one = await storedRelayer(store)
    const two = await storedRelayer(store)
    const other = await onNetwork(store, await storedRelayer(store), 'elsewhere')
    await store.commit((session) => session.saveRelayer({ ...two, paused: true }))

    expect(await store.reads.networkPauses()).toEqual(new Map())
    expect([...(await mark(store, one.network, true))].sort()).toEqual([one.id, two.id].sort())
    expect(await store.reads.networkPauses()).toEqual(new Map([[one.network, pause]]))
    expect(await pausedOf(store, one)).toEqual({ paused: false, networkPaused: true })
    expect(await pausedOf(store, two)).toEqual({ paused: true, networkPaused: true })
    expect(await pausedOf(store, other)).toEqual({ paused: false })
    // Once more changes no relayer.
    expect(await mark(store, one.network, true)).toEqual([])

    expect([...(await mark(store, one.network, false))].sort()).toEqual([one.id, two.id].sort())
    expect(await store.reads.networkPauses()).toEqual(new Map())
    expect(await pausedOf(store, one)).toEqual({ paused: false })
    expect(await pausedOf(store, two)).toEqual({ paused: true })
    expect(await mark(store, one.network, false)).toEqual([])
  })

  test('a relayer that is created or changed later has the mark, and one that leaves the network loses it', async () => {
    await using under = await open()
    const { store } = under
    const one = await storedRelayer(store)
    await mark(store, one.network, true)
    const later = await storedRelayer(store)
    expect(await pausedOf(store, later)).toEqual({ paused: false, networkPaused: true })
    // Whatever the caller believes.
    await store.commit((session) => session.saveRelayer({ ...one, name: 'another name' }))
    expect(await pausedOf(store, one)).toEqual({ paused: false, networkPaused: true })
    await onNetwork(store, one, 'elsewhere')
    expect(await pausedOf(store, one)).toEqual({ paused: false })
  })

  test('sends that share commits with the pause see it from its place on', async () => {
    await using under = await open()
    const { store } = under
    const { id, network } = await storedRelayer(store)
    let isAnswered = false
    const sendOne = () => {
      const wasAnswered = isAnswered
      return store.commit(async (session) => {
        const reserved = await session.reserveSequence(id)
        if (!reserved || isPaused(reserved.relayer)) throw new RescindError('RELAYER_PAUSED', 'paused')
        return wasAnswered
      }, id)
    }
    for (let round = 0; round < 5; round += 1) {
      isAnswered = false
      const before = Array.from({ length: 5 }, sendOne)
      const marking = mark(store, network, true).then(() => {
        isAnswered = true
      })
      const after = Array.from({ length: 5 }, sendOne)
      await marking
      const late = Array.from({ length: 5 }, sendOne)
      await Promise.allSettled([...before, ...after])
      for (const each of await Promise.allSettled(late)) expect(each.status).toBe('rejected')
      await mark(store, network, false)
      await send(store, id)
    }
  })

  test('the pause is answered after the unit that was under way, and the next unit finds it', async () => {
    await using under = await open()
    const { store } = under
    const { id, network } = await storedRelayer(store)
    const ended: string[] = []
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const unit = store.commit(async (session) => {
      const relayer = await session.relayer(id)
      begin()
      await mayEnd
      return relayer
    }, id)
    await begun
    const marking = mark(store, network, true).then(() => ended.push('pause'))
    const next = store.commit((session) => session.relayer(id), id)
    // On PostgreSQL the pause has a connection of its own by now.
    setTimeout(() => {
      ended.push('unit')
      end()
    }, 300)
    expect(await unit).not.toHaveProperty('networkPaused')
    await Promise.all([marking, next])
    expect(ended).toEqual(['unit', 'pause'])
    expect(await store.commit((session) => session.relayer(id), id)).toMatchObject({ networkPaused: true })
  })

  test('a pause and a unit that locks the same rows in another order both end', async () => {
    await using under = await open()
    const { store } = under
    const relayers = await Promise.all(Array.from({ length: 4 }, () => storedRelayer(store)))
    const network = relayers[0]?.network ?? ''
    // As a sweep does: first the relayer's row, then the revision.
    const pauseOne = ({ id }: Relayer) =>
      store.commit(async (session) => {
        const relayer = await session.relayer(id)
        await session.raiseRevision()
        if (relayer) await session.saveRelayer({ ...relayer, paused: true })
      }, id)
    for (const isOn of [true, false, true]) {
      await Promise.all([...relayers.map(pauseOne), mark(store, network, isOn), ...relayers.map(pauseOne)])
      const expected = isOn ? { paused: true, networkPaused: true } : { paused: true }
      for (const relayer of relayers) expect(await pausedOf(store, relayer)).toEqual(expected)
    }
  })

  test('a unit that fails after it marked a network leaves nothing of that', async () => {
    await using under = await open()
    const { store } = under
    const { id, network } = await storedRelayer(store)
    const marking = store.commit(async (session) => {
      await session.markNetwork(network, pause)
      throw new Error('too late')
    })
    const [failed, sent] = await Promise.allSettled([marking, send(store, id)])
    expect([failed.status, sent.status]).toEqual(['rejected', 'fulfilled'])
    expect(await pausedOf(store, { id })).toEqual({ paused: false })
    expect(await store.reads.networkPauses()).toEqual(new Map())
  })
}
