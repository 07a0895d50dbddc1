import { expect, test } from 'vitest'
import { refusalOfKept } from '../../src/domain/no-balance.ts'
import { isNoBalance } from '../../src/domain/shown-amount.ts'

/** What Tempo's nodes return for every account. */
const everyAccount = BigInt('42'.repeat(38))

test('a number above any supply is no balance', () => {
  expect([0n, 10n ** 30n, 2n ** 200n, 2n ** 200n + 1n, everyAccount].map(isNoBalance)).toEqual([
    ...[false, false, false],
    ...[true, true],
  ])
})

test('nothing can be kept of none, and a policy of 0 keeps nothing', () => {
  const text = 'this chain has no balance of its native token, so nothing can be kept of it; remove the policy'
  expect(refusalOfKept({ minBalance: 1n }, everyAccount)).toBe(`min_balance: ${text}`)
  expect(refusalOfKept({ minBalance: 0n, cancelReserve: 1n }, everyAccount)).toBe(`cancel_reserve: ${text}`)
  expect(refusalOfKept({ minBalance: 0n, cancelReserve: 0n }, everyAccount)).toBeUndefined()
  expect(refusalOfKept({ minBalance: 1n, cancelReserve: 1n }, 10n ** 30n)).toBeUndefined()
})
