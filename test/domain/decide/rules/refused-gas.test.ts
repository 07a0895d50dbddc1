// A gas limit of the service's own choice that every endpoint refuses: it is signed once more with the bare estimate, and no margin reaches
// it for a while. A limit that a client named is never lowered.
import { describe, expect, test } from 'vitest'
import type { Attempt } from '../../../../src/domain/attempt.ts'
import { decide } from '../../../../src/domain/decide/decide.ts'
import { inquire } from '../../../../src/domain/decide/facts/inquire.ts'
import { lacking, lacksNothing } from '../../../../src/domain/decide/plan/lacks.ts'
import { leastRefusedGas } from '../../../../src/domain/decide/rules/refused-gas.ts'
import { noOpGasLimit } from '../../../../src/domain/no-op.ts'
import { type Estimate, estimatedGas, type Observation } from '../../../../src/domain/observation.ts'
import { ethereumProfile } from '../../../../src/domain/profile.ts'
import type { Payload, Transaction } from '../../../../src/domain/transaction.ts'
import {
  answered,
  calledInvalid,
  canceled,
  ether,
  inFlight,
  now,
  someAttempt,
  someHead,
  someMarket,
  someNoOp,
  somePayload,
  somePolicy,
  someSituation,
  someWork,
} from '../../some.ts'

const [wide, bare] = [17_520_000, 14_600_000]
const { gasLimit: _, ...chosen } = somePayload
const estimate: Estimate = { kind: 'gas', gas: wide, bare }
const refused = (changes: Partial<Attempt> = {}) =>
  someAttempt(0, {
    ...{ gasLimit: wide, recordedAtBlock: someHead.number - 3, broadcast: calledInvalid(now - 30_000), ...changes },
  })
const invalidNoOp = (gasLimit: number) =>
  someNoOp(0, { gasLimit, recordedAtBlock: someHead.number - 3, broadcast: calledInvalid(now - 30_000) })
const byAll = ({ hash }: Attempt) => ({ refusedByAll: new Map([[hash, 'exceeds the cap of this chain']]) })
const taken = answered({ kind: 'accepted' })

function next(
  attempts: readonly [Attempt, ...Attempt[]],
  observed: Partial<Observation>,
  changes: Partial<Transaction> & { payload: Payload } = { payload: chosen },
) {
  const open = inFlight(0, attempts, changes)
  const estimates = new Map([[open.id, estimate]])
  const policy = { ...somePolicy, profile: { ...ethereumProfile, noOpGas: 'estimated' as const } }
  return decide(someSituation({ open: [open] }, { nonce: 0, balance: 100n * ether, estimates, ...observed }, policy))
}

describe('a payload whose limit every endpoint refused', () => {
  test('is signed once more with the bare estimate', () => {
    const latest = refused()
    expect(next([latest], byAll(latest)).decisions).toMatchObject([{ do: 'bump', gasLimit: bare }])
  })

  test('also at the fees that its client named', () => {
    const pricing = { kind: 'eip1559', maxFeePerGas: 3n * 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n } as const
    const latest = refused({ fees: pricing })
    const plan = next([latest], byAll(latest), { payload: { ...chosen, pricing } })
    expect(plan.decisions).toMatchObject([{ do: 'bump', gasLimit: bare, fees: pricing }])
  })

  test('is given up where that was refused, too, where it has no margin, and where its client named the limit', () => {
    const given = [{ do: 'giveUp', refused: { as: 'invalid' } }]
    const lowered = refused({ gasLimit: bare })
    expect(next([refused(), lowered], byAll(lowered)).decisions).toMatchObject(given)
    expect(next([lowered], byAll(lowered)).decisions).toMatchObject(given)
    const latest = refused()
    expect(next([latest], byAll(latest), { payload: { ...chosen, gasLimit: wide } }).decisions).toMatchObject(given)
    const reverts = new Map([[inFlight(0).id, { kind: 'reverts', reason: 'no' } as const]])
    expect(next([latest], { ...byAll(latest), estimates: reverts }).decisions).toMatchObject(given)
  })

  test('keeps a bid below what a fork demands out: that limit needs more gas, and not less', () => {
    const latest = refused({ gasLimit: 26_000 })
    const low = new Map([[inFlight(0).id, { kind: 'gas', gas: 14_400, bare: 12_000 } as const]])
    expect(next([latest], { ...byAll(latest), estimates: low }).decisions).toMatchObject([{ do: 'giveUp' }])
  })

  test('waits for an estimate, which is read only then', () => {
    const latest = refused()
    const plan = next([latest], { ...byAll(latest), estimates: new Map() })
    expect(plan.decisions).not.toContainEqual(expect.objectContaining({ do: 'giveUp' }))
    expect(plan.lacks).toEqual(lacking('bareGas'))
    const work = someWork({ open: [inFlight(0, [latest], { payload: chosen })] })
    expect(inquire(work, lacksNothing).estimates).toEqual([])
    expect(inquire(work, lacking('bareGas')).estimates).toHaveLength(1)
  })

  test('is not lowered by one endpoint’s word', () => {
    expect(next([refused()], {}).decisions).not.toContainEqual(expect.objectContaining({ do: 'bump' }))
  })
})

describe('a no-op whose limit every endpoint refused', () => {
  const market = { ...someMarket, noOpGas: 12_000_000 }

  test('is signed once more with the bare estimate, and the next one keeps it', () => {
    const latest = invalidNoOp(18_000_000)
    const signed = { do: 'signNoOp', gasLimit: 12_000_000 }
    const attempts = [someAttempt(0), latest] as const
    expect(next(attempts, { market, ...byAll(latest) }, { payload: chosen, ...canceled }).decisions).toMatchObject([
      signed,
    ])
    expect(next(attempts, { market }, { payload: chosen, ...canceled }).decisions).not.toContainEqual(
      expect.objectContaining(signed),
    )
    const lowered = someNoOp(0, { gasLimit: 12_000_000, recordedAtBlock: 0, broadcast: taken })
    const later = next([...attempts, lowered], { market }, { payload: chosen, ...canceled })
    expect(later.decisions).toMatchObject([signed])
  })

  test('is looked for in the pools alone, without its payload', () => {
    const [payload, noOp] = [someAttempt(0), invalidNoOp(18_000_000)]
    const requested = (latest: Attempt) =>
      inquire(someWork({ open: [inFlight(0, [payload, latest], canceled)] }), lacksNothing).refused
    expect(requested(noOp)).toEqual([{ newest: noOp.hash, live: [noOp.hash] }])
    expect(requested({ ...noOp, broadcast: taken })).toBeUndefined()
    expect(requested(invalidNoOp(21_000)), 'a constant has no margin').toBeUndefined()
  })
})

describe('for an hour after all refused a limit, and took less', () => {
  test('no margin reaches it', () => {
    const { id } = inFlight(0)
    const gasBelow = (refusedGas: number | undefined, found: Estimate = estimate) =>
      estimatedGas(
        { id },
        { estimates: new Map([[id, found]]), market: { ...someMarket, ...(refusedGas && { refusedGas }) } },
      )
    expect([gasBelow(undefined), gasBelow(wide + 1), gasBelow(wide), gasBelow(bare)]).toEqual([wide, wide, bare, bare])
    expect(gasBelow(100, { kind: 'gas', gas: 21_000 }), 'without a margin').toBe(21_000)
    const noOps = { ...ethereumProfile, noOpGas: 'estimated' } as const
    expect(noOpGasLimit({ noOpGas: 12_000_000, refusedGas: 18_000_000 }, noOps)).toBe(12_000_000)
    expect(noOpGasLimit({ noOpGas: 12_000_000, refusedGas: 18_000_001 }, noOps)).toBe(18_000_000)
  })

  test('the least such limit is what rows show, of payloads and of no-ops', () => {
    const lowered = someAttempt(0, { gasLimit: bare, broadcast: taken })
    const payload = inFlight(0, [refused(), lowered], { payload: chosen })
    expect(leastRefusedGas([payload])).toBe(wide)
    const noOps = [invalidNoOp(9_000_000), someNoOp(0, { gasLimit: 6_000_000, broadcast: taken })] as const
    expect(leastRefusedGas([payload, inFlight(0, [someAttempt(0), ...noOps], canceled)])).toBe(9_000_000)
  })

  test.each([
    ['nothing was lowered', [refused()], chosen],
    ['no endpoint took less', [refused(), refused({ gasLimit: bare })], chosen],
    ['all took as much', [refused(), someAttempt(0, { gasLimit: wide, broadcast: taken })], chosen],
    [
      'the payload was replaced',
      [refused(), someAttempt(0, { gasLimit: bare, broadcast: taken, revision: 1 })],
      chosen,
    ],
    [
      'its client named it',
      [refused(), someAttempt(0, { gasLimit: bare, broadcast: taken })],
      { ...chosen, gasLimit: wide },
    ],
  ] as const)('none where %s', (_name, [first, ...others], payload) => {
    expect(leastRefusedGas([inFlight(0, [first, ...others], { payload })])).toBeUndefined()
  })
})
