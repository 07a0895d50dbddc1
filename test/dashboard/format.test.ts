// Amounts keep all their digits; an amount that is shortened says so.
import { expect, test } from 'vitest'
import { conditionTitles } from '../../src/dashboard/state/conditions.ts'
import { duration, ether, grouped, gwei, inGwei, shortly, weiOfGwei } from '../../src/dashboard/state/format.ts'
import { heldConditions } from '../../src/domain/condition.ts'

test('amounts are exact', () => {
  expect(ether(1n)).toBe('0.000000000000000001')
  expect(ether(9_999_995_367_700_000_000_000n)).toBe('9,999.9953677')
  expect(ether(0n)).toBe('0')
  expect(gwei(2_850_000_001n)).toBe('2.850000001')
  expect(grouped('3041640000000000')).toBe('3,041,640,000,000,000')
})

test('shortened amounts say that they are', () => {
  expect(shortly('9,999.9989677')).toBe('9,999.998…')
  expect(shortly('46.767123456')).toBe('46.7671…')
  expect(shortly('12,345,678.999')).toBe('12,345,678.99…')
  expect(shortly('0.00012345')).toBe('0.0001234…')
  expect(shortly('0.0015')).toBe('0.0015')
  expect(shortly('10,000')).toBe('10,000')
})

test('the sentences of the service have their wei as gwei', () => {
  expect(inGwei('waits at gas_price_cap (3000000000 wei): up to 100000000001 wei')).toBe(
    'Waits at gas_price_cap (3 gwei): up to 100.000000001 gwei',
  )
})

test.each([
  [999, '0 s'],
  [59_999, '59 s'],
  [12_000_000, '3 h 20 min'],
  [86_400_000 * 12, '12 d'],
])('%i ms are %s', (ms, text) => {
  expect(duration(ms)).toBe(text)
})

test('every condition has a title', () => {
  expect(Object.keys(conditionTitles).sort()).toEqual([...heldConditions].sort())
})

test.each([
  ['40', 40_000_000_000n],
  [' 0.5 ', 500_000_000n],
  ['1.000000001', 1_000_000_001n],
  ['', undefined],
  ['1.0000000001', undefined],
  ['-1', undefined],
  ['4e1', undefined],
])('"%s" gwei', (text, wei) => {
  expect(weiOfGwei(text)).toBe(wei)
})
