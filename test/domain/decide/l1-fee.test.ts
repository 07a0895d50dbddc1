// The fee for data on L1, beside gas: what a payload sets aside, in the queue, in flight and as a replacement.
import { expect, test } from 'vitest'
import { costOf, maxCostOf } from '../../../src/domain/decide/terms/funds.ts'
import type { Market } from '../../../src/domain/fees.ts'
import { l1FeeOf } from '../../../src/domain/l1-fee.ts'
import { replace } from '../../../src/domain/replace.ts'
import { isInPhase, type Payload, type Transaction } from '../../../src/domain/transaction.ts'
import { decideInWords as decide } from '../in-words.ts'
import {
  by,
  eip1559,
  ether,
  gwei,
  inFlight,
  mined,
  now,
  queued,
  receiver,
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

const market = { ...someMarket, noOpL1Fee: 1_000n * gwei, l1FeePerByte: 10n * gwei }
/** Of a thousand bytes. */
const data = `0x${'11'.repeat(1_000)}` as const
const onL1 = (1_000n + 24n * 10n + 1_000n * 10n) * gwei
const payload: Payload = { ...somePayload, data, gasLimit: 100_000 }
const relayer = someRelayer({ policies: { ...somePolicies, cancelReserve: ether } })

function decided(transaction: Transaction, balance: bigint, others: readonly Transaction[] = []) {
  const isQueued = isInPhase(transaction, 'queued')
  const open = isQueued ? others : [...others, transaction]
  const work = someWork({ relayer, open, queued: isQueued ? [transaction] : [] })
  const observation = someObservation({ market, balance, ...(others.some(isMined) && { nonce: 0 }) })
  return decide({ work, observation, policy: somePolicy, now }).decisions
}
const isMined = (transaction: Transaction) => isInPhase(transaction, 'mined')

test('a payload pays for its bytes and its access list, and nothing where no node reports the fee', () => {
  const bare = { data: '0x' } as const
  expect(l1FeeOf(bare, market)).toBe((1_000n + 240n) * gwei)
  expect(l1FeeOf(payload, market)).toBe(onL1)
  const accessList = [{ address: receiver, storageKeys: [data, data] }]
  expect(l1FeeOf({ ...bare, accessList }, market)).toBe((1_000n + 240n + 240n + 660n) * gwei)
  expect(l1FeeOf(payload, someMarket)).toBe(0n)
})

test('a send gets a nonce only if the balance covers its fee for L1, too', () => {
  const fees = eip1559(22n * gwei, 2n * gwei)
  const enough = ether + 1n + 100_000n * 22n * gwei + onL1
  const waiting = queued(1, { payload })
  expect(decided(waiting, enough)).toMatchObject([{ do: 'assignNonce', fees }])
  const [short] = decided(waiting, enough - 1n)
  expect(short).toMatchObject({ do: 'explain', condition: 'balance_short' })
  expect(short).toMatchObject({ reason: expect.stringContaining('its fee for data on L1') })
})

test('a send gets no nonce while no node reports a fee that the network charges', () => {
  const rollup = { ...somePolicy, profile: { ...somePolicy.profile, l1Fee: 'op_stack' as const } }
  const work = someWork({ relayer, queued: [queued(1, { payload })] })
  const planOf = (market: Market) => decide({ work, observation: someObservation({ market }), policy: rollup, now })
  expect(planOf(someMarket).decisions).toMatchObject([{ do: 'explain', condition: 'facts_missing' }])
  expect(planOf(market).decisions).toMatchObject([{ do: 'assignNonce' }])
})

test('those in flight, those mined ahead, and no-ops are counted with it', () => {
  const attempt = someAttempt(0, { gasLimit: 100_000, fees: eip1559(20n * gwei, 2n * gwei) })
  const flying = inFlight(0, [attempt], { payload })
  expect(maxCostOf(flying, market)).toBe(1n + 100_000n * 20n * gwei + onL1)
  const noOp = someNoOp(0, { fees: eip1559(40n * gwei, 4n * gwei) })
  expect(costOf(flying, noOp, market)).toBe(21_000n * 40n * gwei + 1_000n * gwei)

  const next = queued(7)
  const transfer = 1n + 21_000n * 22n * gwei + (1_000n + 240n) * gwei
  const enough = ether + maxCostOf(flying, market) + transfer
  for (const other of [flying, mined(0, by(attempt), [attempt], { payload })]) {
    expect(decided(next, enough, [other]).map((each) => each.do)).toContain('assignNonce')
    expect(decided(next, enough - 1n, [other])).toContainEqual(expect.objectContaining({ condition: 'balance_short' }))
  }
})

test('a replacement waits until the balance covers its fee for L1', () => {
  const pricing = { kind: 'eip1559', maxFeePerGas: 100n * gwei, maxPriorityFeePerGas: 50n * gwei } as const
  const { from: _, ...rest } = payload
  const replaced = replace(inFlight(0, [someAttempt(0)]), { ...rest, pricing }, 'public')
  const enough = ether + 1n + 100_000n * 100n * gwei + onL1
  expect(decided(replaced, enough)).toMatchObject([{ do: 'replace' }])
  expect(decided(replaced, enough - 1n)).toMatchObject([{ do: 'explain', condition: 'balance_short' }])
})

test('two of the queue get nonces only if the balance covers the fee for L1 of both', () => {
  const both = ether + 2n * (1n + 100_000n * 22n * gwei + onL1)
  const verbs = (balance: bigint) => {
    const work = someWork({ relayer, queued: [queued(1, { payload }), queued(2, { payload })] })
    const { decisions } = decide({ work, observation: someObservation({ market, balance }), policy: somePolicy, now })
    return decisions.map(({ do: what }) => what)
  }
  expect(verbs(both)).toEqual(['assignNonce', 'assignNonce'])
  expect(verbs(both - 1n)).toEqual(['assignNonce', 'explain'])
})
