// Prefer: wait on a cancellation.
import { expect, test } from 'vitest'
import type { RelayerId, TransactionId } from '../../../src/domain/ids.ts'
import { type Clock, systemClock } from '../../../src/ops/clock.ts'
import type { Store } from '../../../src/store/store.ts'
import { expectSuccess } from '../support/expectations.ts'
import { at, attempt, inclusion, put, transaction } from '../support/rows.ts'
import { type Serving, serve } from '../support/serve.ts'
import { until } from '../support/until.ts'

const path = '/api/v1/relayers/one/transactions/raced'
const own = attempt('raced' as TransactionId, 0xaa, 'execute', 3)
const noOp = attempt('raced' as TransactionId, 0xbb, 'cancel', 3)

async function race(server: Serving) {
  await put(server.store, transaction('raced', { phase: 'inFlight', nonce: 3, attempts: [own] }))
}

const stored = async (store: Store) => {
  const row = await store.reads.transaction('one' as RelayerId, 'raced' as TransactionId)
  if (!row) throw new Error('the row is gone')
  return row
}

/** A clock whose sleeps end by their signal only, so that a test can see that somebody waits, and that he stops. */
function endlessClock() {
  const sleeps = { begun: 0, ended: 0 }
  const clock: Clock = {
    now: systemClock.now,
    elapsed: systemClock.elapsed,
    afterThis: systemClock.afterThis,
    sleep: (_ms, signal) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      sleeps.begun += 1
      signal?.addEventListener('abort', () => {
        sleeps.ended += 1
        resolve()
      })
      return promise
    },
  }
  return { clock, sleeps }
}

test('answers when the verdict is final', async () => {
  await using server = await serve()
  await race(server)
  const requested = server.ask('DELETE', path, { headers: { prefer: 'respond-async, wait=60' } })
  await until(async () => (await stored(server.store)).cancellation !== undefined)
  const before = await stored(server.store)
  const lifecycle = {
    phase: 'final',
    nonce: 3,
    attempts: [own, noOp],
    inclusion: inclusion(noOp),
    settledAt: at,
  } as const
  await server.store.commit((session) => session.saveTransaction(before, { ...before, lifecycle }, at))
  const answer = await requested
  expectSuccess(answer)
  expect(answer.headers['preference-applied']).toBe('wait=60')
  expect(answer.body.data.status).toBe('canceled')
  expect(answer.body.metadata.logs.at(-1).message).toContain('this is final')
})

test('a verdict that the cancellation lost is told as it is', async () => {
  await using server = await serve()
  await race(server)
  const requested = server.ask('DELETE', path, { headers: { prefer: 'wait=60' } })
  await until(async () => (await stored(server.store)).cancellation !== undefined)
  const before = await stored(server.store)
  const lifecycle = { phase: 'final', nonce: 3, attempts: [own], inclusion: inclusion(own), settledAt: at } as const
  await server.store.commit((session) => session.saveTransaction(before, { ...before, lifecycle }, at))
  const answer = await requested
  expectSuccess(answer)
  expect(answer.body.data).toMatchObject({
    status: 'confirmed',
    hash: own.hash,
    confirmed_at: '2026-01-02T03:04:05.678Z',
  })
})

test.each([
  ['wait=0', 'wait=0'],
  ['WAIT = "1"', 'wait=1'],
  ['foo; bar, wait=1; x=y', 'wait=1'],
])('answers with the race as it stands when the time is over: %s', async (prefer, applied) => {
  await using server = await serve()
  await race(server)
  const answer = await server.ask('DELETE', path, { headers: { prefer } })
  expectSuccess(answer)
  expect(answer.headers['preference-applied']).toBe(applied)
  expect(answer.body.data.status).toBe('canceled')
})

test('no more than a minute is promised', async () => {
  await using server = await serve()
  await put(server.store, transaction('raced', { phase: 'queued' }))
  const answer = await server.ask('DELETE', path, { headers: { prefer: 'wait=3600' } })
  expect(answer.headers['preference-applied']).toBe('wait=60')
})

test.each(['wait', 'wait=-1', 'wait=soon', 'wait=1.5', 'await=5', ''])('ignored: Prefer: %s', async (prefer) => {
  await using server = await serve()
  await race(server)
  const answer = await server.ask('DELETE', path, { headers: { prefer } })
  expectSuccess(answer)
  expect(answer.headers).not.toHaveProperty('preference-applied')
})

test('stops waiting when the client goes away', async () => {
  const { clock, sleeps } = endlessClock()
  await using server = await serve({ clock })
  await race(server)
  const leaving = new AbortController()
  const requested = server.ask('DELETE', path, { headers: { prefer: 'wait=60' }, signal: leaving.signal })
  await until(() => sleeps.begun === 1)
  leaving.abort()
  await expect(requested).rejects.toThrow()
  await until(() => sleeps.ended === 1)
})

test('stopping the server ends the wait with an answer', async () => {
  const { clock, sleeps } = endlessClock()
  await using server = await serve({ clock })
  await race(server)
  const requested = server.ask('DELETE', path, { headers: { prefer: 'wait=60' } })
  await until(() => sleeps.begun === 1)
  await server.stop()
  const answer = await requested
  expectSuccess(answer)
  expect(answer.body.data.status).toBe('canceled')
})
