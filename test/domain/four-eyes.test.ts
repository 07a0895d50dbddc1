// Four eyes: two keys stand behind exactly the payload that gets a nonce, whatever else happens in between.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { holdOfReplacement } from '../../src/domain/begin-hold.ts'
import { cancel } from '../../src/domain/cancel.ts'
import { apply } from '../../src/domain/decide/apply.ts'
import { decide } from '../../src/domain/decide/decide.ts'
import { violations } from '../../src/domain/decide/plan/invariants.ts'
import { RescindError } from '../../src/domain/errors.ts'
import { isApproved, partlyUnderFourEyes, refusalOfStatement } from '../../src/domain/four-eyes.ts'
import { holdOf } from '../../src/domain/hold.ts'
import type { ApiKeyId, Hash } from '../../src/domain/ids.ts'
import { payloadDigest } from '../../src/domain/payload-digest.ts'
import type { Policies } from '../../src/domain/policy-table.ts'
import { release, withKeptHold } from '../../src/domain/release.ts'
import { replace } from '../../src/domain/replace.ts'
import { type SendRequest, submit } from '../../src/domain/submit.ts'
import { startSweep } from '../../src/domain/sweep.ts'
import { isInPhase, type Payload, type Transaction } from '../../src/domain/transaction.ts'
import {
  eip1559,
  hashOf,
  idOf,
  mined,
  now,
  receiver,
  someAttempt,
  someObservation,
  somePolicies,
  somePolicy,
  someRelayer,
  someWork,
} from './some.ts'

const keys = ['one', 'two', 'three'] as ApiKeyId[]
const [first, second] = ['one', 'two'] as [ApiKeyId, ApiKeyId]
const request: SendRequest = { to: receiver, value: 1_000n, data: '0x', pricing: { kind: 'speed', speed: 'fast' } }
const strict: Policies = { ...somePolicies, fourEyes: true }
const under = (policies: Policies) => someRelayer({ policies })

function sent(changes: Partial<SendRequest> = {}, policies = strict, createdBy: ApiKeyId | undefined = first) {
  const at = { id: idOf(1), sequence: 1, now, ...(createdBy && { createdBy }) }
  return submit(under(policies), { ...request, ...changes }, at)
}

function put(found: Transaction, changes: Partial<SendRequest>, by: ApiKeyId, policies = strict): Transaction {
  const wanted = withKeptHold({ ...request, ...changes }, found)
  return replace(found, wanted, 'public', holdOfReplacement(policies, wanted, found, { now, by }))
}

const coded = (code: string) => expect.objectContaining({ code })

test.each([
  [{}, 0n, '0x', true],
  [{ holdAboveValue: 1_000n }, 1_000n, '0x', false],
  [{ holdAboveValue: 1_000n }, 1_001n, '0x', true],
  [{ holdAboveValue: 1_000n }, 0n, '0xa9059cbb', true],
  [{ holdAboveValue: 1_000n, minHold: 1_000 }, 1_001n, '0x', true],
  [{ minHold: 1_000 }, 0n, '0x', true],
] as const)('under %o, a send of %s wei with data %s: %s', (policies, value, data, isUnder) => {
  const found = sent({ value, data }, { ...strict, ...policies })
  expect(found.fourEyes !== undefined).toBe(isUnder)
  if (isUnder) expect(found.lifecycle).toMatchObject({ phase: 'held', hold: { rule: 'four_eyes', by: first } })
})

test('no other rule takes its place: time never ends it, not even where the client requests a time', () => {
  for (const hold of [{ kind: 'for', ms: 30_000 }, { kind: 'release' }, { kind: 'notBefore', at: now + 1 }] as const) {
    const found = holdOf({ ...strict, minHold: 1_000 }, { ...request, hold }, now)
    expect(found).toMatchObject({ rule: 'four_eyes' })
    expect(found).not.toHaveProperty('until')
  }
})

test('another key releases exactly this payload, and the transaction keeps who and when', () => {
  const held = sent()
  const digest = payloadDigest(held)
  const relayer = under(strict)
  expect(() => release(held, relayer, { by: second }, now)).toThrow(coded('PAYLOAD_DIGEST_MISSING'))
  expect(() => release(held, relayer, { by: first, digest }, now)).toThrow(coded('SECOND_KEY_REQUIRED'))
  expect(() => release(held, relayer, { digest }, now)).toThrow(coded('SECOND_KEY_REQUIRED'))
  expect(() => release(held, relayer, { by: second, digest: hashOf(1) }, now)).toThrow(coded('PAYLOAD_DIGEST_DIFFERS'))
  const released = release(held, relayer, { by: second, digest }, now + 5)
  expect(released).toMatchObject({
    lifecycle: { phase: 'queued' },
    fourEyes: { setBy: [first], released: { by: second, at: now + 5, digest, revision: 0 } },
  })
  // A repeated release changes nothing; one of another payload is still refused.
  expect(release(released, relayer, { by: first, digest }, now)).toBe(released)
  expect(() => release(released, relayer, { by: second, digest: hashOf(1) }, now)).toThrow(
    coded('PAYLOAD_DIGEST_DIFFERS'),
  )
})

test('a transaction whose setter is not on record can have no second key', () => {
  const at = { id: idOf(1), sequence: 1, now }
  const held = submit(under(strict), request, at)
  const digest = payloadDigest(held)
  expect(() => release(held, under(strict), { by: second, digest }, now)).toThrow(coded('SECOND_KEY_REQUIRED'))
})

test('a PUT begins the hold anew, forgets the release, and adds its key', () => {
  const held = sent()
  const released = release(held, under(strict), { by: second, digest: payloadDigest(held) }, now)
  for (const found of [held, released]) {
    const replaced = put(found, { value: 1n }, second)
    expect(replaced.fourEyes).toEqual({ setBy: [first, second], since: now })
    expect(replaced.lifecycle.phase).toBe('held')
    const digest = payloadDigest(replaced)
    for (const by of [first, second]) {
      expect(() => release(replaced, under(strict), { by, digest }, now)).toThrow(coded('SECOND_KEY_REQUIRED'))
    }
    expect(() =>
      release(replaced, under(strict), { by: 'three' as ApiKeyId, digest: payloadDigest(held) }, now),
    ).toThrow(coded('PAYLOAD_DIGEST_DIFFERS'))
  }
})

test('a later change of the policy opens no hold, and holds nothing that is queued', () => {
  const held = sent()
  const digest = payloadDigest(held)
  expect(() => release(held, under(somePolicies), { by: first, digest }, now)).toThrow(coded('SECOND_KEY_REQUIRED'))
  expect(put(held, {}, first, somePolicies).lifecycle).toMatchObject({ phase: 'held', hold: { rule: 'four_eyes' } })
  const queued = sent({}, somePolicies)
  expect(queued.fourEyes).toBeUndefined()
  expect(violations(someWork({ relayer: under(strict), queued: [queued] }))).toEqual([])
  expect(put(queued, {}, second)).toMatchObject({ lifecycle: { phase: 'held' }, fourEyes: { setBy: [first, second] } })
})

test('a PUT of one with a nonce is refused: its new payload would need a second key', () => {
  const held = sent()
  const released = release(held, under(strict), { by: second, digest: payloadDigest(held) }, now)
  const flying = bound(released)
  expect(() => put(flying, {}, first)).toThrow(coded('TOO_LATE_TO_HOLD'))
  expect(() => put(flying, {}, first, somePolicies)).toThrow(coded('TOO_LATE_TO_HOLD'))
})

test('a sweep is outside: only an administrator sweeps', () => {
  const swept = startSweep(under(strict), { to: receiver }, { id: idOf(1), sequence: 1, now, createdBy: first })
  expect(swept).toMatchObject({ origin: 'sweep', lifecycle: { phase: 'queued' } })
  expect(swept).not.toHaveProperty('fourEyes')
})

test('the relayer signs no messages under four eyes: a permit moves tokens', () => {
  const [held, free] = [under(strict), under({ ...somePolicies, fourEyes: false })]
  expect(refusalOfStatement(held, [held])).toMatchObject({ code: 'POLICY_VIOLATION' })
  expect(refusalOfStatement(free, [free])).toBeUndefined()
  // The key is the account's, on every chain.
  expect(refusalOfStatement(free, [free, held])).toMatchObject({ code: 'POLICY_VIOLATION' })
})

test('accounts that only some of their relayers guard with four eyes are found, and no others', () => {
  const [held, free] = [under(strict), under(somePolicies)]
  const elsewhere = { ...held, address: receiver }
  expect(partlyUnderFourEyes([held, free, elsewhere])).toEqual([[held, free]])
  expect(partlyUnderFourEyes([held, held, { ...free, address: receiver }])).toEqual([])
})

test('the invariants name one that has a nonce, or stands in the queue, without the release of a second key', () => {
  const held = sent()
  const released = release(held, under(strict), { by: second, digest: payloadDigest(held) }, now)
  const unreleased: Transaction = { ...held, lifecycle: { phase: 'queued' } }
  expect(violations(someWork({ queued: [released], open: [bound(released)] }))).toEqual([])
  expect(violations(someWork({ queued: [unreleased] }))).toEqual([expect.stringContaining('without the release')])
  expect(violations(someWork({ open: [bound(unreleased)] }))).toEqual([expect.stringContaining('without the release')])
  // Of an earlier payload, and by a key that set it.
  const earlier: Transaction = { ...released, earlier: [released.payload] }
  const own: Transaction = { ...released, fourEyes: { setBy: [second], since: now, released: approvalOf(released) } }
  for (const each of [earlier, own]) expect(violations(someWork({ open: [bound(each)] }))).toHaveLength(1)
})

test('no key that set any payload of it stands for the second key, however many payloads came later', () => {
  const released = release(sent(), under(strict), { by: second, digest: payloadDigest(sent()) }, now)
  const [, , third] = keys as [ApiKeyId, ApiKeyId, ApiKeyId]
  const setBy = (...by: ApiKeyId[]) => ({
    ...released,
    fourEyes: { setBy: by, since: now, released: approvalOf(released) },
  })
  expect([setBy(first), setBy(first, third)].map(isApproved)).toEqual([true, true])
  expect([setBy(second, first), setBy(first, second, third), setBy(first, second)].map(isApproved)).toEqual([
    false,
    false,
    false,
  ])
  const held = put(put(sent({}, strict, second), { value: 1n }, first), { value: 2n }, third)
  const digest = payloadDigest(held)
  for (const by of keys) {
    expect(() => release(held, under(strict), { by, digest }, now)).toThrow(coded('SECOND_KEY_REQUIRED'))
  }
})

test('a nonce that goes to another transaction takes one without a recorded release back on hold', () => {
  // A restored copy lost the release of one that the chain shows.
  const recovered = { ...someAttempt(7), recovered: true } as const
  const inclusion = { by: 'external', hash: hashOf(9), block: { number: 3, hash: hashOf(3) } } as const
  const { lifecycle } = mined(7, inclusion, [recovered])
  const unreleased: Transaction = { ...sent(), lifecycle }
  expect(
    violations(
      someWork({ open: [{ ...unreleased, lifecycle: { phase: 'inFlight', nonce: 7, attempts: [recovered] } }] }),
    ),
  ).toEqual([])
  const back = apply({ do: 'requeue', transaction: unreleased as never }, unreleased, undefined, now)
  expect(back.lifecycle).toMatchObject({ phase: 'held', hold: { rule: 'four_eyes' } })
  const released = { ...unreleased, fourEyes: { setBy: [first], since: now, released: approvalOf(unreleased) } }
  expect(apply({ do: 'requeue', transaction: released as never }, released, undefined, now).lifecycle.phase).toBe(
    'queued',
  )
})

function approvalOf(transaction: Transaction) {
  return { by: second, at: now, digest: payloadDigest(transaction), revision: 0 }
}

function bound(transaction: Transaction): Transaction {
  const attempts = [someAttempt(7)] as const
  return { ...transaction, lifecycle: { phase: 'inFlight', nonce: 7, attempts } }
}

const anyRequest: fc.Arbitrary<Partial<SendRequest>> = fc.record(
  {
    value: fc.constantFrom(0n, 500n, 1_000n, 5_000n),
    data: fc.constantFrom('0x' as const, '0xa9059cbb' as const),
    gasLimit: fc.constantFrom(21_000, 90_000),
    pricing: fc.constantFrom<Payload['pricing']>({ kind: 'speed', speed: 'fast' }, eip1559(9n, 1n)),
    validUntil: fc.constantFrom(now + 1_000_000, now + 2_000_000),
    hold: fc.constantFrom<NonNullable<SendRequest['hold']>>({ kind: 'release' }, { kind: 'for', ms: 30_000 }),
  },
  { requiredKeys: [] },
)
const anyKey = fc.constantFrom(...keys)
const anyEvent = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('release' as const), by: anyKey, digest: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('put' as const), by: anyKey, request: anyRequest }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('policies' as const),
      fourEyes: fc.boolean(),
      above: fc.option(fc.constantFrom(0n, 1_000n)),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('time' as const), ms: fc.integer({ min: 1, max: 400_000 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('step' as const) }) },
)

interface Setting {
  readonly by: ApiKeyId
  readonly digest: Hash
}

test('whatever comes in between, a nonce under four eyes has two keys behind exactly its payload', () => {
  let bindings = 0
  fc.assert(
    fc.property(anyRequest, anyKey, fc.array(anyEvent, { maxLength: 25 }), (begun, by, events) => {
      let policies: Policies = strict
      let time = now
      let stored = sent(begun, policies, by)
      // What each key did, as a witness from outside sees it. Only settings under the policy count.
      let set: Setting = { by, digest: payloadDigest(stored) }
      const shown: Hash[] = [set.digest]
      const approvals: Setting[] = []
      for (const event of events) {
        try {
          switch (event.do) {
            case 'time':
              time += event.ms
              break
            case 'policies':
              policies = {
                ...somePolicies,
                fourEyes: event.fourEyes,
                ...(event.above !== null && { holdAboveValue: event.above }),
              }
              break
            case 'cancel':
              stored = cancel(stored, time)
              break
            case 'put':
              stored = put(stored, event.request, event.by, policies)
              set = { by: event.by, digest: payloadDigest(stored) }
              shown.push(set.digest)
              break
            case 'release': {
              // Any digest ever shown, also long ago; sometimes none.
              const digest = event.digest === 3 ? undefined : shown.at(-1 - event.digest)
              const before = stored
              stored = release(stored, under(policies), { by: event.by, ...(digest && { digest }) }, time)
              if (stored !== before && digest) approvals.push({ by: event.by, digest })
              break
            }
            case 'step':
              stored = afterStep(stored, policies, time)
          }
        } catch (error) {
          if (!(error instanceof RescindError)) throw error
        }
        if (!isInPhase(stored, 'inFlight')) continue
        // It began under the policy, so it stays under four eyes.
        bindings += 1
        const digest = payloadDigest(stored)
        expect(set.digest).toBe(digest)
        expect(approvals.filter((each) => each.digest === digest && each.by !== set.by)).not.toEqual([])
        expect(isApproved(stored)).toBe(true)
        return
      }
    }),
    { numRuns: 5_000 },
  )
  expect(bindings).toBeGreaterThan(100)
})

/** The engine's step: it expires, releases and binds by the clock. */
function afterStep(stored: Transaction, policies: Policies, time: number): Transaction {
  const relayer = under(policies)
  const work = someWork({
    relayer,
    held: isInPhase(stored, 'held') ? [stored] : [],
    queued: isInPhase(stored, 'queued') && !stored.cancellation ? [stored] : [],
    expiring: stored.validUntil !== undefined && isInPhase(stored, 'held', 'queued') ? [stored] : [],
    headSince: now,
  })
  expect(violations(work)).toEqual([])
  const observation = someObservation({ head: { ...someObservation().head, timestampMs: time } })
  const plan = decide({ work, observation, policy: somePolicy, now: time })
  for (const decision of plan.decisions) {
    if (decision.do === 'release' || decision.do === 'expire') return apply(decision, stored, undefined, time)
  }
  return isInPhase(stored, 'queued') && !stored.cancellation ? bound(stored) : stored
}
