// A long queue under a filter, on SQLite, where it is written in shares.
import { expect, test } from 'vitest'
import { now, someReckoning } from '../../domain/some.ts'
import { send, storedRelayer } from '../../store/contract.ts'
import { record, withValue } from '../../store/contract-bulk-objects.ts'
import { openStore } from '../../store/open-store.ts'

test('while shares are written, nothing of the relayer gets a nonce, and what the filter left keeps its turn', async () => {
  await using under = await openStore()
  const { store } = under
  const { id: relayerId } = await storedRelayer(store)
  for (let value = 0n; value < 6n; value += 1n) await send(store, relayerId, withValue(value))
  const bulkId = await record(store, [relayerId], { valueFrom: 3n })
  const stop = await store.commit(
    (session) => session.takeBulk({ bulkId, relayerId }, now, someReckoning, 2),
    relayerId,
  )
  expect(stop?.taken).toMatchObject({ canceled: [], isUnderWay: true })
  const later = await send(store, relayerId, withValue(9n))
  const queue = async () => (await store.reads.work(relayerId))?.queued.map(({ payload }) => payload.value)
  expect(await queue()).toEqual([])
  expect(await store.reads.queueHead(relayerId)).toBe(undefined)
  expect(await store.reads.gapRecord(relayerId, 0, now)).toMatchObject({ isQueueStopped: true })
  expect(await store.reads.bulksUnderWay()).toEqual([relayerId])
  for (let share = 0; share < 2; share += 1) {
    expect(await store.commit((session) => session.cancelShare(relayerId, 2), relayerId)).toMatchObject({
      isLast: false,
    })
    expect(await queue()).toEqual([])
  }
  while (!(await store.commit((session) => session.cancelShare(relayerId, 2), relayerId)).isLast);
  expect(await store.reads.gapRecord(relayerId, 0, now)).not.toHaveProperty('isQueueStopped')
  expect(await queue()).toEqual([0n, 1n, 2n, 9n])
  expect((await store.reads.transaction(relayerId, later.id))?.cancellation).toBe(undefined)
  expect((await store.reads.bulk(bulkId))?.parts[0]?.counts).toMatchObject({ dropped: 3, safe: 3 })
})
