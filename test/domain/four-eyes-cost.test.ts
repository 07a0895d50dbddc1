// What a key alone can spend under four eyes with `hold_above_value`: a small value, and 100,000 gas at the cap or the ceiling.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Attempt } from '../../src/domain/attempt.ts'
import { holdOfReplacement } from '../../src/domain/begin-hold.ts'
import { apply } from '../../src/domain/decide/apply.ts'
import { decide } from '../../src/domain/decide/decide.ts'
import { isChange } from '../../src/domain/decide/plan/decision.ts'
import { isSigning } from '../../src/domain/decide/plan/traits.ts'
import { RescindError } from '../../src/domain/errors.ts'
import { effectivePrice, type Fees, feeCap, type Market, type Speed, speeds } from '../../src/domain/fees.ts'
import { gasMaxOf } from '../../src/domain/four-eyes.ts'
import type { ApiKeyId } from '../../src/domain/ids.ts'
import { payloadDigest } from '../../src/domain/payload-digest.ts'
import type { Policies } from '../../src/domain/policy-table.ts'
import { priceCeiling } from '../../src/domain/price-ceiling.ts'
import { ethereumProfile } from '../../src/domain/profile.ts'
import { release, withKeptHold } from '../../src/domain/release.ts'
import { replace } from '../../src/domain/replace.ts'
import { checkSend, type SendRequest, submit } from '../../src/domain/submit.ts'
import { isInPhase, revisionOf, type Transaction } from '../../src/domain/transaction.ts'
import {
  broadcastStates,
  eip1559,
  ether,
  gwei,
  hashOf,
  headAt,
  height,
  idOf,
  now,
  receiver,
  someAttempt,
  someMarket,
  someObservation,
  somePolicies,
  somePolicy,
  someRelayer,
  someWork,
} from './some.ts'

const most = 1_000n
const gasMost = 100_000n
const keys = ['one', 'two'] as ApiKeyId[]
const request: SendRequest = { to: receiver, value: most, data: '0x', pricing: { kind: 'speed', speed: 'fast' } }
const policiesWith = (cap?: bigint): Policies => ({
  ...somePolicies,
  ...{ fourEyes: true, holdAboveValue: most, ...(cap !== undefined && { gasPriceCap: cap }) },
})

interface Setting {
  readonly policies: Policies
  readonly market: Market
  readonly by: ApiKeyId
}

function send(wanted: SendRequest, { policies, market, by }: Setting): Transaction {
  const relayer = someRelayer({ policies })
  checkSend(relayer, wanted, now, { ...ethereumProfile, market })
  return submit(relayer, wanted, { id: idOf(1), sequence: 1, now, createdBy: by })
}

function put(found: Transaction, changed: SendRequest, { policies, market, by }: Setting): Transaction {
  const wanted = withKeptHold(changed, found)
  checkSend(someRelayer({ policies }), wanted, now, { ...ethereumProfile, market })
  return replace(found, wanted, 'public', holdOfReplacement(policies, wanted, found, { now, by }))
}

interface Signed {
  readonly cost: bigint
  readonly bound: bigint
  readonly isReplacement: boolean
}

/** One step of the engine. Adds what it signs without a second key, at the price that a block of this market takes. */
function step(
  stored: Transaction,
  { policies, market }: Setting,
  { gas, block, isTaken }: { readonly gas: number; readonly block: number; readonly isTaken: boolean },
  signed: Signed[],
): Transaction {
  const work = someWork({
    relayer: someRelayer({ policies }),
    open: isInPhase(stored, 'inFlight') ? [stored] : [],
    queued: isInPhase(stored, 'queued') ? [stored] : [],
    held: isInPhase(stored, 'held') ? [stored] : [],
  })
  const observation = someObservation({
    ...{ head: headAt(height + block), market, balance: 1_000_000_000n * ether },
    estimates: new Map([[stored.id, { kind: 'gas' as const, gas }]]),
  })
  let next = stored
  for (const decision of decide({ work, observation, policy: somePolicy, now: now + block * 12_000 }).decisions) {
    if (!isChange(decision)) continue
    let attempt: Attempt | undefined
    if (isSigning(decision)) {
      const { fees, gasLimit } = decision
      const revision = revisionOf(next)
      attempt = someAttempt(0, {
        ...{ transactionId: next.id, fees, gasLimit, recordedAtBlock: height + block },
        ...(revision > 0 && { kind: 'replace' as const, revision }),
        broadcast: isTaken ? broadcastStates.accepted : broadcastStates.underpriced,
      })
      if (!next.fourEyes) {
        const ceiling = policies.gasPriceCap ?? priceCeiling(market, 'fastest', 'payload', ethereumProfile)
        const price = policies.gasPriceCap === undefined ? effectivePrice(fees, market.baseFee) : feeCap(fees)
        const cost = next.payload.value + BigInt(gasLimit) * price
        signed.push({ cost, bound: most + gasMost * ceiling, isReplacement: revision > 0 })
      }
    }
    next = apply(decision, next, attempt, now)
  }
  return next
}

const anyPrice = fc.constantFrom<Fees>(
  ...[eip1559(30n * gwei, 2n * gwei), eip1559(990n * gwei, 990n * gwei), eip1559(5n * gwei, 1n)],
  ...([
    { kind: 'legacy', gasPrice: 190_000_000n * gwei },
    { kind: 'legacy', gasPrice: 20n * gwei },
  ] as const),
)
const anySpeed = fc.constantFrom<Speed>(...speeds).map((speed) => ({ kind: 'speed', speed }) as const)
const anyRequest: fc.Arbitrary<SendRequest> = fc
  .record(
    {
      value: fc.constantFrom(0n, most, most, most, most + 1n),
      data: fc.constantFrom('0x' as const, '0x' as const, '0x' as const, '0xa9059cbb' as const),
      gasLimit: fc.constantFrom(21_000, 100_000, 100_000, 100_000, 100_001, 30_000_000),
      accessList: fc.constantFrom([], [{ address: receiver, storageKeys: [hashOf(1)] }]),
      pricing: fc.oneof({ weight: 3, arbitrary: anySpeed }, { weight: 2, arbitrary: anyPrice }),
    },
    { requiredKeys: [] },
  )
  .map((changes) => ({ ...request, ...changes }))
const anyMarket = fc.record({ baseFee: fc.bigInt(1n, 60n), tip: fc.bigInt(0n, 5n) }).map(({ baseFee, tip }): Market => {
  const [base, paid] = [baseFee * gwei, tip * gwei]
  const tips = { safeLow: paid, average: paid, fast: 2n * paid, fastest: 3n * paid }
  return { ...someMarket, baseFee: base, tips, gasPrice: base + paid }
})
const anyEvent = fc.record({
  do: fc.constantFrom('put', 'step', 'step', 'step'),
  by: fc.constantFrom(...keys),
  request: anyRequest,
  market: anyMarket,
  gas: fc.constantFrom(21_000, 60_000, 100_000, 100_001, 20_000_000),
  blocks: fc.integer({ min: 1, max: 20 }),
  isTaken: fc.boolean(),
})

/** One small payload after the other outbids the last, in a market that stays. */
const chase = fc.record({ market: anyMarket, by: fc.constantFrom(...keys) }).map(({ market, by }) =>
  Array.from({ length: 120 }, (_, index) => ({
    ...{ do: index % 2 === 0 ? 'step' : 'put', by, market, gas: 21_000, blocks: 1, isTaken: true },
    request: { ...request, gasLimit: 21_000 },
  })),
)

test('whatever is sent and replaced, without a second key a transaction costs a small value and 100,000 gas at cap or ceiling', () => {
  const reached = { signed: 0, replacements: 0, held: 0 }
  fc.assert(
    fc.property(
      fc.constantFrom(undefined, 50n * gwei, 1_000n * gwei),
      anyRequest,
      fc.oneof(
        { weight: 20, arbitrary: fc.array(anyEvent, { minLength: 5, maxLength: 25 }) },
        { weight: 1, arbitrary: chase },
      ),
      (cap, begun, events) => {
        const policies = policiesWith(cap)
        const signed: Signed[] = []
        let block = 0
        let stored: Transaction | undefined
        for (const { do: what, by, request: wanted, market, gas, blocks, isTaken } of events) {
          const setting = { policies, market, by }
          block += blocks
          try {
            if (!stored) stored = send(begun, setting)
            else if (what === 'put') stored = put(stored, wanted, setting)
            else {
              const next = step(stored, setting, { gas, block, isTaken }, signed)
              if (isInPhase(stored, 'queued') && isInPhase(next, 'held')) reached.held += 1
              stored = next
            }
          } catch (error) {
            if (!(error instanceof RescindError)) throw error
          }
        }
        for (const { cost, bound } of signed) expect(cost).toBeLessThanOrEqual(bound)
        reached.signed += signed.length
        reached.replacements += signed.filter((each) => each.isReplacement).length
      },
    ),
    { numRuns: 3_000 },
  )
  for (const [what, count] of Object.entries(reached)) expect(count, what).toBeGreaterThan(15)
})

const small = { ...policiesWith(), maxInFlight: 4 }
const at = (policies: Policies): Setting => ({ policies, market: someMarket, by: 'one' as ApiKeyId })
const ownPrice = { pricing: eip1559(30n * gwei, 1n * gwei) }

test.each<[string, Partial<SendRequest>, Policies, boolean]>([
  ['the value, and a speed', {}, small, false],
  ['100,000 gas', { gasLimit: 100_000 }, small, false],
  ['more gas', { gasLimit: 100_001 }, small, true],
  ['an empty access list', { accessList: [] }, small, false],
  ['an access list', { accessList: [{ address: receiver, storageKeys: [] }] }, small, true],
  ['a price of its own', ownPrice, small, true],
  ['a price of its own, under a cap', ownPrice, policiesWith(40n * gwei), false],
])('%s: a second key is needed or not', (_, changes, policies, isHeld) => {
  expect(send({ ...request, ...changes }, at(policies)).fourEyes !== undefined).toBe(isHeld)
})

test('an estimate above 100,000 gas puts it on hold for a second key, which approves it; the queue goes on', () => {
  const setting = at(small)
  const stored = send(request, setting)
  const chain = { gas: 100_001, block: 1, isTaken: true }
  const held = step(stored, setting, chain, [])
  expect(held).toMatchObject({
    ...{ lifecycle: { phase: 'held', hold: { rule: 'four_eyes', by: 'one' } }, fourEyes: { setBy: ['one'] } },
    wait: { condition: 'on_hold', facts: { rule: 'four_eyes' } },
  })
  expect(step(stored, setting, { ...chain, gas: 100_000 }, []).lifecycle.phase).toBe('inFlight')
  const relayer = someRelayer({ policies: small })
  const released = release(held, relayer, { by: 'two' as ApiKeyId, digest: payloadDigest(held) }, now)
  expect(step(released, setting, chain, []).lifecycle).toMatchObject({
    phase: 'inFlight',
    attempts: [{ gasLimit: 100_001 }],
  })
})

test('in flight, where a fork raised the least gas, no estimate leads above 100,000 gas', () => {
  const setting = at(small)
  const flying = step(send(request, setting), setting, { gas: 20_000, block: 1, isTaken: true }, [])
  const raised = step(flying, setting, { gas: 20_000_000, block: 2, isTaken: true }, [])
  expect(raised.lifecycle).toMatchObject({ attempts: [{ gasLimit: 20_000 }, { gasLimit: 100_000 }] })
})

test('what was queued before the policy goes on, unless its estimate alone is too high', () => {
  const relayer = someRelayer({ policies: small })
  const data = send({ ...request, data: '0xa9059cbb' }, at(somePolicies))
  const large = send({ ...request, value: most + 1n }, at(somePolicies))
  for (const each of [data, large]) expect(gasMaxOf(relayer, each)).toBe(Number.POSITIVE_INFINITY)
  expect(gasMaxOf(relayer, send(request, at(somePolicies)))).toBe(100_000)
})

test('a PUT needs a second key where its estimate or its price is not bounded any more, or where another key sets it', () => {
  const setting = at(small)
  const waiting = send(request, setting)
  const other = { ...setting, by: 'two' as ApiKeyId }
  expect(put(waiting, request, setting).lifecycle.phase).toBe('queued')
  expect(put(waiting, { ...request, gasLimit: 21_000 }, other).lifecycle.phase).toBe('queued')
  // A hold for its estimate would take the sender for the only key that set it.
  expect(put(waiting, request, other)).toMatchObject({
    ...{ lifecycle: { phase: 'held' }, fourEyes: { setBy: ['one', 'two'] } },
  })
  const capped = at(policiesWith(40n * gwei))
  const [flying, cappedOne] = [setting, capped].map((each) =>
    step(waiting, each, { gas: 21_000, block: 1, isTaken: true }, []),
  ) as [Transaction, Transaction]
  const tooLate = expect.objectContaining({ code: 'TOO_LATE_TO_HOLD' })
  expect(() => put(flying, { ...request, gasLimit: 21_000 }, setting)).toThrow(tooLate)
  expect(() => put(cappedOne, request, capped)).toThrow(tooLate)
  expect(put(cappedOne, { ...request, gasLimit: 21_000 }, capped).lifecycle.phase).toBe('inFlight')
})
