// Counts, ages and times as people read them.
import { expect, test } from 'vitest'
import { conditionTitles } from '../../src/dashboard/state/conditions.ts'
import { begun, duration, exactTime, grouped, localTime, weiOfGwei } from '../../src/dashboard/state/format.ts'
import { heldConditions } from '../../src/domain/condition.ts'

test.each([
  [999, '0 s'],
  [59_999, '59 s'],
  [12_000_000, '3 h 20 min'],
  [86_400_000 * 12, '12 d'],
])('%i ms are %s', (ms, text) => {
  expect(duration(ms)).toBe(text)
})

test('counts have their thousands, sentences a capital, and times a zone', () => {
  expect(grouped('3041640000000000')).toBe('3,041,640,000,000,000')
  expect(begun('waits at gas_price_cap (3 gwei)')).toBe('Waits at gas_price_cap (3 gwei)')
  const at = '2026-01-02T03:04:05.678Z'
  expect(exactTime(at)).toBe('2026-01-02 03:04:05 UTC')
  expect(new Date(localTime(at)).getTime()).toBe(Date.parse('2026-01-02T03:04:05Z'))
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
