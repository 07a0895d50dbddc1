// No-ops on chains that do not state their gas: estimated, with a margin, and never 21,000 for want of an estimate.

import { describe, expect, test } from 'vitest'
import type { Attempt } from '../../../src/domain/attempt.ts'
import { inquire } from '../../../src/domain/decide/facts/inquire.ts'
import { lacksNothing } from '../../../src/domain/decide/plan/lacks.ts'
import { reserveOf } from '../../../src/domain/decide/terms/funds.ts'
import type { Market } from '../../../src/domain/fees.ts'
import type { NonEmpty } from '../../../src/domain/ids.ts'
import { previewCancellation } from '../../../src/domain/preview/preview-cancellation.ts'
import type { NetworkPolicy } from '../../../src/domain/relayer.ts'
import type { InPhase } from '../../../src/domain/transaction.ts'
import { decideInWords as decide } from '../in-words.ts'
import {
  answered,
  broadcastStates,
  calledInvalid,
  canceled,
  gwei,
  headAt,
  height,
  inFlight,
  now,
  someAttempt,
  someMarket,
  someNoOp,
  someObservation,
  somePolicy,
  someRelayer,
  someWork,
} from '../some.ts'

const profiled = (changes: Partial<NetworkPolicy['profile']>): NetworkPolicy => ({
  ...somePolicy,
  profile: { ...somePolicy.profile, ...changes },
})
const estimated = profiled({ noOpGas: 'estimated', floorGas: false })
const marketWith = (noOpGas?: number): Market => ({ ...someMarket, ...(noOpGas !== undefined && { noOpGas }) })
const decisionsOn = (open: InPhase<'inFlight'>, market: Market, policy = estimated, nonce = 0) =>
  decide({
    work: someWork({ open: [open] }),
    observation: someObservation({ market, nonce, pendingNonce: nonce, head: headAt(height + 1) }),
    policy,
    now: now + 60_000,
  }).decisions
const race = (...attempts: NonEmpty<Attempt>) => inFlight(0, attempts, canceled)

test('half more than the estimate; without an estimate nothing is signed, and the wait says why', () => {
  expect(decisionsOn(race(someAttempt(0)), marketWith(100_001))).toMatchObject([{ do: 'signNoOp', gasLimit: 150_002 }])
  expect(decisionsOn(race(someAttempt(0)), marketWith())).toMatchObject([
    { do: 'explain', condition: 'gas_unknown', reason: expect.stringMatching(/^canceled; no node estimates/) },
  ])
})

test('21,000 where the profile says so, unless a node has called that too little', () => {
  for (const gas of [undefined, 12_000, 21_000]) {
    expect(decisionsOn(race(someAttempt(0)), marketWith(gas), somePolicy)).toMatchObject([{ gasLimit: 21_000 }])
  }
  expect(decisionsOn(race(someAttempt(0)), marketWith(60_000), somePolicy)).toMatchObject([{ gasLimit: 90_000 }])
})

test('no margin where the whole limit is paid for, and the floor of Ethereum only where it holds', () => {
  const limits = (changes: Partial<NetworkPolicy['profile']>, gas: number) =>
    decisionsOn(race(someAttempt(0)), marketWith(gas), profiled({ noOpGas: 'estimated', ...changes }))[0]
  expect(limits({ charges: 'gas_limit' }, 100_001)).toMatchObject({ gasLimit: 100_001 })
  expect(limits({ floorGas: true }, 10_000)).toMatchObject({ gasLimit: 21_000 })
  expect(limits({ floorGas: false }, 10_000)).toMatchObject({ gasLimit: 15_000 })
})

describe('a no-op that nodes call invalid', () => {
  const refused = (gasLimit: number) =>
    someNoOp(0, { gasLimit, broadcast: calledInvalid(now + 59_900, now), recordedAt: now })

  test('has its gas estimated anew, and another is signed where the estimate is above its limit', () => {
    const work = someWork({ open: [race(someAttempt(0), refused(30_000))] })
    expect(inquire(work, lacksNothing)).toMatchObject({ isNoOpTooTight: true })
    expect(inquire(someWork({ open: [race(someAttempt(0), someNoOp(0))] }), lacksNothing)).not.toHaveProperty(
      'isNoOpTooTight',
    )
    const verbs = (gas: number) =>
      decisionsOn(race(someAttempt(0), refused(30_000)), marketWith(gas)).map((each) => each.do)
    expect(verbs(30_001)).toEqual(['signNoOp'])
    expect(verbs(30_000)).toEqual(['explain'])
  })

  test('in words that no table has is estimated anew, too', () => {
    const outcome = { kind: 'unknown', code: 'unrecognized', message: 'no' } as const
    const broadcast = { state: 'handed', outcome, at: now } as const
    const open = race(someAttempt(0), someNoOp(0, { gasLimit: 30_000, broadcast, recordedAt: now }))
    expect(inquire(someWork({ open: [open] }), lacksNothing)).toMatchObject({ isNoOpTooTight: true })
    expect(decisionsOn(open, marketWith(30_001)).map((each) => each.do)).toEqual(['signNoOp'])
  })

  test('is not repeated at the same price with less gas', () => {
    const [first] = decisionsOn(race(someAttempt(0)), marketWith(20_000))
    if (first?.do !== 'signNoOp') throw new Error('no no-op')
    const tight = { ...refused(30_000), fees: first.fees }
    expect(decisionsOn(race(someAttempt(0), tight), marketWith(40_000))).toMatchObject([
      { do: 'signNoOp', gasLimit: 60_000 },
    ])
  })
})

describe('a gap filler', () => {
  const behind = () => inFlight(2, [someAttempt(2, { recordedAtBlock: 0 })])

  test('is estimated, too, and waits for an estimate', () => {
    expect(decisionsOn(behind(), marketWith(40_000), estimated, 1)).toContainEqual(
      expect.objectContaining({ do: 'fillGap', nonce: 1, gasLimit: 60_000 }),
    )
    expect(decisionsOn(behind(), marketWith(), estimated, 1)).toEqual(
      expect.arrayContaining([expect.objectContaining({ do: 'explain', condition: 'gas_unknown' })]),
    )
    expect(decisionsOn(behind(), marketWith(), estimated, 1)).not.toContainEqual(
      expect.objectContaining({ do: 'fillGap' }),
    )
  })

  test('that nodes call invalid is signed with more gas where the estimate is above its limit', () => {
    const broadcast = answered({ kind: 'rejected', code: 'invalid', message: 'intrinsic gas too low' }, now + 59_900)
    const gapFiller = inFlight(0, [someAttempt(0, { broadcast })], { origin: 'gap' })
    expect(decisionsOn(gapFiller, marketWith(40_000))).toMatchObject([{ do: 'bump', gasLimit: 60_000 }])
    expect(decisionsOn(gapFiller, marketWith(20_000))).toMatchObject([{ do: 'explain', condition: 'node_refuses' }])
  })
})

describe('cost', () => {
  const market = { ...marketWith(40_000), noOpL1Fee: 7n }
  const price = 24n * gwei
  const one = 60_000n * price + 7n

  test('the reserve holds two no-ops with their fee for L1', () => {
    expect(reserveOf(someRelayer(), market, estimated)).toBe(2n * one)
    expect(reserveOf(someRelayer(), someMarket, estimated)).toBe(2n * 210_000n * price)
    expect(reserveOf(someRelayer(), someMarket, somePolicy)).toBe(2n * 21_000n * price)
  })

  test('a preview expects the gas that is used, or the limit where that is charged', () => {
    const work = someWork({ open: [inFlight(0, [someAttempt(0, { fees: { ...someAttempt(0).fees } })])] })
    const observation = { ...someObservation(), market }
    const { cost } = previewCancellation(work, 0, observation, estimated, now)
    const limited = previewCancellation(
      work,
      0,
      observation,
      profiled({ ...estimated.profile, charges: 'gas_limit' }),
      now,
    )
    const paid = (cost.today - 7n) / 60_000n
    expect(cost.expected).toBeLessThan(40_000n * paid + 7n)
    expect((cost.expected - 7n) % 40_000n).toBe(0n)
    expect(limited.cost.today).toBe(40_000n * paid + 7n)
    expect(limited.cost.expected).toBe(cost.expected)
  })

  test('a no-op leaves enough for its fee for L1', () => {
    const open = race(someAttempt(0), someNoOp(0, { broadcast: broadcastStates.underpriced }))
    const bare = decisionsOn(open, marketWith(), somePolicy)
    const dear = decisionsOn(open, { ...someMarket, noOpL1Fee: 10n ** 19n }, somePolicy)
    expect(bare).toMatchObject([{ do: 'signNoOp' }])
    expect(dear[0]).toMatchObject({ do: 'explain', condition: 'cancel_unfunded' })
  })
})
