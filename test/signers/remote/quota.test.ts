// The quota and the breaker as state machines, and the queue over a quota on a clock that the test moves.
import { expect, test } from 'vitest'
import { KeyServiceError } from '../../../src/signers/key-service.ts'
import { admit, type BreakerState, closed, failed, undecided } from '../../../src/signers/remote/breaker.ts'
import { begun, fullQuota, type QuotaState, refilled, throttled } from '../../../src/signers/remote/quota.ts'
import { openQuotaQueue } from '../../../src/signers/remote/quota-queue.ts'
import type { SigningPriority } from '../../../src/signers/signer.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { quiescence } from '../../support/settled.ts'

const limits = { perSecond: 40, concurrency: 10 }

/** Begins as many calls as the state allows. */
function drain(from: QuotaState, priority: SigningPriority): { count: number; state: QuotaState } {
  let [state, count] = [from, 0]
  for (let next = begun(state, limits, priority); next; next = begun(state, limits, priority)) {
    state = next
    count += 1
  }
  return { count, state }
}

test('a share of the tokens and of the calls is kept for cancellations', () => {
  const payloads = drain(fullQuota(limits, 0), 'payload')
  expect(payloads.count).toBe(8)
  expect(drain(payloads.state, 'cancel').count).toBe(2)
  const slots = drain({ ...fullQuota(limits, 0), tokens: 100 }, 'replace')
  expect(slots.count).toBe(8)
  expect(drain(slots.state, 'cancel').count).toBe(2)
})

test('pre-signed no-ops leave half of the tokens and of the calls to all others', () => {
  const ahead = drain(fullQuota(limits, 0), 'presign')
  expect(ahead.count).toBe(5)
  expect(drain(ahead.state, 'payload').count).toBe(3)
  expect(drain({ ...fullQuota(limits, 0), tokens: 100 }, 'presign').count).toBe(5)
  // Where the quota is least, they are signed all the same.
  expect(
    begun(fullQuota({ perSecond: 1, concurrency: 1 }, 0), { perSecond: 1, concurrency: 1 }, 'presign'),
  ).toBeDefined()
})

test('over a second no more calls begin than the quota and its burst, and throttling halves that once', () => {
  const count = (from: QuotaState) => {
    let [state, sum] = [from, 0]
    for (let ms = 0; ms <= 1_000; ms += 10) {
      const round = drain(refilled({ ...state, running: 0 }, limits, from.atMs + ms), 'cancel')
      state = round.state
      sum += round.count
    }
    return sum
  }
  expect(count(fullQuota(limits, 0))).toBe(50)
  const once = throttled(fullQuota(limits, 0), limits, 0)
  const twice = throttled(once, limits, 999)
  expect([once.rate, twice.rate]).toEqual([20, 20])
  expect(throttled(once, limits, 1_000).rate).toBe(10)
  expect(count(once)).toBeLessThanOrEqual(22)
  expect(refilled(once, limits, 20_000).rate).toBe(40)
})

test('a call waits until the time that the provider named', () => {
  const quiet = throttled(fullQuota(limits, 0), limits, 0, 3_000)
  expect(begun(refilled(quiet, limits, 2_999), limits, 'cancel')).toBeUndefined()
  expect(begun(refilled(quiet, limits, 3_000), limits, 'cancel')).toBeDefined()
})

test('a cancellation passes those that wait before it; what waits too long is given up', async () => {
  const clock = manualClock()
  const queue = openQuotaQueue(clock, { perSecond: 4, concurrency: 1 })
  const order: string[] = []
  let end: () => void = () => {}
  const running = queue.run('payload', 10_000, () => new Promise<void>((resolve) => (end = resolve)))
  const late = queue.run('payload', 400, async () => order.push('late')).catch((error: unknown) => error)
  const payload = queue.run('payload', 10_000, async () => order.push('payload'))
  const cancel = queue.run('cancel', 10_000, async () => order.push('cancel'))
  clock.advance(500)
  end()
  await running
  expect(await late).toMatchObject({ kind: 'throttled', code: 'QuotaExceeded' })
  for (let count = 0; count < 4; count += 1) {
    await quiescence()
    clock.advance(500)
  }
  await Promise.all([payload, cancel])
  expect(order).toEqual(['cancel', 'payload'])
  expect(clock.sleeping).toEqual([])
})

test('throttling of one call slows the queue', async () => {
  const clock = manualClock()
  const queue = openQuotaQueue(clock, limits)
  const error = new KeyServiceError('slow down', { kind: 'throttled', code: 'Throttling' })
  await expect(queue.run('cancel', 1, () => Promise.reject(error))).rejects.toBe(error)
  expect(queue.rate()).toBe(20)
})

const failure = (code: string, isPermanent: boolean) => ({ code, isPermanent, isTriedSoon: !isPermanent })

const failures = (state: BreakerState, code: string, isPermanent: boolean, nowMs = 0, times = 1) =>
  Array.from({ length: times }).reduce<BreakerState>((next) => failed(next, failure(code, isPermanent), nowMs), state)

test('five transient failures in a row open it for a second; a trial that fails opens it for longer', () => {
  expect(failures(closed, 'Timeout', false, 0, 4).kind).toBe('closed')
  const open = failures(closed, 'Timeout', false, 0, 5)
  expect(open).toMatchObject({ kind: 'open', untilMs: 1_000, isPermanent: false })
  expect(admit(open, 999).isTrial).toBe(false)
  const trial = admit(open, 1_000)
  expect(trial.isTrial).toBe(true)
  expect(admit(trial.state, 1_000).isTrial).toBe(false)
  expect(failed(trial.state, failure('Timeout', false), 1_000)).toMatchObject({ untilMs: 3_000 })
  expect(admit(undecided(trial.state), 1_000).isTrial).toBe(true)
})

test('the pause after a trial begins with it, so that one that hangs delays the next by half a second', () => {
  const { state } = admit(failures(closed, 'Timeout', false, 0, 5), 1_000)
  const timeout = failure('Timeout', false)
  expect(failed(state, timeout, 2_500, 1_500)).toMatchObject({ untilMs: 3_000 })
  expect(failed(state, timeout, 3_000, 2_000)).toMatchObject({ untilMs: 3_500 })
  expect(failed(state, failure('AccessDenied', true), 3_000, 2_000)).toMatchObject({ untilMs: 33_000 })
})

test('a permanent failure opens it at once, and a wrong PIN for ever', () => {
  expect(failures(closed, 'AccessDenied', true)).toMatchObject({ kind: 'open', untilMs: 15_000, isPermanent: true })
  for (const code of ['CKR_PIN_INCORRECT', 'CKR_PIN_LOCKED']) {
    expect(admit(failures(closed, code, true), Number.MAX_VALUE).isTrial).toBe(false)
  }
})

test('calls that began before it opened prolong nothing', () => {
  const open = failures(closed, 'Timeout', false, 0, 5)
  expect(failures(open, 'Timeout', false, 500, 8)).toEqual(open)
  expect(failures(open, 'AccessDenied', true, 500)).toMatchObject({ isPermanent: true, untilMs: 30_500 })
})
