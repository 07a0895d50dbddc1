// Which no-ops are signed before anybody cancels, at which prices, and which of them a race uses while the signer is down.
import { describe, expect, test } from 'vitest'
import { decide } from '../../../src/domain/decide/decide.ts'
import type { Plan } from '../../../src/domain/decide/plan/decision.ts'
import type { Signing } from '../../../src/domain/decide/plan/signing.ts'
import type { Work } from '../../../src/domain/decide/plan/work.ts'
import { missingNoOps, presignedFor } from '../../../src/domain/decide/signer/presign.ts'
import {
  covers,
  type Fees,
  feeCap,
  floorOver,
  type Market,
  replacementFloor,
  strictestRule,
  tipOf,
} from '../../../src/domain/fees.ts'
import type { PresignedNoOp } from '../../../src/domain/no-op.ts'
import type { Observation } from '../../../src/domain/observation.ts'
import type { Policies } from '../../../src/domain/policy-table.ts'
import type { NetworkPolicy } from '../../../src/domain/relayer.ts'
import type { InPhase, Payload } from '../../../src/domain/transaction.ts'
import {
  broadcastStates,
  canceled,
  eip1559,
  gwei,
  hashOf,
  height,
  inFlight,
  now,
  someAttempt,
  someMarket,
  someNoOp,
  someObservation,
  somePayload,
  somePolicies,
  somePolicy,
  someRelayer,
  someWork,
} from '../some.ts'

interface Given {
  readonly open: readonly InPhase<'inFlight'>[]
  readonly presigned?: readonly PresignedNoOp[]
  readonly policies?: Partial<Policies>
  readonly observed?: Partial<Observation>
  readonly policy?: Partial<NetworkPolicy>
}

function situation({ open, presigned = [], policies = {}, observed = {}, policy = {} }: Given) {
  const relayer = someRelayer({ policies: { ...somePolicies, presignCancel: 2, ...policies } })
  const work: Work = someWork({ relayer, open, presigned })
  return { work, observation: someObservation(observed), policy: { ...somePolicy, ...policy }, now }
}

let made = 0x9000
function stored(nonce: number, fees: Fees, gasLimit = 21_000): PresignedNoOp {
  made += 1
  return { hash: hashOf(made), nonce, fees, gasLimit, sealed: 'v1.key.bytes' }
}

/** Stores the missing ones until none is missing. */
function converge(given: Given): { readonly rows: readonly PresignedNoOp[]; readonly signed: number } {
  let rows = [...(given.presigned ?? [])]
  for (let signed = 0; signed < 20; ) {
    const missing = missingNoOps(situation({ ...given, presigned: rows }))
    if (missing.length === 0) return { rows, signed }
    for (const { transaction, fees, gasLimit, outdated } of missing) {
      rows = rows.filter(({ hash }) => !outdated.includes(hash))
      rows.push(stored(transaction.lifecycle.nonce, fees, gasLimit))
      signed += 1
    }
  }
  throw new Error('it signs without end')
}

const marketAt = (baseFee: bigint, tip = 4n * gwei): Market => ({
  ...someMarket,
  baseFee,
  tips: { ...someMarket.tips, fastest: tip },
  gasPrice: baseFee + 2n * gwei,
})
const attempt = someAttempt(0)
const one = inFlight(0, [attempt])

describe('in advance', () => {
  test('two levels: the first replaces the payload at any base fee, the second is for a market that rises', () => {
    const [near, far, ...others] = missingNoOps(situation({ open: [one] }))
    if (!near || !far) throw new Error('no-ops are missing')
    expect(others).toEqual([])
    for (const baseFee of [1n, 10n, 18n, 25n, 1_000n].map((each) => each * gwei)) {
      const floor = floorOver(attempt.fees, marketAt(baseFee), strictestRule)
      expect(covers(near.fees, floor)).toBe(true)
    }
    expect(covers(far.fees, floorOver(near.fees, someMarket, strictestRule))).toBe(true)
    expect(feeCap(far.fees)).toBe(4n * (2n * 10n * gwei + 4n * gwei))
    expect(converge({ open: [one] })).toMatchObject({ signed: 2 })
  })

  test('level 1 of all nonces comes first, lowest nonce first; one level is one no-op', () => {
    const open = [one, inFlight(1), inFlight(2)]
    const nonces = (policies: Partial<Policies>) =>
      missingNoOps(situation({ open, policies })).map(({ transaction }) => transaction.lifecycle.nonce)
    expect(nonces({})).toEqual([0, 1, 2, 0, 1, 2])
    expect(nonces({ presignCancel: 1 })).toEqual([0, 1, 2])
    expect(nonces({ presignCancel: 0 })).toEqual([])
  })

  test.each<[string, InPhase<'inFlight'>]>([
    ['is canceled', inFlight(0, [attempt], canceled)],
    ['no node ever had', inFlight(0, [someAttempt(0, { broadcast: broadcastStates.held })])],
    ['fills a gap', inFlight(0, [attempt], { origin: 'gap' })],
  ])('none for a transaction that %s', (_, transaction) => {
    expect(missingNoOps(situation({ open: [transaction] }))).toEqual([])
  })

  test('none for a nonce that the chain has spent, and none without prices', () => {
    expect(missingNoOps(situation({ open: [one], observed: { nonce: 1 } }))).toEqual([])
    const { market: _, ...unpriced } = situation({ open: [one] }).observation
    expect(missingNoOps({ ...situation({ open: [one] }), observation: unpriced })).toEqual([])
  })

  test('never above cancel_gas_price_cap; where the cap allows no replacement there is none, and it ends', () => {
    const floor = replacementFloor([attempt], someMarket, strictestRule)
    for (const cap of [30n, 33n, 60n].map((each) => each * gwei)) {
      const { rows } = converge({ open: [one], policies: { cancelGasPriceCap: cap } })
      expect(rows.length).toBeGreaterThan(0)
      for (const { fees } of rows) {
        expect(feeCap(fees)).toBeLessThanOrEqual(cap)
        expect(covers(fees, floor)).toBe(true)
      }
    }
    const below = { cancelGasPriceCap: feeCap(floor) - 1n }
    expect(missingNoOps(situation({ open: [one], policies: below }))).toEqual([])
  })

  test('another price of the payload within their room needs no signature; beyond it, outdated ones go', () => {
    const { rows } = converge({ open: [one] })
    const small = inFlight(0, [attempt, someAttempt(0, { fees: eip1559(21n * gwei, 2n * gwei) })])
    expect(missingNoOps(situation({ open: [small], presigned: rows }))).toEqual([])
    const large = inFlight(0, [attempt, someAttempt(0, { fees: eip1559(60n * gwei, 6n * gwei) })])
    const [next] = missingNoOps(situation({ open: [large], presigned: rows }))
    expect(next?.outdated).toEqual([rows[0]?.hash])
    expect(converge({ open: [large], presigned: rows }).rows.length).toBeLessThanOrEqual(3)
  })

  test('a market that wanders never makes it sign without end, nor keep many', () => {
    let rows: readonly PresignedNoOp[] = []
    let signed = 0
    for (const base of [10n, 40n, 160n, 20n, 5n, 1n, 0n, 300n, 3n]) {
      const after = converge({ open: [one], presigned: rows, observed: { market: marketAt(base * gwei, base * gwei) } })
      rows = after.rows
      signed += after.signed
    }
    expect(signed).toBeLessThan(20)
    const free = { ...marketAt(0n, 0n), gasPrice: 0n, tips: { safeLow: 0n, average: 0n, fast: 0n, fastest: 0n } }
    const unpaid = inFlight(0, [someAttempt(0, { fees: eip1559(0n, 0n) })])
    expect(converge({ open: [unpaid], observed: { market: free } }).signed).toBeLessThanOrEqual(2)
  })

  test('first come, first served: one, for a payload whose outcome is unknown', () => {
    const fcfs = { policy: { profile: { ...somePolicy.profile, pool: 'fcfs' } } } as const
    expect(missingNoOps(situation({ open: [one], ...fcfs }))).toEqual([])
    const doubtful = inFlight(0, [someAttempt(0, { broadcast: broadcastStates.unknown })])
    expect(missingNoOps(situation({ open: [doubtful], ...fcfs }))).toHaveLength(1)
    expect(converge({ open: [doubtful], ...fcfs })).toMatchObject({ signed: 1 })
  })

  test('where its gas is estimated it has the margin, and another is signed once that is too little', () => {
    const profile = { ...somePolicy.profile, noOpGas: 'estimated', floorGas: false } as const
    const at = (noOpGas: number) => ({ observed: { market: { ...someMarket, noOpGas } }, policy: { profile } })
    const { rows } = converge({ open: [one], ...at(100_000) })
    expect(rows.map(({ gasLimit }) => gasLimit)).toEqual([150_000, 150_000])
    expect(missingNoOps(situation({ open: [one], presigned: rows, ...at(150_000) }))).toEqual([])
    expect(missingNoOps(situation({ open: [one], presigned: rows, ...at(150_001) }))).toHaveLength(2)
  })
})

describe('before a bump', () => {
  const old = someAttempt(0, { recordedAtBlock: height - 10 })
  const stuck = inFlight(0, [old])
  const one = { open: [stuck], policies: { presignCancel: 1 } }
  const { rows } = converge(one)
  const working: Signing = { underWay: new Set(), late: new Set(), failures: new Map() }
  const planOf = (given: Partial<Given>, presigned: readonly PresignedNoOp[]) => {
    const { work, ...rest } = situation({ ...one, ...given })
    return decide({ ...rest, work: { ...work, presigned, signing: { ...working, presigns: true } } })
  }
  const dearer = (tip: bigint) => ({ observed: { market: marketAt(10n * gwei, tip) } })
  const storedOf = (plan: Plan) => plan.presignFirst?.map(({ fees }) => stored(0, fees)) ?? []

  test('that makes the stored one worthless, another is signed: the bump waits until it is stored', () => {
    const waiting = planOf({}, rows)
    expect(waiting.decisions).toEqual([])
    expect(waiting.presignFirst).toMatchObject([{ transaction: { id: stuck.id }, outdated: [], isUrgent: true }])
    const covered = planOf({}, [...rows, ...storedOf(waiting)])
    expect(covered.presignFirst).toBeUndefined()
    const [bump] = covered.decisions
    if (bump?.do !== 'bump') throw new Error('not a bump')
    const floor = replacementFloor([old, bump], someMarket, strictestRule)
    expect(rows.filter(({ fees }) => covers(fees, floor))).toEqual([])
    expect(storedOf(waiting).filter(({ fees }) => covers(fees, floor))).toHaveLength(1)
  })

  test('a stored one that replaces the bump as well is enough', () => {
    const two = { policies: { presignCancel: 2 } }
    const plan = planOf(two, converge({ ...one, ...two }).rows)
    expect(plan).toMatchObject({ decisions: [{ do: 'bump' }] })
    expect(plan.presignFirst).toBeUndefined()
  })

  test('it waits once, however the market moves meanwhile', () => {
    const next = storedOf(planOf({}, rows))
    expect(planOf(dearer(40n * gwei), [...rows, ...next]).decisions).toMatchObject([{ do: 'bump' }])
  })

  test.each<[string, Partial<Given>, readonly PresignedNoOp[]]>([
    ['none is stored', {}, []],
    [
      'the cap allows none',
      { policies: { presignCancel: 1, cancelGasPriceCap: feeCap(rows[0]?.fees ?? old.fees) } },
      rows,
    ],
  ])('it does not wait where %s', (_, given, presigned) => {
    const plan = planOf(given, presigned)
    expect(plan).toMatchObject({ decisions: [{ do: 'bump' }] })
    expect(plan.presignFirst).toBeUndefined()
  })

  test('it does not wait while no-ops in advance get no signature', () => {
    const { work, ...rest } = situation(one)
    const plan = decide({ ...rest, work: { ...work, presigned: rows, signing: working } })
    expect(plan).toMatchObject({ decisions: [{ do: 'bump' }] })
  })
})

describe('before the payload of a PUT', () => {
  const replaced = (pricing: Payload['pricing']) =>
    inFlight(0, [attempt], { payload: { ...somePayload, pricing }, earlier: [somePayload] })
  const working: Signing = { underWay: new Set(), late: new Set(), failures: new Map(), presigns: true }
  const policies = { presignCancel: 1 }
  const { rows } = converge({ open: [one], policies })
  const planOf = (transaction: InPhase<'inFlight'>, presigned: readonly PresignedNoOp[], signing = working) => {
    const { work, ...rest } = situation({ open: [transaction], policies, presigned })
    return decide({ ...rest, work: { ...work, signing } })
  }
  const dear = replaced(eip1559(90n * gwei, 9n * gwei))
  const storedOf = (plan: Plan) => plan.presignFirst?.map(({ fees }) => stored(0, fees)) ?? []

  test('that makes the stored one worthless, another is signed: the PUT waits until it is stored, and the older payload stays', () => {
    const waiting = planOf(dear, rows)
    expect(waiting.decisions).toEqual([])
    expect(waiting.presignFirst).toMatchObject([{ transaction: { id: dear.id }, outdated: [], isUrgent: true }])
    const covered = planOf(dear, [...rows, ...storedOf(waiting)])
    expect(covered.presignFirst).toBeUndefined()
    const [replacement] = covered.decisions
    if (replacement?.do !== 'replace') throw new Error('not a replacement')
    const floor = replacementFloor([attempt, replacement], someMarket, strictestRule)
    expect(storedOf(waiting).filter(({ fees }) => covers(fees, floor))).toHaveLength(1)
  })

  test('also beside one that a bump waited for', () => {
    const ofBump = stored(0, eip1559(60n * gwei, 6n * gwei))
    const waiting = planOf(dear, [...rows, ofBump])
    expect(waiting.decisions).toEqual([])
    expect(planOf(dear, [...rows, ofBump, ...storedOf(waiting)]).decisions).toMatchObject([{ do: 'replace' }])
  })

  test('it does not wait where a stored one suffices, none is stored, or none gets a signature', () => {
    const { presigns: _, ...failing } = working
    const [near] = rows
    if (!near) throw new Error('none')
    const enough = stored(0, eip1559(200n * gwei, 20n * gwei))
    for (const plan of [planOf(dear, [near, enough]), planOf(dear, []), planOf(dear, rows, failing)]) {
      expect(plan.decisions).toMatchObject([{ do: 'replace' }])
      expect(plan.presignFirst).toBeUndefined()
    }
  })
})

describe('in a race', () => {
  const { rows } = converge({ open: [one] })
  const [near, far] = rows
  const race = inFlight(0, [attempt], canceled)

  test('the cheapest that every pool takes and that can be mined', () => {
    expect(presignedFor(race, situation({ open: [race], presigned: rows }))).toBe(near)
    const risen = { market: marketAt(30n * gwei) }
    expect(presignedFor(race, situation({ open: [race], presigned: rows, observed: risen }))).toBe(far)
  })

  test('after one was used, only one that replaces it', () => {
    if (!near) throw new Error('none')
    const used = someNoOp(0, { hash: near.hash, fees: near.fees })
    const again = inFlight(0, [attempt, used], canceled)
    expect(presignedFor(again, situation({ open: [again], presigned: rows }))).toBe(far)
    expect(presignedFor(again, situation({ open: [again], presigned: [near] }))).toBeUndefined()
  })

  test('else the dearest within the cap, for the first no-op', () => {
    const risen = { market: marketAt(90n * gwei) }
    expect(presignedFor(race, situation({ open: [race], presigned: rows, observed: risen }))).toBe(far)
    const policies = { cancelGasPriceCap: feeCap(near?.fees ?? attempt.fees) }
    expect(presignedFor(race, situation({ open: [race], presigned: rows, observed: risen, policies }))).toBe(near)
    const none = { cancelGasPriceCap: feeCap(near?.fees ?? attempt.fees) - 1n }
    expect(presignedFor(race, situation({ open: [race], presigned: rows, policies: none }))).toBeUndefined()
  })

  test('none of another nonce, of another type, with too little gas, or beyond the balance', () => {
    const other = stored(1, eip1559(90n * gwei, 9n * gwei))
    const legacy = stored(0, { kind: 'legacy', gasPrice: 90n * gwei })
    expect(presignedFor(race, situation({ open: [race], presigned: [other, legacy] }))).toBeUndefined()
    const tight = { market: { ...someMarket, noOpGas: 30_000 } }
    expect(presignedFor(race, situation({ open: [race], presigned: rows, observed: tight }))).toBeUndefined()
    expect(presignedFor(race, situation({ open: [race], presigned: rows, observed: { balance: 1n } }))).toBeUndefined()
    expect(tipOf(legacy.fees)).toBe(90n * gwei)
  })
})
