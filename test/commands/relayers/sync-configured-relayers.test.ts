// What a changed configuration may do to a relayer that has a history, and what it may not.
import { expect, test } from 'vitest'
import { syncConfiguredRelayers, syncOpenedRelayers } from '../../../src/commands/relayers/sync-configured-relayers.ts'
import type { Address, RelayerId } from '../../../src/domain/ids.ts'
import type { Relayer } from '../../../src/domain/relayer.ts'
import type { Logger } from '../../../src/ops/logger.ts'
import { relayerToEntity } from '../../../src/registry/stored-entities.ts'
import type { Store } from '../../../src/store/store.ts'
import { noneHanging, nothingUnknown, openWorkplace, step, type Workplace } from '../../engine/workplace.ts'
import { quiet } from '../../store/open-store.ts'

const another = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC' as Address

function keep(place: Workplace, file: readonly Relayer[], logger: Logger = quiet) {
  return syncConfiguredRelayers({
    store: place.under.store,
    file,
    canBeAdvanced: () => true,
    hasNotification: (id) => id === 'hook',
    logger,
  })
}

test('an id keeps its account as long as anything of it is open, and may change it afterwards', async () => {
  await using place = await openWorkplace()
  const moved = { ...place.relayer, address: another }
  const id = await place.send()
  await expect(keep(place, [moved])).rejects.toThrow(`it has open transactions of ${place.relayer.address} on chain`)
  expect(await place.under.store.reads.relayer(place.relayer.id)).toEqual(place.relayer)
  await place.cancel(id)
  await place.under.store.commit((session) =>
    session.raiseFloor(place.relayer.id, { spentBelow: 9, explainedBelow: 9 }),
  )
  const reported: object[] = []
  await keep(place, [moved], { ...quiet, warn: (facts: object) => reported.push(facts) } as Logger)
  expect(reported).toEqual([{ relayer_id: moved.id, before: place.relayer.address, now: another }])
  expect(await place.under.store.reads.relayer(place.relayer.id)).toEqual(moved)
  expect((await place.under.store.reads.work(place.relayer.id))?.floor).toEqual({ spentBelow: 0, explainedBelow: 0 })
})

test('an account keeps its id', async () => {
  await using place = await openWorkplace()
  const renamed = { ...place.relayer, id: 'renamed' as RelayerId }
  await expect(keep(place, [renamed])).rejects.toThrow(`is relayer "${place.relayer.id}" in the database`)
})

test('one that is no longer named takes nothing new, and is followed while it can be', async () => {
  await using place = await openWorkplace()
  const racing = await place.send()
  await step(place.context, await place.own(), nothingUnknown, noneHanging)
  await keep(place, [])
  expect(await place.under.store.reads.relayer(place.relayer.id)).toEqual({ ...place.relayer, paused: true })
  await expect(place.send()).rejects.toMatchObject({ code: 'RELAYER_PAUSED' })
  await place.cancel(racing)
  await step(place.context, await place.own(), nothingUnknown, noneHanging)
  expect((await place.readAs(racing, 'inFlight')).lifecycle.attempts.map(({ kind }) => kind)).toEqual([
    'execute',
    'cancel',
  ])
  await keep(place, [place.relayer])
  expect(await place.under.store.reads.relayer(place.relayer.id)).toEqual(place.relayer)
  await place.send()
})

test('a missing notification is reported for each relayer that names it', async () => {
  await using place = await openWorkplace()
  const { store } = place.under
  const reported: unknown[] = []
  const logger = { ...quiet, warn: (facts: object) => reported.push(facts) } as Logger
  const gone = { ...place.relayer, notificationId: 'gone' }
  await keep(place, [{ ...place.relayer, notificationId: 'hook' }], logger)
  expect(reported).toEqual([])
  await keep(place, [gone], logger)
  expect(reported).toEqual([{ relayer_id: gone.id, notification: 'gone' }])
  await store.commit((session) => session.saveEntity(relayerToEntity(gone.id, { origin: 'api' }, undefined)))
  await keep(place, [], logger)
  expect(reported).toEqual([reported[0], reported[0]])
  expect((await store.reads.relayer(gone.id))?.paused).toBe(false)
})

/** A store with a change between its first read and the first unit. */
function meanwhile(store: Store, happen: () => Promise<unknown>): Store {
  let happened = false
  return {
    ...store,
    async commit(unit, relayer) {
      if (!happened) {
        happened = true
        await happen()
      }
      return store.commit(unit, relayer)
    },
  }
}

test('what a client of another process changes while this one starts is kept', async () => {
  await using place = await openWorkplace()
  const { store } = place.under
  const other = { ...place.relayer, id: 'created' as RelayerId, address: another }
  const overlay = { paused: true }
  const racing = meanwhile(store, () =>
    store.commit(async (session) => {
      await session.saveRelayer({ ...place.relayer, paused: true })
      await session.saveEntity(relayerToEntity(place.relayer.id, { origin: 'file', overlay }, undefined))
      await session.saveRelayer(other)
      await session.saveEntity(relayerToEntity(other.id, { origin: 'api' }, undefined))
    }),
  )
  const given = { canBeAdvanced: () => true, hasNotification: () => true, logger: quiet }
  await syncConfiguredRelayers({ ...given, store: racing, file: [{ ...place.relayer, name: 'renamed' }] })
  expect(await store.reads.relayer(place.relayer.id)).toEqual({ ...place.relayer, name: 'renamed', paused: true })
  expect(await store.reads.relayer(other.id)).toEqual(other)
})

test('a start that changes nothing writes nothing, and one that does hints other processes to look', async () => {
  await using place = await openWorkplace()
  const { reads } = place.under.store
  const before = await reads.revision()
  await keep(place, [place.relayer])
  expect(await reads.revision()).toBe(before)
  await keep(place, [{ ...place.relayer, name: 'renamed' }])
  expect(await reads.revision()).toBe(before + 1)
  await keep(place, [])
  await keep(place, [])
  expect(await reads.revision()).toBe(before + 2)
})

test('one whose signer has not opened stays as it is stored, and is stored once it has', async () => {
  await using place = await openWorkplace()
  const { store } = place.under
  const { id } = place.relayer
  const given = { store, file: [], canBeAdvanced: () => true, hasNotification: () => true, logger: quiet }
  await syncConfiguredRelayers({ ...given, awaited: [{ id }, { id: 'new' }] })
  expect(await store.reads.relayer(id)).toEqual(place.relayer)
  const opened = { ...place.relayer, id: 'new' as RelayerId, address: another, name: 'opened later' }
  await syncOpenedRelayers({ store, file: [opened], logger: quiet })
  expect(await store.reads.relayer(opened.id)).toEqual(opened)
  // The file of another replica may name it.
  expect(await store.reads.relayer(id)).toEqual(place.relayer)
  const twin = { ...opened, id: 'twin' as RelayerId }
  await expect(syncOpenedRelayers({ store, file: [twin], logger: quiet })).rejects.toThrow('is relayer "new" in the')
})
