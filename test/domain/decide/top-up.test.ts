// The payment that ends a shortage: with it the first of the queue is sent, and with a fiftieth less it is not.
import { expect, test } from 'vitest'
import type { Work } from '../../../src/domain/decide/plan/work.ts'
import type { Policies } from '../../../src/domain/policy-table.ts'
import { topUpOf } from '../../../src/domain/preview/top-up.ts'
import type { Wei } from '../../../src/domain/units.ts'
import { decideInWords as decide } from '../in-words.ts'
import {
  ether,
  inFlight,
  now,
  queued,
  someAttempt,
  someObservation,
  somePayload,
  somePolicies,
  somePolicy,
  someRelayer,
  someWork,
} from '../some.ts'

const gwei = 10n ** 9n
const dear = queued(1, { payload: { ...somePayload, value: 3n * ether } })
const flying = inFlight(0, [someAttempt(0)])
const { market } = someObservation()

function short(policies: Partial<Policies>, work: Partial<Work>, balance: Wei) {
  const relayer = someRelayer({ policies: { ...somePolicies, ...policies } })
  const whole = someWork({ relayer, ...work })
  const sends = whole.queued.map(({ payload }) => payload)
  if (!market) throw new Error('no market')
  const topUp = topUpOf(whole, sends, { balance, market }, somePolicy)
  const isSent = (paid: Wei) => {
    const observation = someObservation({ balance: balance + paid })
    const { decisions } = decide({ work: whole, observation, policy: somePolicy, now })
    return decisions.some((each) => each.do === 'assignNonce' && each.transaction.id === whole.queued[0]?.id)
  }
  return { topUp, isSent }
}

test.each<[string, Partial<Policies>, Partial<Work>, Wei]>([
  ['a value', {}, { queued: [dear] }, ether],
  ['gas alone', {}, { queued: [queued(1)] }, 1_000n],
  ['beside one in flight', {}, { queued: [dear], open: [flying] }, ether],
  ['with a reserve of its own', { cancelReserve: ether }, { queued: [dear] }, 2n * ether],
  ['up to the least balance', { minBalance: 9n * ether }, { queued: [queued(1)] }, ether],
  ['an empty account', {}, { queued: [dear] }, 0n],
])('%s', (_, policies, work, balance) => {
  const { topUp, isSent } = short(policies, work, balance)
  expect(topUp.next).toBeGreaterThan(0n)
  expect(isSent(topUp.next)).toBe(true)
  expect(isSent((topUp.next * 98n) / 100n)).toBe(false)
})

test('the sum for all that wait is more than for the next, and nothing is missing where the balance covers them', () => {
  const queue = [dear, queued(2, { payload: { ...somePayload, value: ether } }), queued(3)]
  const { topUp } = short({}, { queued: queue }, ether)
  expect(topUp.queue?.transactions).toBe(3)
  const more = (topUp.queue?.wei ?? 0n) - topUp.next
  expect(more).toBeGreaterThan(ether)
  expect(more).toBeLessThan(ether + ether / 10n)
  expect(short({}, { queued: queue }, 100n * ether).topUp).toEqual({ next: 0n, queue: { transactions: 3, wei: 0n } })
})

test('gas that a node still has to estimate is left out: at least', () => {
  const { gasLimit: _, ...estimated } = somePayload
  const payload = { ...estimated, value: 3n * ether }
  const { topUp } = short({ cancelReserve: 0n }, { queued: [queued(1, { payload })] }, ether)
  expect(topUp).toEqual({ next: 2n * ether, queue: { transactions: 1, wei: 2n * ether } })
})

test('without a queue it is the reserve that sends leave, and a price above the cap counts as the cap', () => {
  const reserve = { cancelReserve: 5n * gwei }
  expect(short(reserve, { queued: [] }, 0n).topUp).toEqual({ next: 5n * gwei })
  const { topUp } = short({ ...reserve, gasPriceCap: 1n }, { queued: [queued(1)] }, 0n)
  expect(topUp.next).toBe(somePayload.value + BigInt(somePayload.gasLimit ?? 0) + 5n * gwei)
})
