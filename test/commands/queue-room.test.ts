// A relayer's queue holds so many pending transactions and no more, however rarely they are counted.
import { expect, test } from 'vitest'
import { openQueueRooms } from '../../src/commands/queue-room.ts'
import { submitTransaction } from '../../src/commands/transactions/submit.ts'
import { submitBatch } from '../../src/commands/transactions/submit-batch.ts'
import type { Store } from '../../src/store/store.ts'
import { now, someBulk } from '../domain/some.ts'
import { openWorkplace, request } from '../engine/workplace.ts'

test('a full queue refuses a send and stores nothing; room in it lets the next in', async () => {
  await using place = await openSmall(2)
  const { id } = await place.send()
  await place.send()
  await expect(place.send()).rejects.toMatchObject({ code: 'QUEUE_FULL' })
  expect(await place.under.query('SELECT id FROM transactions')).toHaveLength(2)
  await place.cancel(id)
  expect((await place.send()).sequence).toBe(3)
  await expect(place.send()).rejects.toMatchObject({ code: 'QUEUE_FULL' })
})

test('after a count, as many sends as there was room for fit, and no more', async () => {
  await using place = await openSmall(3)
  for (let index = 0; index < 3; index += 1) await place.cancel((await place.send()).id)
  await place.send()
  await place.sendBatch(2)
  await expect(place.send()).rejects.toMatchObject({ code: 'QUEUE_FULL' })
  await expect(place.sendBatch(1)).rejects.toThrow('has room for 0 of these 1')
})

test('sends of another replica take their part of the room', async () => {
  await using place = await openSmall(3)
  const other = { ...place.commands, queueRooms: openQueueRooms(3) }
  for (let index = 0; index < 3; index += 1) await place.cancel((await place.send()).id)
  await place.send()
  for (let index = 0; index < 2; index += 1) await submitTransaction(other, place.relayer.id, request)
  await expect(place.send()).rejects.toMatchObject({ code: 'QUEUE_FULL' })
  await expect(submitTransaction(other, place.relayer.id, request)).rejects.toMatchObject({ code: 'QUEUE_FULL' })
})

test('a count beside a cancellation that is undone with it makes no room', async () => {
  await using place = await openSmall(2)
  const { store } = place.commands
  await place.send()
  await place.send()
  const failing: Store = {
    ...store,
    commit: (unit, relayer, ahead) =>
      store.commit(
        async (session) => {
          await session.cancelPending(place.relayer.id, now, someBulk())
          await unit(session)
          throw new Error('the disk is full')
        },
        relayer,
        ahead,
      ),
  }
  await expect(submitTransaction({ ...place.commands, store: failing }, place.relayer.id, request)).rejects.toThrow(
    'the disk is full',
  )
  await expect(place.send()).rejects.toMatchObject({ code: 'QUEUE_FULL' })
})

async function openSmall(queueMax: number) {
  const place = await openWorkplace()
  const commands = { ...place.commands, queueRooms: openQueueRooms(queueMax) }
  return {
    ...place,
    commands,
    send: () => submitTransaction(commands, place.relayer.id, request),
    sendBatch: (count: number) => submitBatch(commands, place.relayer.id, Array(count).fill(request), undefined),
  }
}
