// What a watched store tells: durable changes and how units ended, never what was undone.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cancel } from '../../src/domain/cancel.ts'
import { RescindError } from '../../src/domain/errors.ts'
import type { Inclusion } from '../../src/domain/transaction.ts'
import type { StoreMetrics, TransactionChange } from '../../src/ops/metrics.ts'
import type { Store } from '../../src/store/store.ts'
import { watchStore } from '../../src/store/watch.ts'
import { canceled, inFlight, now, queued, someBulk, someHead, someNoOp, someRelayer } from '../domain/some.ts'
import { openStore, type SqliteUnderTest } from './open-store.ts'

let under: SqliteUnderTest
beforeAll(async () => {
  under = await openStore()
  await under.store.commit((session) => session.saveRelayer(someRelayer()))
})
afterAll(() => under?.[Symbol.asyncDispose]())

function watching(store: Store = under.store) {
  const reported: { changes: TransactionChange[]; dropped: number[]; ends: string[] } = {
    changes: [],
    dropped: [],
    ends: [],
  }
  const watch: StoreMetrics = {
    committing: () => (end) => void reported.ends.push(end),
    changed: (change) => void reported.changes.push(change),
    logBytes: () => undefined,
    dropped: (_, count) => void reported.dropped.push(count),
  }
  return { reported, store: watchStore(store, watch) }
}

test('an insert and a cancellation are told with what they came to', async () => {
  const { reported, store } = watching()
  const one = queued(1)
  await store.commit((session) => session.insertTransaction(one))
  await store.commit((session) => session.saveTransaction(one, cancel(one, now), now))
  expect(reported).toEqual({
    changes: [
      { relayer: one.relayerId, transaction: one.id, to: 'pending', afterMs: 0, signed: [] },
      {
        relayer: one.relayerId,
        transaction: one.id,
        from: 'pending',
        to: 'canceled',
        afterMs: now - one.createdAt,
        reason: 'canceled on request',
        signed: [],
        verdict: { state: 'dropped', origin: 'request', cost: 0n, afterMs: 0 },
      },
    ],
    dropped: [],
    ends: ['durable', 'durable'],
  })
})

test.each([
  ['the L1 fee of a rollup included', { gasUsed: 21_000, effectiveGasPrice: 2n, l1Fee: 7n }, 42_007n],
  ['and nothing where it is not known', { effectiveGasPrice: 2n, l1Fee: 7n }, undefined],
] as const)('what was paid is told with the end, %s', async (_, execution, paid) => {
  const { reported, store } = watching()
  const noOp = someNoOp(paid === undefined ? 21 : 20)
  const one = inFlight(noOp.nonce, [noOp], canceled)
  await store.commit((session) => session.insertTransaction(one))
  const inclusion: Inclusion = { by: 'attempt', kind: 'cancel', hash: noOp.hash, block: someHead, ...execution }
  const ended = {
    ...one,
    lifecycle: { ...one.lifecycle, phase: 'final' as const, inclusion, finalAt: now, witnesses: 1 },
  }
  await store.commit((session) => session.saveTransaction(one, ended, now))
  const [, end] = reported.changes
  expect([end?.paid, end?.verdict?.cost]).toEqual([paid, paid])
  expect(end?.verdict?.state).toBe('won')
})

test('a bulk cancellation is told by its number', async () => {
  const { reported, store } = watching()
  const relayer = queued(0).relayerId
  await store.commit(async (session) => {
    for (const sequence of [2, 3, 4]) await session.insertTransaction(queued(sequence))
  })
  await store.commit((session) => session.cancelPending(relayer, now, someBulk()))
  expect(reported.dropped).toEqual([3])
})

test('a unit that fails tells nothing of what it undid, and its end says whose failure it was', async () => {
  const { reported, store } = watching()
  const failing = (error: Error) =>
    store.commit(async (session) => {
      await session.insertTransaction(queued(7))
      throw error
    })
  await expect(failing(new RescindError('QUEUE_FULL', 'full'))).rejects.toThrow('full')
  await expect(failing(new Error('disk'))).rejects.toThrow('disk')
  expect(reported).toEqual({ changes: [], dropped: [], ends: ['refused', 'failed'] })
})

test('of a unit that ran twice, the run that came through counts', async () => {
  const twice: Store = {
    ...under.store,
    commit: (unit) =>
      under.store
        .commit(async (session) => {
          await unit(session)
          throw new Error('a serialization failure')
        })
        .catch(() => under.store.commit(unit)),
  }
  const { reported, store } = watching(twice)
  await store.commit((session) => session.insertTransaction(queued(8)))
  expect(reported.changes).toHaveLength(1)
  expect(reported.ends).toEqual(['durable'])
})
