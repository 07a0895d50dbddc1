// What is decided while the owner looks at the chain: by the last observation, and only for nonces that transactions have.
import { describe, expect, test } from 'vitest'
import { asOfRows, continueQueue, decideAtOnce, isRecent } from '../../../src/domain/decide/decide-at-once.ts'
import type { Covered } from '../../../src/domain/decide/facts/inquire.ts'
import type { Situation, Work } from '../../../src/domain/decide/plan/work.ts'
import type { TransactionId } from '../../../src/domain/ids.ts'
import type { Observation } from '../../../src/domain/observation.ts'
import type { NetworkPolicy } from '../../../src/domain/relayer.ts'
import {
  answered,
  broadcastStates,
  by,
  byForeign,
  canceled,
  headAt,
  height,
  inFlight,
  mined,
  now,
  queued,
  someAttempt,
  someMarket,
  someNoOp,
  somePayload,
  somePolicy,
  someSituation,
} from '../some.ts'

const verbsIn = (situation: Situation) => decideAtOnce(situation).decisions.map(({ do: what }) => what)
const verbsOn = (work: Partial<Work>, observed: Partial<Observation> = {}, policy: Partial<NetworkPolicy> = {}) =>
  verbsIn(someSituation(work, observed, policy))

function without(fact: 'market' | 'balance', work: Partial<Work>, observed: Partial<Observation> = {}): Situation {
  const { observation, ...rest } = someSituation(work, observed)
  const { [fact]: _, ...seen } = observation
  return { ...rest, observation: seen as Observation }
}

const payload = someAttempt(0)
const canceledOne = inFlight(0, [payload], canceled)
const expiredOne = inFlight(0, [payload], { validUntil: now })
const replacement = { ...somePayload, gasLimit: 21_000, value: 2n }
const replacedOne = inFlight(0, [payload], { payload: replacement, earlier: [somePayload] })
const fcfs: Partial<NetworkPolicy> = { profile: { ...somePolicy.profile, pool: 'fcfs' } }

describe('bytes that wait for no look', () => {
  test.each([
    ['a no-op after a DELETE', canceledOne, ['signNoOp']],
    ['a no-op after an expiry, which is recorded with it', expiredOne, ['expire', 'signNoOp']],
    ['the payload of a PUT', replacedOne, ['replace']],
  ])('%s', (_, transaction, expected) => {
    expect(verbsOn({ open: [transaction] })).toEqual(expected)
  })

  test('no-ops for all that are canceled, beside payloads whose answers are awaited', () => {
    const open = [0, 1, 2].map((nonce) => inFlight(nonce, [someAttempt(nonce)], nonce === 1 ? {} : canceled))
    const underWay = new Set(open.flatMap(({ lifecycle }) => lifecycle.attempts.map(({ hash }) => hash)))
    const { decisions } = decideAtOnce(someSituation({ open, underWay }))
    expect(decisions.map((each) => each.do === 'signNoOp' && each.transaction.lifecycle.nonce)).toEqual([0, 2])
  })

  test('a no-op that was signed in advance, while the signer is down', () => {
    const noOp = { hash: someNoOp(0).hash, nonce: 0, fees: someNoOp(0).fees, gasLimit: 21_000, sealed: 'sealed' }
    const outage = { code: 'down', isPermanent: false, retryAt: now + 1_000 }
    const signing = { underWay: new Set<never>(), late: new Set<never>(), failures: new Map(), outage }
    expect(verbsOn({ open: [canceledOne], presigned: [noOp], signing })).toEqual(['usePresigned'])
  })
})

describe('a no-op waits for the look', () => {
  test('where the count says that the nonce is spent', () => {
    expect(verbsOn({ open: [canceledOne, expiredOne] }, { nonce: 1 })).toEqual([])
  })

  test.each(['ordered', 'spent'] as const)('where an answer shows the nonce %s', (shown) => {
    const outcome = { kind: 'accepted', code: 'ordered' } as const
    const broadcast = shown === 'ordered' ? { state: 'handed' as const, outcome, at: now } : broadcastStates.spent
    const ordered = inFlight(0, [someAttempt(0, { broadcast })], canceled)
    for (const policy of [{}, fcfs]) expect(verbsOn({ open: [ordered] }, {}, policy)).toEqual([])
  })

  test('without a price, and without its gas', () => {
    expect(verbsIn(without('market', { open: [canceledOne] }))).toEqual([])
    const policy = { profile: { ...somePolicy.profile, noOpGas: 'estimated' as const } }
    expect(verbsOn({ open: [canceledOne] }, {}, policy)).toEqual([])
  })

  test('without a balance only where gas is free', () => {
    expect(verbsIn(without('balance', { open: [canceledOne] }))).toEqual(['signNoOp'])
    const market = { ...someMarket, gasPrice: 0n }
    expect(verbsIn(without('balance', { open: [canceledOne] }, { market }))).toEqual([])
  })

  test('where it is a further bid', () => {
    const old = { recordedAtBlock: height - 20, recordedAt: now - 60_000 }
    const racing = inFlight(0, [someAttempt(0, old), someNoOp(0, old)], canceled)
    expect(verbsOn({ open: [racing] })).toEqual([])
  })

  test('while a remote signer works on others', () => {
    const signing = { underWay: new Set(['cancel'] as const), late: new Set<never>(), failures: new Map() }
    expect(verbsOn({ open: [canceledOne], signing })).toEqual([])
  })
})

test.each([
  ['without a balance', replacedOne, 'balance'],
  ['without a price', replacedOne, 'market'],
] as const)('the payload of a PUT waits for the look %s', (_, transaction, fact) => {
  expect(verbsIn(without(fact, { open: [transaction] }))).toEqual([])
})

test('the payload of a PUT waits for the look without an estimate of its gas', () => {
  const { gasLimit: _, ...unknown } = replacement
  expect(verbsOn({ open: [{ ...replacedOne, payload: unknown }] })).toEqual([])
})

test('nothing is bound, freed, confirmed, finalized, repeated or explained', () => {
  const held = { broadcast: broadcastStates.held }
  const open = [
    mined(0, by(payload, height - 5), [payload]),
    // No node has them: their ends and a PUT would free their nonces.
    inFlight(1, [someAttempt(1, held)], canceled),
    inFlight(2, [someAttempt(2, held)], { validUntil: now }),
    inFlight(3, [someAttempt(3, held)], { payload: replacement, earlier: [somePayload] }),
    inFlight(4, [someAttempt(4, held)]),
    // It is stuck at a price of long ago.
    inFlight(5, [someAttempt(5, { recordedAtBlock: height - 90, recordedAt: now - 900_000 })]),
  ]
  const expiring = [queued(7, { validUntil: now })]
  const observed = { nonce: 1, head: headAt(height), balance: 0n }
  const plan = decideAtOnce(
    someSituation({ open, queued: [queued(6)], expiring }, observed, { requiredConfirmations: 1 }),
  )
  expect(plan.decisions).toEqual([])
  expect(plan.floor).toEqual({ spentBelow: 0, explainedBelow: 0 })
})

test.each([
  [12_000, 23_999, 24_000],
  [200, 5_999, 6_000],
])('an observation is recent for two blocks of %i ms, and at least for 6 s', (blocktimeMs, recent, old) => {
  expect(isRecent(recent, { blocktimeMs }, somePolicy)).toBe(true)
  expect(isRecent(old, { blocktimeMs }, somePolicy)).toBe(false)
  expect(isRecent(recent, {}, { averageBlocktimeMs: blocktimeMs })).toBe(true)
  expect(isRecent(old, {}, { averageBlocktimeMs: blocktimeMs })).toBe(false)
})

describe('the queue goes on by the last look', () => {
  const bound = inFlight(0, [payload])
  const [first, second] = [queued(1), queued(2)]
  const nonces = (
    work: Partial<Work>,
    ids: readonly { readonly id: string }[],
    ageMs = 0,
    seen: Partial<Observation> = {},
  ) =>
    continueQueue(someSituation({ open: [bound], queued: [first, second], ...work }, seen), {
      ageMs,
      covered: coveredOf(ids),
    }).decisions.map((each) => each.do === 'assignNonce' && each.nonce)
  const all = [bound, first, second]
  const estimateOf = ({ id }: { readonly id: string }) =>
    ({ estimates: new Map([[id as TransactionId, { kind: 'gas' as const, gas: 21_000 }]]) }) as const
  const { gasLimit: _, ...unnamed } = somePayload

  test('with what the look has covered, once nodes have answered and for six seconds', () => {
    expect(nonces({}, all)).toEqual([1, 2])
    expect(nonces({}, [bound, first])).toEqual([1])
    expect(nonces({}, [bound, second])).toEqual([])
    expect(nonces({}, all, 5_999)).toEqual([1, 2])
    expect(nonces({}, all, 6_000)).toEqual([])
    expect(nonces({ underWay: new Set([payload.hash]) }, all)).toEqual([])
  })
  test('not to a payload that a PUT has changed since', () => {
    const changed = queued(1, { payload: { ...unnamed, data: '0x12345678' }, earlier: [unnamed] })
    expect(nonces({ queued: [changed, second] }, all, 0, estimateOf(changed))).toEqual([])
  })
  test.each(['nonceTooLow', 'nonceGap', 'insufficientFunds', 'poolFull'] as const)(
    'not once an answer contradicts the look: %s',
    (code) => {
      const refused = someAttempt(0, { broadcast: answered({ kind: 'rejected', code, message: '' }) })
      expect(nonces({ open: [inFlight(0, [refused])] }, all)).toEqual([])
    },
  )
  test('not beside a decision about another nonce, which may free it', () => {
    expect(nonces({}, all, 0, { nonce: 1, inclusions: new Map([[0, by(payload)]]) })).toEqual([])
  })
})

describe('for rows that are newer, a look says nothing', () => {
  const waiting = inFlight(0, [payload])
  const spent = { nonce: 1, inclusions: new Map([[0, byForeign()]]) }

  test('about the spender of a nonce that was bound since', () => {
    const { work, observation } = someSituation({ open: [waiting] }, spent)
    expect(asOfRows(observation, new Map(), work).inclusions.size).toBe(0)
    expect(asOfRows(observation, coveredOf([waiting]), work).inclusions.size).toBe(0)
    expect(asOfRows(observation, coveredOf([waiting], 0), work)).toBe(observation)
  })
  test('about the gas of a payload that a PUT has changed', () => {
    const gas = new Map([[waiting.id, { kind: 'gas', gas: 21_000 }]] as const)
    const { work, observation } = someSituation({ open: [{ ...waiting, earlier: [somePayload] }] }, { estimates: gas })
    expect(asOfRows(observation, coveredOf([waiting], 0), work).estimates.size).toBe(0)
  })
})

function coveredOf(rows: readonly { readonly id: string }[], nonce?: number): Covered {
  return new Map(rows.map(({ id }) => [id as TransactionId, { revision: 0, nonce }]))
}
