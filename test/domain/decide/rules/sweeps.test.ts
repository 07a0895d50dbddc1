// A sweep: it goes alone, also while the relayer is paused, and its value is what the account can pay beside twice its cost.

import { describe, expect, test } from 'vitest'
import { apply } from '../../../../src/domain/decide/apply.ts'
import { inquire } from '../../../../src/domain/decide/facts/inquire.ts'
import { findAmong } from '../../../../src/domain/decide/lost-history/recover.ts'
import { isChange } from '../../../../src/domain/decide/plan/decision.ts'
import { lacksNothing } from '../../../../src/domain/decide/plan/lacks.ts'
import type { Work } from '../../../../src/domain/decide/plan/work.ts'
import {
  boundValueOf,
  comparedPayload,
  frontOf,
  isSweepWaiting,
  minBalanceFor,
  obeysPause,
  valueToEstimate,
  wantsFreshBalance,
  wasCheckedWhole,
} from '../../../../src/domain/decide/rules/sweeps.ts'
import type { Observation } from '../../../../src/domain/observation.ts'
import type { Policies } from '../../../../src/domain/policy-table.ts'
import type { ProfileOverrides } from '../../../../src/domain/profile.ts'
import { inEther } from '../../../../src/domain/shown-amount.ts'
import { isUnderWay } from '../../../../src/domain/sweep.ts'
import type { Inclusion, Transaction } from '../../../../src/domain/transaction.ts'
import { decideInWords as decide } from '../../in-words.ts'
import {
  address,
  answered,
  broadcastStates,
  by,
  byForeign,
  canceled,
  eip1559,
  ether,
  gwei,
  hashOf,
  headAt,
  inFlight,
  mined,
  now,
  queued,
  receiver,
  someAttempt,
  someMarket,
  someObservation,
  somePayload,
  somePolicies,
  somePolicy,
  someRelayer,
  someSituation,
  someWork,
} from '../../some.ts'

const { gasLimit: _, ...transfer } = somePayload
const unsettled = { ...transfer, value: 0n, pricing: { kind: 'speed', speed: 'fast' } } as const
const swept = (sequence: number, changes: Partial<Transaction> = {}) =>
  queued(sequence, { origin: 'sweep', payload: unsettled, ...changes })
const sweep = swept(9)
/** Of a transfer at the market's price: twice the base fee, and the tip of "fast". */
const cost = 21_000n * 23n * gwei
const estimated: Pick<Observation, 'estimates'> = { estimates: new Map([[sweep.id, { kind: 'gas', gas: 21_000 }]]) }

function planOf(
  work: Partial<Work>,
  observation: Partial<Observation> = {},
  policies: Partial<Policies> = {},
  profile: ProfileOverrides = {},
) {
  const relayer = someRelayer({ paused: true, policies: { ...somePolicies, ...policies } })
  const policy = { ...somePolicy, profile: { ...somePolicy.profile, ...profile } }
  return decide(someSituation({ relayer, queued: [sweep], ...work }, { ...estimated, ...observation }, policy))
}
const decided = (...given: Parameters<typeof planOf>) => planOf(...given).decisions

test('an account is emptied but for twice the cost, while its relayer is paused', () => {
  const value = 10n * ether - 2n * cost
  expect(decided({})).toEqual([
    { do: 'assignNonce', transaction: sweep, nonce: 0, fees: eip1559(23n * gwei, 3n * gwei), gasLimit: 21_000, value },
  ])
  const [bound] = decided({})
  const attempt = someAttempt(0)
  const after = bound && isChange(bound) ? apply(bound, sweep, attempt, now) : undefined
  expect(after).toMatchObject({ payload: { value }, lifecycle: { phase: 'inFlight', nonce: 0 }, origin: 'sweep' })
  expect(after?.earlier).toBeUndefined()
})

test('one is under way until it has ended or is canceled, also where no node says whether it succeeded', () => {
  const attempt = someAttempt(9)
  const { succeeded: _, ...inclusion } = by(attempt) as Extract<Inclusion, { by: 'attempt' }>
  const inBlock = mined(9, inclusion, [attempt], { origin: 'sweep' })
  const final: Transaction = {
    ...inBlock,
    lifecycle: { ...inBlock.lifecycle, phase: 'final', finalAt: now, witnesses: 1 },
  }
  const inPool = inFlight(9, [attempt], { origin: 'sweep' })
  expect([sweep, inPool, inBlock].map(isUnderWay)).toEqual([true, true, true])
  expect([final, { ...inPool, ...canceled }].map(isUnderWay)).toEqual([false, false])
})

test('min_balance and cancel_reserve do not hold it, and other policies do', () => {
  const most = { minBalance: 100n * ether, cancelReserve: 100n * ether }
  expect(decided({}, {}, most)).toMatchObject([{ do: 'assignNonce', value: 10n * ether - 2n * cost }])
  const refused = (policies: Partial<Policies>) =>
    decided({}, {}, policies).map((each) => (each.do === 'refuse' ? each.reason : each.do))
  expect(refused({ valueCap: ether })).toEqual([expect.stringMatching(/^value: .* above the relayer's value_cap/)])
  expect(refused({ whitelistReceivers: [] })).toEqual([expect.stringContaining('whitelist_receivers')])
  expect(refused({ whitelistSelectors: [{ receiver, selectors: ['0xd0e30db0'] }] })).toEqual([
    expect.stringContaining('whitelist_selectors'),
  ])
  expect(decided({}, {}, { gasPriceCap: 5n * gwei })).toMatchObject([{ do: 'explain', condition: 'gas_price_cap' }])
  const capped = 15n * gwei
  expect(decided({}, {}, { gasPriceCap: capped })).toMatchObject([
    { do: 'assignNonce', fees: { maxFeePerGas: capped }, value: 10n * ether - 2n * 21_000n * capped },
  ])
})

describe('it goes alone', () => {
  const first = someAttempt(0, { recordedAtBlock: 99 })

  test('after everything in flight', () => {
    const plan = planOf({ open: [inFlight(0, [first])] })
    expect(plan.decisions).toEqual([])
    // The relayer is paused; the sweep does not wait for that.
    expect(plan.conditions).toEqual(['paused'])
    const isMined = {
      nonce: 1,
      inclusions: new Map([[0, by(first)]]),
      canonical: new Map([[100, by(first).block.hash]]),
    }
    expect(decided({ open: [inFlight(0, [first])] }, isMined)).toMatchObject([
      { do: 'include' },
      { do: 'assignNonce', nonce: 1 },
    ])
  })

  test('after the queue before it, which a pause holds back', () => {
    const plan = planOf({ queued: [queued(1), sweep] })
    expect(plan.decisions).toMatchObject([{ do: 'explain', transaction: { sequence: 1 }, condition: 'paused' }])
    const relayer = someRelayer()
    expect(decided({ relayer, queued: [queued(1), sweep, queued(10)] })).toMatchObject([
      { do: 'assignNonce', transaction: { sequence: 1 } },
    ])
  })

  test('after what returns to the queue in the same step, which it would leave without money', () => {
    const displaced = mined(0, byForeign(90), [first])
    const canonical = new Map([[90, byForeign(90).block.hash]])
    expect(decided({ open: [displaced] }, { nonce: 1, canonical, head: headAt(100) })).toMatchObject([
      { do: 'requeue' },
    ])
  })

  test('before every later send', () => {
    const relayer = someRelayer()
    expect(decided({ relayer, queued: [sweep, queued(10)] })).toMatchObject([
      { do: 'assignNonce', transaction: { sequence: 9 } },
    ])
    expect(decided({ relayer, queued: [sweep, queued(10)], open: [inFlight(0, [first])] })).toEqual([])
  })

  test('after a transaction that a lost history may have canceled', () => {
    const suspectedNoOp = { hash: hashOf(7), nonce: 0 }
    expect(decided({ suspected: [queued(1, { suspectedNoOp })] })).toEqual([])
    expect(decided({ suspected: [queued(10, { suspectedNoOp })] })).toMatchObject([{ do: 'assignNonce' }])
  })
})

describe('an account that pays for nothing', () => {
  test.each([0n, 1n, 2n * cost])('with %s wei ends it with the reason', (balance) => {
    expect(decided({}, { balance })).toEqual([
      {
        do: 'refuse',
        transaction: expect.objectContaining({ id: sweep.id }),
        reason: `its balance of ${inEther(balance)} does not exceed twice the cost of a transfer at present: there is nothing to sweep`,
      },
    ])
    // No node estimates a value that the account does not hold.
    expect(decided({}, { balance, estimates: new Map([[sweep.id, { kind: 'unknown' }]]) })).toMatchObject([
      { do: 'refuse' },
    ])
  })

  test('a wei more is sent', () => {
    expect(decided({}, { balance: 2n * cost + 1n })).toMatchObject([{ do: 'assignNonce', value: 1n }])
  })

  test('an unknown balance ends nothing', () => {
    const { balance: __, ...seen } = someObservation(estimated)
    const relayer = someRelayer({ paused: true })
    const { decisions } = decide({
      work: someWork({ relayer, queued: [sweep] }),
      observation: seen,
      policy: somePolicy,
      now,
    })
    expect(decisions).toMatchObject([{ do: 'explain', condition: 'facts_missing' }])
  })
})

test('the fee for data on L1 is kept back twice, too', () => {
  const noOpL1Fee = 7n * gwei
  const market = { ...someMarket, noOpL1Fee, l1FeePerByte: gwei }
  const onL1 = noOpL1Fee + 24n * gwei
  expect(decided({}, { market }, {}, { l1Fee: 'op_stack' })).toMatchObject([
    { do: 'assignNonce', value: 10n * ether - 2n * (cost + onL1) },
  ])
})

test('a contract that refuses the value ends it, and unknown gas makes it wait', () => {
  const estimate = (kind: 'reverts' | 'unknown') =>
    new Map([[sweep.id, kind === 'reverts' ? { kind, reason: 'no' } : { kind }]]) as Observation['estimates']
  expect(decided({}, { estimates: estimate('reverts') })).toMatchObject([
    { do: 'refuse', reason: 'it would revert: no' },
  ])
  expect(decided({}, { estimates: estimate('unknown') })).toMatchObject([{ do: 'explain', condition: 'gas_unknown' }])
  expect(planOf({}, { estimates: new Map() })).toMatchObject({ decisions: [], observeAgainAtOnce: true })
})

test('its gas is estimated with a value, and its balance read at the head, also while the relayer is paused', () => {
  const paused = someRelayer({ paused: true })
  const inquiry = inquire(someWork({ relayer: paused, queued: [sweep] }), lacksNothing)
  expect(inquiry).toMatchObject({ balance: 'now', estimates: [{ transactionId: sweep.id, value: 1n }] })
  const behind = inquire(someWork({ relayer: paused, queued: [queued(1), sweep] }), lacksNothing)
  expect(behind).toMatchObject({ estimates: [] })
  expect(behind.balance).toBeUndefined()
})

describe('where the network has a reserve', () => {
  const monad: ProfileOverrides = { charges: 'gas_limit', reserveBalance: 10n * ether, balanceLagBlocks: 3 }
  const balance = 12n * ether
  const lagged = { lagged: { balance, nonce: 0 } }

  test('an account without others is emptied below it', () => {
    expect(decided({}, { balance, ...lagged }, {}, monad)).toMatchObject([
      { do: 'assignNonce', value: balance - 2n * cost },
    ])
  })

  test('it waits until some blocks have followed the last', () => {
    const seen = { balance, nonce: 1, lagged: { balance, nonce: 0 } }
    expect(decided({}, seen, {}, monad)).toMatchObject([
      { do: 'explain', condition: 'balance_short', facts: { of: 'emptying' } },
    ])
  })

  test('an account that delegates keeps the reserve', () => {
    expect(decided({}, { balance, ...lagged, delegated: true }, {}, monad)).toMatchObject([
      { do: 'assignNonce', value: 2n * ether - 2n * cost },
    ])
  })

  test('it waits for a payment that does not count yet', () => {
    const seen = { balance, lagged: { balance: 11n * ether, nonce: 0 } }
    expect(decided({}, seen, {}, monad)).toMatchObject([
      { do: 'explain', condition: 'balance_short', facts: { of: 'late' } },
    ])
  })
})

describe('in flight', () => {
  const value = 10n * ether - 2n * cost
  const payload = { ...unsettled, value }
  const fees = eip1559(23n * gwei, 3n * gwei)
  const short = answered({ kind: 'rejected', code: 'insufficientFunds', message: 'insufficient funds' })
  const flying = (broadcast = broadcastStates.accepted, changes: Partial<Transaction> = {}) =>
    inFlight(0, [someAttempt(0, { fees, broadcast, recordedAtBlock: 90 })], { origin: 'sweep', payload, ...changes })

  test('it bids again from what it left', () => {
    expect(decided({ queued: [], open: [flying()] })).toMatchObject([
      { do: 'bump', transaction: { payload: { value } } },
    ])
  })

  test('a lower balance lowers the value, at the same nonce, and the higher one is never broadcast again', () => {
    const balance = 5n * ether
    const plan = planOf({ queued: [], open: [flying(short)] }, { balance })
    expect(plan).toMatchObject({
      decisions: [{ do: 'lowerValue', transaction: { sequence: 0 } }],
      observeAgainAtOnce: true,
    })
    const [lower] = plan.decisions
    if (lower?.do !== 'lowerValue') throw new Error('not lowered')
    expect(lower.value).toBeLessThan(balance - 2n * cost)
    expect(lower.value).toBeGreaterThan(balance - 3n * cost)
    const lowered = apply(lower, flying(short), undefined, now) as ReturnType<typeof flying>
    expect(lowered).toMatchObject({ payload: { value: lower.value }, earlier: [{ value }], lifecycle: { nonce: 0 } })
    const estimates = new Map([[lowered.id, { kind: 'gas', gas: 21_000 }]]) as Observation['estimates']
    expect(decided({ queued: [], open: [lowered] }, { balance, estimates })).toMatchObject([
      { do: 'replace', transaction: { payload: { value: lower.value } }, gasLimit: 21_000 },
    ])
  })

  test('a market beyond what it left lowers the value', () => {
    const market = { ...someMarket, baseFee: 200n * gwei }
    expect(decided({ queued: [], open: [flying()] }, { market, balance: 10n * ether })).toMatchObject([
      { do: 'lowerValue' },
    ])
  })

  test('a balance that pays for nothing lets it wait, and a DELETE ends it', () => {
    expect(decided({ queued: [], open: [flying(short)] }, { balance: cost })).toMatchObject([
      { do: 'explain', condition: 'balance_short' },
    ])
    const taken = flying(broadcastStates.accepted, canceled)
    expect(decided({ queued: [], open: [taken] })).toMatchObject([{ do: 'signNoOp' }])
  })

  test('a foreign transaction in its nonce returns it to the queue, and its value is settled anew', () => {
    const lost = mined(0, byForeign(90), [someAttempt(0, { fees })], { origin: 'sweep', payload })
    const canonical = new Map([[90, byForeign(90).block.hash]])
    expect(decided({ queued: [], open: [lost] }, { nonce: 1, canonical, head: headAt(100) })).toMatchObject([
      { do: 'requeue' },
    ])
    const again = swept(9, { payload })
    expect(decided({ queued: [again] }, { nonce: 1, balance: 3n * ether })).toMatchObject([
      { do: 'assignNonce', nonce: 1, value: 3n * ether - 2n * cost },
    ])
  })
})

test('a lost history shows with which value it was sent', () => {
  const signed = {
    to: receiver,
    value: 5n * ether,
    data: '0x',
    raw: '0x02',
    fees: eip1559(1n, 1n),
    gasLimit: 21_000,
  } as const
  const spender = {
    ...{ nonce: 0, hash: hashOf(1), block: { number: 5, hash: hashOf(2) }, minedAt: now },
    signed: { ...signed, signature: { r: hashOf(1), s: hashOf(2), v: 1 } },
  }
  const [found] = findAmong([queued(8), sweep], [spender])
  expect(found).toMatchObject({ transaction: { id: sweep.id }, revision: 0 })
  if (!found) throw new Error('not found')
  expect(apply({ do: 'recover', ...found }, sweep, undefined, now)).toMatchObject({
    payload: { value: 5n * ether, from: address },
    lifecycle: { phase: 'inFlight', nonce: 0 },
  })
})

test.each<[string, (transaction: Transaction) => unknown, unknown, unknown]>([
  ['obeys a pause', obeysPause, false, true],
  [
    'leaves min_balance',
    (each) => minBalanceFor(each, someRelayer({ policies: { ...somePolicies, minBalance: 7n } })),
    0n,
    7n,
  ],
  ['has a value of its own', (each) => boundValueOf(each, each), { value: 1n }, {}],
  ['was checked with its value', wasCheckedWhole, false, true],
  ['reads the balance anew', (each) => wantsFreshBalance([each]), true, false],
  ['may be mined with any value', (each) => 'isAnyValue' in comparedPayload(each, each.payload), true, false],
  [
    'is estimated by its own value',
    (each) => valueToEstimate({ ...each, payload: { ...somePayload, value: 9n } }),
    1n,
    9n,
  ],
  ['goes alone', (each) => frontOf(someWork({ queued: [each, queued(8)] })).length, 1, 2],
  [
    'waits for those in flight',
    (each) => isSweepWaiting(someWork({ open: [inFlight(0)], queued: [each] })),
    true,
    false,
  ],
])('a sweep differs from other transactions: %s', (_, ask, ofSweep, ofOthers) => {
  expect(ask(queued(7, { origin: 'sweep' }))).toEqual(ofSweep)
  expect(ask(queued(7))).toEqual(ofOthers)
})
