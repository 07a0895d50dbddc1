// The first tip that is believed of one endpoint: the lowest of three readings over a minute.
import { expect, test } from 'vitest'
import { type FirstReading, firstTip, withFirstReading } from '../../src/domain/tip-marks.ts'

const lie = 10n ** 15n

function tipAfter(all: readonly FirstReading[]): bigint | undefined {
  return firstTip(all.reduce(withFirstReading, [] as readonly FirstReading[]))
}

const reading = (second: number, tip = 5n, block = second): FirstReading => ({ tip, block, atMs: second * 1_000 })

test('is the lowest of three readings, over a minute', () => {
  expect(tipAfter([])).toBeUndefined()
  expect(tipAfter([reading(0), reading(30)])).toBeUndefined()
  expect(tipAfter([reading(0, 9n), reading(30, 7n), reading(60, 8n)])).toBe(7n)
  expect(tipAfter([reading(0, lie), reading(30, lie), reading(60, 8n)])).toBe(8n)
})

test('takes a minute, however many readings there are', () => {
  const each = (seconds: number) => Array.from({ length: seconds }, (_, second) => reading(second))
  expect(tipAfter(each(60))).toBeUndefined()
  expect(tipAfter(each(61))).toBe(5n)
})

test('counts a block once', () => {
  expect(tipAfter([reading(0), reading(30, 5n, 0), reading(60, 5n, 0), reading(90, 5n, 0)])).toBeUndefined()
  expect(tipAfter([reading(0), reading(30, 5n, 0), reading(60, 6n, 1), reading(90, 7n, 2)])).toBe(5n)
})
