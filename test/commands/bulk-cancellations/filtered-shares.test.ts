// A long queue under a filter, on SQLite, where it is written in portions.
import { expect, test } from 'vitest'
import { cancelTransaction } from '../../../src/commands/transactions/cancel.ts'
import { finishBulks } from '../../../src/commands/transactions/finish-bulks.ts'
import { releaseTransaction } from '../../../src/commands/transactions/release.ts'
import { replaceTransaction } from '../../../src/commands/transactions/replace.ts'
import type { Hold } from '../../../src/domain/hold.ts'
import type { SendRequest } from '../../../src/domain/submit.ts'
import { statusOf, type Transaction } from '../../../src/domain/transaction.ts'
import { systemClock } from '../../../src/ops/clock.ts'
import { now, someReckoning } from '../../domain/some.ts'
import { send, storedRelayer } from '../../store/contract.ts'
import { record, withValue } from '../../store/contract-bulk-objects.ts'
import { openStore, quiet } from '../../store/open-store.ts'

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
    expect(await store.commit((session) => session.cancelPortion(relayerId, 2), relayerId)).toMatchObject({
      isLast: false,
    })
    expect(await queue()).toEqual([])
  }
  while (!(await store.commit((session) => session.cancelPortion(relayerId, 2), relayerId)).isLast);
  expect(await store.reads.gapRecord(relayerId, 0, now)).not.toHaveProperty('isQueueStopped')
  expect(await queue()).toEqual([0n, 1n, 2n, 9n])
  expect((await store.reads.transaction(relayerId, later.id))?.cancellation).toBe(undefined)
  expect((await store.reads.bulk(bulkId))?.parts[0]?.counts).toMatchObject({ dropped: 3, safe: 3 })
})

test('a PUT, a release and a DELETE between the shares change no row before the object has decided it', async () => {
  await using under = await openStore()
  const { store } = under
  const { id: relayerId } = await storedRelayer(store)
  const hold: Hold = { rule: 'hold', since: now, request: { kind: 'release' } }
  const held: Partial<Transaction> = { lifecycle: { phase: 'held', hold } }
  const sent: Transaction[] = []
  for (let value = 0n; value < 6n; value += 1n) {
    sent.push(await send(store, relayerId, { ...withValue(value), ...(value === 4n || value === 1n ? held : {}) }))
  }
  const ids = sent.map(({ id }) => id) as [(typeof sent)[0]['id'], ...(typeof sent)[0]['id'][]]
  const at = (value: number) => ids[value] ?? ids[0]
  const bulkId = await record(store, [relayerId], { valueFrom: 3n })
  await store.commit((session) => session.takeBulk({ bulkId, relayerId }, now, someReckoning, 1), relayerId)
  await using bulks = await finishBulks({
    ...{ store, clock: systemClock, logger: quiet },
    limits: { bulkPortion: 1, bulkBreathMs: 1 },
  })
  const context = {
    ...{ clock: systemClock, store: bulks.store, bulks, queueMax: 10, logger: quiet },
    random: { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) },
    wake() {},
    profileOf: () => undefined,
  }
  const put = (value: number, next: bigint) => {
    const { to, data, gasLimit, pricing } = (sent[value] ?? (sent[0] as Transaction)).payload
    return replaceTransaction(context, relayerId, at(value), {
      to,
      data,
      gasLimit,
      pricing,
      value: next,
    } as SendRequest)
  }
  const [out, into, late, freed, deleted] = await Promise.allSettled([
    put(5, 0n),
    put(2, 9n),
    releaseTransaction(context, relayerId, { id: at(4) }),
    releaseTransaction(context, relayerId, { id: at(1) }),
    cancelTransaction(context, relayerId, at(3)),
  ])
  // Those that matched at the instant are canceled, whatever their next payload would be.
  for (const refused of [out, late]) {
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'TRANSACTION_ALREADY_CANCELED' } })
  }
  expect(deleted).toMatchObject({ status: 'fulfilled', value: { isChanged: false } })
  // The others go on, also where the object would take them now.
  expect(into).toMatchObject({ status: 'fulfilled', value: { payload: { value: 9n } } })
  expect(freed).toMatchObject({ status: 'fulfilled', value: { isChanged: true } })
  const rows = await Promise.all(ids.map((id) => store.reads.transaction(relayerId, id)))
  const statuses = rows.map((row) => row && statusOf(row))
  expect(statuses).toEqual([...Array(3).fill('pending'), ...Array(3).fill('canceled')])
  expect((await store.reads.bulk(bulkId))?.parts[0]).toMatchObject({ state: 'written', counts: { dropped: 3 } })
})
