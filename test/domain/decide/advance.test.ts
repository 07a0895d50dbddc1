// The ladder of all contenders for a nonce, where each kind used to walk one of its own.
import { describe, expect, test } from 'vitest'
import type { RejectionCode } from '../../../src/domain/attempt.ts'
import { decide } from '../../../src/domain/decide/decide.ts'
import type { Work } from '../../../src/domain/decide/plan/work.ts'
import type { Observation } from '../../../src/domain/observation.ts'
import type { NetworkPolicy } from '../../../src/domain/relayer.ts'
import {
  answered,
  broadcastStates,
  canceled,
  eip1559,
  gwei,
  headAt,
  height,
  inFlight,
  now,
  someAttempt,
  someNoOp,
  someObservation,
  somePolicies,
  somePolicy,
  someRelayer,
  someWork,
} from '../some.ts'

function planOf(work: Partial<Work>, observation: Observation, policy: NetworkPolicy = somePolicy) {
  return decide({ work: someWork(work), observation, policy, now })
}
const refused = (code: RejectionCode) =>
  ({ ...answered({ kind: 'rejected', code, message: code }, now - 1), rejections: 'all' }) as const
const late = someObservation({ head: headAt(height + 9) })
const { balance: _, ...withoutBalance } = late
const atCap = someRelayer({ policies: { ...somePolicies, cancelGasPriceCap: 41n * gwei } })

test('a race at its cap reads no balance: none would help', () => {
  const race = inFlight(0, [someAttempt(0), someNoOp(0)], canceled)
  const capped = planOf({ relayer: atCap, open: [race] }, withoutBalance)
  expect(capped.lacks).toEqual(new Set())
  expect(capped.conditions).toEqual(['cancel_gas_price_cap'])
  expect(planOf({ open: [race] }, withoutBalance).lacks).toEqual(new Set(['balance']))
})

test('a race at its cap shows the cap, whatever a node says: an operator can raise it', () => {
  const { rejections: __, ...doubtful } = refused('poolFull')
  const race = inFlight(0, [someAttempt(0), someNoOp(0, { broadcast: doubtful })], canceled)
  expect(planOf({ relayer: atCap, open: [race] }, late).conditions).toEqual(['cancel_gas_price_cap'])
})

test('a canceled transaction, too, shows the foreign one that waits for the nonce before it', () => {
  const race = inFlight(1, [someAttempt(1), someNoOp(1)], canceled)
  expect(planOf({ open: [race] }, someObservation({ pendingNonce: 1 })).conditions).toEqual(['nonce_blocked'])
})

test('a payload that a sequencer refused for its price is priced anew, as its no-op would be', () => {
  const policy: NetworkPolicy = { ...somePolicy, profile: { ...somePolicy.profile, pool: 'fcfs' } }
  const low = { fees: eip1559(11n * gwei, gwei), broadcast: refused('feeTooLow') }
  const verbs = (...attempts: Parameters<typeof inFlight>) =>
    planOf({ open: [inFlight(...attempts)] }, someObservation({ head: headAt(height + 1) }), policy).decisions.map(
      ({ do: verb }) => verb,
    )
  expect(verbs(0, [someAttempt(0, low)])).toEqual(['bump'])
  const unknown = someAttempt(0, { broadcast: broadcastStates.unknown })
  expect(verbs(0, [unknown, someNoOp(0, low)], canceled)).toEqual(['signNoOp'])
})

test('a gap filler that a node calls invalid is not priced anew, however long it waits', () => {
  const open = [inFlight(0, [someAttempt(0, { broadcast: refused('invalid') })], { origin: 'gap' })]
  const { decisions } = planOf({ open }, late)
  expect(decisions.map(({ do: verb }) => verb)).not.toContain('bump')
  expect(decisions).toContainEqual(expect.objectContaining({ do: 'explain', condition: 'node_refuses' }))
})

describe('a sequencer accepts by hash, and leaves out in silence what the account cannot pay for', () => {
  const fcfs: NetworkPolicy = { ...somePolicy, profile: { ...somePolicy.profile, pool: 'fcfs' } }
  const accepted = { broadcast: answered({ kind: 'accepted' }, now - 3_600_000) }
  const noOp = someNoOp(0, accepted)
  const race = inFlight(0, [someAttempt(0, accepted), noOp], canceled)
  const cost = 21_000n * 40n * gwei

  test('the balance is read before the same bytes go out again, and not before', () => {
    expect(planOf({ open: [race] }, withoutBalance, fcfs)).toMatchObject({
      ...{ lacks: new Set(['balance']), decisions: [expect.anything(), { do: 'rebroadcast', attempt: noOp }] },
    })
    const soon = someNoOp(0, { broadcast: answered({ kind: 'accepted' }, now - 1) })
    expect(planOf({ open: [inFlight(0, [soon], canceled)] }, withoutBalance, fcfs).lacks).toEqual(new Set())
  })

  test('a no-op above the balance is signed anew at a price within it, and waits for funds where none is enough', () => {
    const priced = planOf({ open: [race] }, { ...late, balance: cost - 1n }, fcfs)
    expect(priced.decisions).toMatchObject([{ do: 'signNoOp' }])
    expect(priced.decisions[0]).toHaveProperty('fees')
    const short = planOf({ open: [race] }, { ...late, balance: 1n }, fcfs)
    expect(short.conditions).toEqual(['cancel_unfunded'])
    expect(short.decisions).toContainEqual({ do: 'rebroadcast', transaction: race, attempt: noOp })
    expect(planOf({ open: [race] }, { ...late, balance: cost }, fcfs).conditions).toEqual(['outcome_unknown'])
  })

  test('an earlier no-op that the balance covers goes out again in its place', () => {
    const cheaper = someNoOp(0, { ...accepted, fees: eip1559(20n * gwei, 4n * gwei) })
    const open = [inFlight(0, [someAttempt(0, accepted), cheaper, noOp], canceled)]
    const { decisions } = planOf({ open }, { ...late, balance: cost / 2n }, fcfs)
    expect(decisions).toContainEqual(expect.objectContaining({ do: 'rebroadcast', attempt: cheaper }))
    expect(decisions.map(({ do: verb }) => verb)).not.toContain('signNoOp')
  })

  test('where gas is free, another no-op offers nothing', () => {
    const free = { baseFee: 0n, gasPrice: 0n, tips: { safeLow: 0n, average: 0n, fast: 0n, fastest: 0n } }
    const head = headAt(height + 9, { baseFee: 0n })
    const { decisions } = planOf({ open: [race] }, { ...late, head, market: free, balance: 0n }, fcfs)
    expect(decisions).toMatchObject([{ do: 'signNoOp', fees: { maxFeePerGas: 0n } }])
  })

  test('a payload whose value the account does not hold any more waits for funds, and is repeated', () => {
    const payload = inFlight(0, [someAttempt(0, accepted)])
    const { conditions, decisions } = planOf({ open: [payload] }, { ...late, balance: 0n }, fcfs)
    expect(conditions).toEqual(['balance_short'])
    expect(decisions.map(({ do: verb }) => verb)).toContain('rebroadcast')
  })
})
