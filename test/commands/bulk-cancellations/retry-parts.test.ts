// Parts of bulk cancellations that could not be stopped: each is tried again, at once when its price is observed, whatever else waits.
import { expect, test } from 'vitest'
import { type BulkStops, stopRelayers } from '../../../src/commands/bulk-cancellations/stop-relayers.ts'
import { openQueueRooms } from '../../../src/commands/queue-room.ts'
import { cancel } from '../../../src/domain/cancel.ts'
import type { RelayerId } from '../../../src/domain/ids.ts'
import { type Clock, systemClock } from '../../../src/ops/clock.ts'
import type { Store } from '../../../src/store/store.ts'
import { now, someReckoning } from '../../domain/some.ts'
import { storedRelayer } from '../../store/contract.ts'
import { recordWithin, submitted } from '../../store/contract-bulk-limits.ts'
import { openStore, quiet } from '../../store/open-store.ts'

/** A retry by the clock never comes: time stands still. */
const still: Clock = {
  ...systemClock,
  sleep: (_, signal) => new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve())),
}

/** With the prices that this process has observed, and the relayers whose owner it woke. */
function process(store: Store, clock: Clock = still) {
  const priced = new Set<RelayerId>()
  const woken: RelayerId[] = []
  const stops: BulkStops = stopRelayers({
    context: {
      ...{ store, clock, random: { bytes: (length) => new Uint8Array(length) }, queueRooms: openQueueRooms(10) },
      wake: (relayer) => void woken.push(relayer),
      profileOf: () => undefined,
    },
    ...{ logger: quiet, atOnce: 1, symbolOf: () => 'ETH' },
    reckoning: { ...someReckoning, priceOf: ({ id }) => (priced.has(id) ? someReckoning.priceOf() : undefined) },
    pause: async () => false,
    takeEffect: async () => undefined,
  })
  return { stops, priced, woken, [Symbol.asyncDispose]: () => stops[Symbol.asyncDispose]() }
}

const ether = 10n ** 18n
const waiting = async (store: Store) => (await store.reads.waitingBulkParts(1_000)).map(({ relayerId }) => relayerId)

test('a part that lacks a price is taken once this process has observed it, and not for the look at another', async () => {
  await using under = await openStore()
  const { store } = under
  const [one, two] = [await storedRelayer(store), await storedRelayer(store)]
  for (const { id } of [one, two]) await submitted(store, id, 0)
  await using running = process(store)
  const bulkId = await recordWithin(store, [one.id, two.id], ether)
  const parts = [one, two].map(({ id }) => ({ bulkId, relayerId: id, pause: false }))
  await running.stops.stopAll(parts, { isInTurn: true })
  expect(await waiting(store)).toEqual([one.id, two.id])

  running.stops.observed(one)
  running.priced.add(two.id)
  running.stops.observed(two)
  await expect.poll(() => waiting(store)).toEqual([one.id])
  expect(running.woken).toEqual([two.id])
  running.priced.add(one.id)
  running.stops.observed(one)
  await expect.poll(() => waiting(store)).toEqual([])
  expect((await store.reads.bulk(bulkId))?.parts.map(({ counts }) => counts.racing)).toEqual([1, 1])
})

test('a crash before the price loses nothing: the next process takes the part once it has observed it', async () => {
  await using under = await openStore()
  const { store } = under
  const relayer = await storedRelayer(store)
  await submitted(store, relayer.id, 0)
  await recordWithin(store, [relayer.id], ether)
  {
    await using _ = process(store)
  }
  await using running = process(store)
  expect(await waiting(store)).toEqual([relayer.id])
  running.priced.add(relayer.id)
  // The engine observes again with each block.
  const look = async () => {
    running.stops.observed(relayer)
    return waiting(store)
  }
  await expect.poll(look).toEqual([])
})

test('many parts without a price keep none behind them from its turn', async () => {
  await using under = await openStore()
  const { store } = under
  const relayers: RelayerId[] = []
  for (let count = 0; count < 101; count += 1) {
    const { id } = await storedRelayer(store)
    await submitted(store, id, 0)
    relayers.push(id)
  }
  const [last] = relayers.slice(-1)
  await recordWithin(store, relayers.slice(0, -1), ether)
  await recordWithin(store, relayers.slice(-1), ether)
  await using running = process(store)
  for (const id of relayers.slice(-1)) running.priced.add(id)
  await expect.poll(() => waiting(store), { timeout: 20_000 }).not.toContain(last)
  expect(await waiting(store)).toHaveLength(100)
})

test('a new bound on a race that is on wakes the owner, who signs within it', async () => {
  await using under = await openStore()
  const { store } = under
  const { id } = await storedRelayer(store)
  const racing = await submitted(store, id, 0)
  await store.commit((session) => session.saveTransaction(racing, cancel(racing, now, 'request', 1n), now))
  await using running = process(store)
  running.priced.add(id)
  for (const wakes of [[id], [id]]) {
    const bulkId = await recordWithin(store, [id], ether)
    await running.stops.stopAll([{ bulkId, relayerId: id, pause: false }], { isInTurn: true })
    expect(running.woken).toEqual(wakes)
  }
  expect((await store.reads.transaction(id, racing.id))?.cancellation?.costMax).toBeGreaterThan(1n)
})
