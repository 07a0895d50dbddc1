// Holds: what demands one, how long, and what ends it. A release meets everything else in any order.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cancel } from '../../src/domain/cancel.ts'
import { apply } from '../../src/domain/decide/apply.ts'
import { decide } from '../../src/domain/decide/decide.ts'
import { durationFrom30sPattern, durationPattern, parseDuration, shownDuration } from '../../src/domain/duration.ts'
import { RescindError } from '../../src/domain/errors.ts'
import { eventsOf } from '../../src/domain/event.ts'
import { checkHold, type HoldRequest, holdOf, timeInWords } from '../../src/domain/hold.ts'
import type { ApiKeyId } from '../../src/domain/ids.ts'
import { release, withKeptHold } from '../../src/domain/release.ts'
import { replace } from '../../src/domain/replace.ts'
import { type SendRequest, submit } from '../../src/domain/submit.ts'
import { isInPhase, statusOf, type Transaction } from '../../src/domain/transaction.ts'
import { statusReasonOf, withWait } from '../../src/domain/wait.ts'
import {
  hashOf,
  idOf,
  now,
  receiver,
  someHead,
  someObservation,
  somePayload,
  somePolicies,
  somePolicy,
  someRelayer,
  someWork,
} from './some.ts'

const key = 'sender' as ApiKeyId
const hour = 3_600_000
const request: SendRequest = { to: receiver, value: 1_000n, data: '0x', pricing: { kind: 'speed', speed: 'fast' } }

function sent(hold?: HoldRequest, more: Partial<SendRequest> = {}, relayer = someRelayer()): Transaction {
  return submit(
    relayer,
    { ...request, ...(hold && { hold }), ...more },
    { id: idOf(1), sequence: 1, now, createdBy: key },
  )
}

test('a duration is what its pattern says, and is shown as it was written', () => {
  for (const text of ['1s', '29s', '30s', '90s', '10m', '1440m', '86400s', '24h']) {
    expect(text).toMatch(new RegExp(durationPattern))
    expect(parseDuration(shownDuration(parseDuration(text) ?? 0))).toBe(parseDuration(text))
  }
  for (const text of ['0s', '86401s', '1441m', '25h', '1d', '1.5h', '1s ', '', '-1s', '01s']) {
    expect(parseDuration(text)).toBeUndefined()
  }
  expect(['29s', '30s', '1m', '86400s'].map((text) => new RegExp(durationFrom30sPattern).test(text))).toEqual([
    false,
    true,
    true,
    true,
  ])
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 86_400 }), (seconds) => {
      expect(parseDuration(`${seconds}s`)).toBe(seconds * 1_000)
      expect(new RegExp(durationFrom30sPattern).test(`${seconds}s`)).toBe(seconds >= 30)
    }),
  )
})

test('a send on hold is pending, has no nonce, and says why', () => {
  const held = sent({ kind: 'for', ms: hour })
  expect(statusOf(held)).toBe('pending')
  expect(held).toMatchObject({
    lifecycle: { phase: 'held', hold: { rule: 'hold_for', since: now, until: now + hour, by: key } },
    wait: {
      condition: 'on_hold',
      facts: { rule: 'hold_for', until: now + hour },
      since: now,
    },
  })
  expect(statusReasonOf(held)).toBe(
    `on hold until ${timeInWords(now + hour)} (hold_for): wait, release it now, or cancel it for free`,
  )
  expect(sent({ kind: 'release' }).wait?.facts).toEqual({ rule: 'hold' })
  expect(sent().lifecycle).toEqual({ phase: 'queued' })
  expect(sent({ kind: 'notBefore', at: now - 1 }).lifecycle).toEqual({ phase: 'queued' })
})

test.each<[string, Partial<typeof somePolicies>, HoldRequest | undefined, string | undefined, number | undefined]>([
  ['min_hold', { minHold: hour }, undefined, 'min_hold', hour],
  ['min_hold lengthens', { minHold: hour }, { kind: 'for', ms: 30_000 }, 'min_hold', hour],
  ['min_hold lengthens a schedule', { minHold: hour }, { kind: 'notBefore', at: now + 1 }, 'min_hold', hour],
  ['a longer one stays', { minHold: hour }, { kind: 'for', ms: 2 * hour }, 'hold_for', 2 * hour],
  ['hold stays', { minHold: hour }, { kind: 'release' }, 'hold', undefined],
  ['at the value', { holdAboveValue: 1_000n }, undefined, undefined, undefined],
  ['above the value', { holdAboveValue: 999n }, undefined, 'hold_above_value', undefined],
  ['above, with a schedule', { holdAboveValue: 999n }, { kind: 'for', ms: hour }, 'hold_above_value', undefined],
  ['both, above', { holdAboveValue: 999n, minHold: hour }, undefined, 'min_hold', hour],
  ['both, at the value', { holdAboveValue: 1_000n, minHold: hour }, undefined, undefined, undefined],
])('%s', (_, policies, hold, rule, ms) => {
  const found = holdOf({ ...somePolicies, ...policies }, { ...somePayload, value: 1_000n, ...(hold && { hold }) }, now)
  expect([found?.rule, found?.until]).toEqual([rule, ms === undefined ? undefined : now + ms])
})

test('a send that would expire on hold is refused, also by a policy, and so is a schedule beyond a year', () => {
  const until = now + hour
  const refused = (policies: typeof somePolicies, hold: HoldRequest | undefined, validUntil?: number) => () =>
    checkHold(policies, { ...somePayload, ...(hold && { hold }), ...(validUntil !== undefined && { validUntil }) }, now)
  expect(refused(somePolicies, { kind: 'for', ms: hour }, until)).toThrow(/^valid_until: .*\(hold_for\)/)
  expect(refused({ ...somePolicies, minHold: hour }, undefined, until)).toThrow(/^valid_until: .*\(min_hold\)/)
  expect(refused(somePolicies, { kind: 'for', ms: hour }, until + 1)).not.toThrow()
  expect(refused(somePolicies, { kind: 'release' }, now + 1)).not.toThrow()
  expect(refused(somePolicies, { kind: 'notBefore', at: now + 367 * 24 * hour })).toThrow(/^not_before: /)
})

const relayer = someRelayer()

test('a release puts it back, once; of one that has ended it is refused, and a pause stops it', () => {
  const held = sent({ kind: 'release' })
  const released = release(held, relayer, { by: key }, now)
  expect(released).toMatchObject({ lifecycle: { phase: 'queued' }, statusReason: 'released on request' })
  expect(released).not.toHaveProperty('wait')
  expect(released.sequence).toBe(held.sequence)
  expect(release(released, relayer, { by: key }, now)).toBe(released)
  expect(eventsOf(held, released)).toEqual(['attention'])
  expect(() => release(cancel(held, now), relayer, { by: key }, now)).toThrow(
    expect.objectContaining({ code: 'TRANSACTION_ALREADY_CANCELED' }),
  )
  for (const pause of [{ paused: true }, { networkPaused: true } as const]) {
    expect(() => release(held, someRelayer(pause), { by: key }, now)).toThrow(
      expect.objectContaining({ code: 'RELAYER_PAUSED' }),
    )
  }
})

test('one that a lost no-op may have canceled waits for that also after its release', () => {
  const lost: Transaction = { ...sent({ kind: 'release' }), suspectedNoOp: { hash: hashOf(1), nonce: 3 } }
  const held = withWait(lost, { condition: 'cancellation_unclear', facts: { noOp: hashOf(1), nonce: 3 } }, now)
  const released = release(held, relayer, { by: key }, now)
  expect(released).toMatchObject({ lifecycle: { phase: 'queued' }, wait: { condition: 'cancellation_unclear' } })
})

test('canceled on hold: dropped, free and final', () => {
  expect(cancel(sent({ kind: 'release' }), now)).toMatchObject({ lifecycle: { phase: 'dropped', reason: 'canceled' } })
})

test('a replacement begins the hold anew, by its own request or by that of before', () => {
  const held = sent({ kind: 'for', ms: hour })
  const later = now + 60_000
  const put = (wanted: SendRequest, found = held) => {
    const kept = withKeptHold(wanted, found)
    return replace(found, kept, 'public', holdOf(relayer.policies, kept, later, { by: key }))
  }
  expect(put(request).lifecycle).toMatchObject({ phase: 'held', hold: { since: later, until: later + hour } })
  expect(put({ ...request, hold: { kind: 'release' } }).lifecycle).toMatchObject({ hold: { rule: 'hold' } })
  const released = release(held, relayer, { by: key }, now)
  expect(put({ ...request, hold: { kind: 'release' } }, released).lifecycle.phase).toBe('held')
  expect(put(request, released).lifecycle.phase).toBe('queued')
})

/** Two replicas, a client, a pause and two clocks, in any order: each write is refused unless it was made from the newest version. */
const anyEvent = fc.oneof(
  fc.record({ do: fc.constantFrom('release', 'cancel', 'pause', 'resume', 'put', 'putHeld', 'read') }),
  fc.record({ do: fc.constantFrom('step'), replica: fc.nat(1), headLagMs: fc.integer({ min: -30_000, max: 30_000 }) }),
  fc.record({ do: fc.constant('load'), replica: fc.nat(1) }),
  fc.record({ do: fc.constant('time'), ms: fc.integer({ min: 1, max: 40_000 }) }),
)

test('release against cancel, expiry, pause, PUT and a second replica: none is early, lost or undone', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 40 }), fc.boolean(), (events, expires) => {
      let time = now
      let paused = false
      const relayerNow = () => someRelayer(paused ? { paused: true } : {})
      let stored = sent({ kind: 'for', ms: 60_000 }, expires ? { validUntil: now + 90_000 } : {})
      const loaded: [Transaction, Transaction] = [stored, stored]
      const write = (before: Transaction, after: Transaction) => {
        if (after === before || before.version !== stored.version) return
        const wasHeld = isInPhase(stored, 'held') ? stored.lifecycle.hold : undefined
        stored = { ...after, version: stored.version + 1 }
        // Ended for good, or not.
        if (isInPhase(before, 'dropped')) throw new Error('an end was undone')
        return wasHeld
      }
      const attempt = (run: () => void) => {
        try {
          run()
        } catch (error) {
          if (!(error instanceof RescindError)) throw error
        }
      }
      for (const event of events) {
        const before = stored
        if (event.do === 'time' && 'ms' in event) time += event.ms
        else if (event.do === 'pause' || event.do === 'resume') paused = event.do === 'pause'
        else if (event.do === 'load' && 'replica' in event) loaded[event.replica === 0 ? 0 : 1] = stored
        else if (event.do === 'cancel') {
          attempt(() => write(stored, cancel(stored, time)))
          expect(stored.lifecycle.phase).toBe('dropped')
        } else if (event.do === 'release') {
          attempt(() => write(stored, release(stored, relayerNow(), { by: key }, time)))
          const isReleased = isInPhase(before, 'held') && !paused
          expect(stored.lifecycle.phase).toBe(isReleased ? 'queued' : before.lifecycle.phase)
        } else if (event.do === 'put' || event.do === 'putHeld') {
          attempt(() => {
            const wanted = withKeptHold(
              { ...request, ...(event.do === 'putHeld' && { hold: { kind: 'for', ms: 60_000 } as const }) },
              stored,
            )
            write(stored, replace(stored, wanted, 'public', holdOf(somePolicies, wanted, time, { by: key })))
          })
          if (isInPhase(before, 'held') && !isInPhase(before, 'dropped')) {
            expect(stored.lifecycle).toMatchObject({ phase: 'held', hold: { since: time, until: time + 60_000 } })
          }
        } else if (event.do === 'step' && 'replica' in event && 'headLagMs' in event) {
          const seen = loaded[event.replica === 0 ? 0 : 1]
          if (!isInPhase(seen, 'held')) continue
          const head = time - event.headLagMs
          const work = someWork({
            held: [seen],
            relayer: relayerNow(),
            headSince: time,
            expiring: seen.validUntil ? [seen] : [],
          })
          const plan = decide({
            work,
            observation: someObservation({ head: { ...someHead, timestampMs: head } }),
            policy: somePolicy,
            now: time,
          })
          const ends = plan.decisions.filter((each) => each.do === 'release' || each.do === 'expire')
          // One end is chosen, whichever is written first.
          expect(ends.length).toBeLessThanOrEqual(1)
          for (const decision of ends) write(seen, apply(decision, seen, undefined, time))
          const hold = isInPhase(before, 'held') ? before.lifecycle.hold : undefined
          if (hold && isInPhase(stored, 'queued')) {
            // By both clocks, of the version that is stored, and under no pause.
            expect(paused).toBe(false)
            expect(time).toBeLessThan(seen.validUntil ?? Number.POSITIVE_INFINITY)
            expect(Math.min(time, head)).toBeGreaterThanOrEqual(hold.until ?? Number.POSITIVE_INFINITY)
          }
          if (isInPhase(stored, 'dropped') && !isInPhase(before, 'dropped')) {
            expect(time).toBeGreaterThanOrEqual(seen.validUntil ?? Number.POSITIVE_INFINITY)
          }
        }
        if (isInPhase(before, 'dropped')) expect(stored).toBe(before)
      }
    }),
    { numRuns: 2_000 },
  )
})
