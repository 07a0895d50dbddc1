// Amounts for people: three digits, in ether or gwei, and never a digit less than a sufficient amount.
import { expect, test } from 'vitest'
import {
  atLeastInEther,
  exactlyInEther,
  exactlyInGwei,
  inEther,
  inGwei,
  shownAmount,
} from '../../src/domain/shown-amount.ts'

const ether = 10n ** 18n

test.each([
  [0n, '0 ether'],
  [1n, '0.000000001 gwei'],
  [21_000n * 10n ** 9n, '0.000021 ether'],
  [420n * 10n ** 9n, '420 gwei'],
  [1_500_000_000_000_000n, '0.0015 ether'],
  [1_234_567_890_000_000_000n, '1.23 ether'],
  [999_999_999_999_999_999n, '1 ether'],
  [46_767_123_456_000_000_000n, '46.8 ether'],
  [9_999_995_367_700_000_000_000n, '10,000 ether'],
  [1_234_567n * ether + 1n, '1,234,567 ether'],
])('%s wei are %s', (wei, text) => {
  expect(inEther(wei)).toBe(text)
})

test.each([
  [252n, '0.000000252 gwei'],
  [2_850_000_001n, '2.85 gwei'],
  [250_500_000_000n, '251 gwei'],
  [50n * 10n ** 9n, '50 gwei'],
])('a price of %s wei is %s', (wei, text) => {
  expect(inGwei(wei)).toBe(text)
})

test('an amount that has to suffice is rounded up, by a hundredth and by 0.0001 at most', () => {
  expect(atLeastInEther(1_001_000_000_000_000_001n)).toBe('1.0011 ether')
  expect(atLeastInEther(100_000_100_000_000_000_000n)).toBe('100.0001 ether')
  expect(atLeastInEther(12_345_678_912_345_678n)).toBe('0.0124 ether')
  expect(atLeastInEther(ether)).toBe('1 ether')
  expect(atLeastInEther(1n)).toBe('0.000000001 gwei')
  for (let wei = 7n; wei < 10n ** 24n; wei = (wei * 13n) / 7n + 1n) {
    const { figure, unit } = shownAmount(wei, { up: true })
    const [whole = '', fraction = ''] = figure.replaceAll(',', '').split('.')
    const decimals = unit === 'ether' ? 18 : 9
    const shown = BigInt(whole + fraction.padEnd(decimals, '0'))
    expect(shown >= wei && shown * 100n <= wei * 101n && shown - wei < 10n ** BigInt(decimals - 4)).toBe(true)
  }
})

test('compared amounts keep their digits', () => {
  expect(exactlyInGwei(100_000_000_001n)).toBe('100.000000001 gwei')
  expect(exactlyInEther(5n * ether + 1n)).toBe('5.000000000000000001 ether')
})
