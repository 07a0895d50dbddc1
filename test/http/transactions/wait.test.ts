// Prefer: wait on a cancellation.
import { expect, test } from 'vitest'
import type { ApiKeyId, RelayerId, TransactionId } from '../../../src/domain/ids.ts'
import { waitsPerKeyMax } from '../../../src/http/limits.ts'
import { type Clock, systemClock } from '../../../src/ops/clock.ts'
import type { Store } from '../../../src/store/store.ts'
import { expectSuccess } from '../support/expectations.ts'
import { at, attempt, inclusion, put, transaction } from '../support/rows.ts'
import { type Answer, apiKey, type Serving, serve } from '../support/serve.ts'
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

/** Between two looks of a wait at its transaction. The audit log sleeps, too, and for longer. */
const lookEveryMs = 250

/** A clock whose sleeps end by their signal only, so that a test can count the waits that began and ended. */
function endlessClock() {
  const sleeps = { begun: 0, ended: 0 }
  const clock: Clock = {
    now: systemClock.now,
    elapsed: systemClock.elapsed,
    afterThis: systemClock.afterThis,
    sleep: (ms, signal) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const count = ms === lookEveryMs ? 1 : 0
      sleeps.begun += count
      signal?.addEventListener('abort', () => {
        sleeps.ended += count
        resolve()
      })
      return promise
    },
  }
  return { clock, sleeps }
}

async function endBy({ store }: Serving, winner: typeof own): Promise<void> {
  const before = await stored(store)
  const ended = { phase: 'final', nonce: 3, attempts: [own, noOp], finalAt: at, witnesses: 1 } as const
  const lifecycle = { ...ended, inclusion: inclusion(winner) }
  await store.commit((session) => session.saveTransaction(before, { ...before, lifecycle }, at))
}

test('answers when the verdict is final', async () => {
  await using server = await serve()
  await race(server)
  const requested = server.ask('DELETE', path, { headers: { prefer: 'respond-async, wait=60' } })
  await until(async () => (await stored(server.store)).cancellation !== undefined)
  await endBy(server, noOp)
  const answer = await requested
  expectSuccess(answer)
  expect(answer.headers['preference-applied']).toBe('wait=60')
  expect(answer.body.data.status).toBe('canceled')
  expect(answer.body.metadata.logs.at(-1).message).toContain('this is final')
})

test('a verdict that the cancellation lost is returned', async () => {
  await using server = await serve()
  await race(server)
  const requested = server.ask('DELETE', path, { headers: { prefer: 'wait=60' } })
  await until(async () => (await stored(server.store)).cancellation !== undefined)
  await endBy(server, own)
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

test('a key has 64 waits at once: the next is answered without one, until one of them ends', async () => {
  expect(waitsPerKeyMax).toBe(64)
  const { clock, sleeps } = endlessClock()
  await using server = await serve({
    clock,
    connections: waitsPerKeyMax + 3,
    authenticate: (header) => ({
      id: (header?.slice('Bearer '.length) ?? '') as ApiKeyId,
      scopes: new Set(['cancel'] as const),
    }),
  })
  await race(server)
  const requested: Promise<Answer | 'gone'>[] = []
  /** Resolves to the answer, or to a function that disconnects the client once the request waits. */
  async function cancelAs(token: string): Promise<Answer | (() => void)> {
    const leaving = new AbortController()
    const begunBefore = sleeps.begun
    const answering = server.ask('DELETE', path, { token, headers: { prefer: 'wait=60' }, signal: leaving.signal })
    let answer: Answer | undefined
    requested.push(
      answering.then(
        (each) => {
          answer = each
          return each
        },
        () => 'gone',
      ),
    )
    await until(() => answer !== undefined || sleeps.begun > begunBefore)
    return answer ?? (() => leaving.abort())
  }
  const waits: unknown[] = []
  for (let each = 0; each < waitsPerKeyMax; each += 1) waits.push(await cancelAs(apiKey))
  expect(waits).toEqual(Array.from({ length: waitsPerKeyMax }, () => expect.any(Function)))

  const beyond = await cancelAs(apiKey)
  if (typeof beyond === 'function') throw new Error('one more than 64 waits')
  expectSuccess(beyond)
  expect(beyond.headers).not.toHaveProperty('preference-applied')
  expect(beyond.body.data.status).toBe('canceled')
  const ofOther = await cancelAs('the-key-of-another-client')
  expect(ofOther, 'each key has its own').toEqual(expect.any(Function))

  const leaves = waits as (() => void)[]
  leaves[0]?.()
  await until(() => sleeps.ended === 1)
  // The server reads the verdict once more before it gives the place to another.
  let next: Answer | (() => void) = beyond
  await until(async () => {
    next = await cancelAs(apiKey)
    return typeof next === 'function'
  })
  for (const leave of [...leaves, ofOther, next]) if (typeof leave === 'function') leave()
  const ends = await Promise.all(requested)
  expect(ends.filter((end) => end === 'gone')).toHaveLength(waitsPerKeyMax + 2)
})
