// Commands leave their intent in the rows, durable, and wake the relayer only where there is something to do.
import { expect, test } from 'vitest'
import { cancelPending } from '../../src/commands/transactions/cancel-pending.ts'
import { replaceTransaction } from '../../src/commands/transactions/replace.ts'
import { submitTransaction } from '../../src/commands/transactions/submit.ts'
import { submitBatch } from '../../src/commands/transactions/submit-batch.ts'
import type { Requester } from '../../src/domain/audit.ts'
import { giveUpsMax, giveUpsWindowMs } from '../../src/domain/give-up.ts'
import type { ApiKeyId, RelayerId, TransactionId } from '../../src/domain/ids.ts'
import { noneHanging, nothingUnknown, openWorkplace, step } from '../engine/workplace.ts'

test('a cancel of a queued transaction ends it and wakes nobody; one that a node may have wakes its relayer', async () => {
  await using place = await openWorkplace()
  const dropped = await place.send()
  place.woken.length = 0
  expect((await place.cancel(dropped)).lifecycle.phase).toBe('dropped')
  expect(place.woken).toEqual([])
  const racing = await place.send()
  await step(place.context, await place.own(), nothingUnknown, noneHanging)
  place.woken.length = 0
  expect((await place.cancel(racing)).lifecycle.phase).toBe('inFlight')
  expect(place.woken).toEqual([place.relayer.id])
})

test('a cancel without a transaction and a bulk without a relayer differ from success', async () => {
  await using place = await openWorkplace()
  await expect(place.cancel('none' as TransactionId)).rejects.toMatchObject({ code: 'TRANSACTION_NOT_FOUND' })
  const bulk = cancelPending(place.commands, 'nobody' as RelayerId)
  await expect(bulk).rejects.toMatchObject({
    code: 'RELAYER_NOT_FOUND',
    message: 'Relayer with ID nobody not found',
  })
})

test('a key whose sends every node refused 16 times within an hour is refused, and no other', async () => {
  await using place = await openWorkplace()
  const { commands, relayer, clock } = place
  const request = { value: 0n, data: '0x', pricing: { kind: 'speed', speed: 'fast' } } as const
  const by = (keyId: string): Requester => ({
    ...{ keyId: keyId as ApiKeyId, operation: 'send', requestId: 'r', address: '127.0.0.1' },
  })
  const send = (keyId: string) => submitTransaction(commands, relayer.id, request, by(keyId))
  const batch = (keyId: string) => submitBatch(commands, relayer.id, [request, request], undefined, by(keyId))
  const { id: ofOther } = await send('other')
  const replace = (keyId: string) =>
    replaceTransaction(commands, relayer.id, ofOther, request, { requester: by(keyId), mayCancel: true })
  for (let given = 1; given <= giveUpsMax; given += 1) {
    const { id } = await send('clerk')
    await commands.store.commit((session) =>
      session.recordGiveUp(relayer.id, { keyId: 'clerk' as ApiKeyId, transactionId: id }, clock.now()),
    )
  }
  await expect(send('clerk')).rejects.toMatchObject({ code: 'TOO_MANY_REFUSED' })
  await expect(batch('clerk')).rejects.toMatchObject({ code: 'TOO_MANY_REFUSED' })
  await expect(replace('clerk')).rejects.toMatchObject({ code: 'TOO_MANY_REFUSED' })
  await expect(replace('other')).resolves.toBeDefined()
  await expect(send('other')).resolves.toBeDefined()
  await expect(batch('other')).resolves.toBeDefined()
  clock.advance(giveUpsWindowMs)
  await expect(send('clerk')).resolves.toBeDefined()
})
