// How far tips may rise: twofold in ten minutes above the belief of a day.
import { describe, expect, test } from 'vitest'
import {
  type FirstReading,
  firstMark,
  firstTip,
  isMarkDue,
  keptMarks,
  type TipMark,
  tipAllowance,
  withFirstReading,
} from '../../src/domain/tip-marks.ts'
import { gwei, now } from './some.ts'

const minute = 60_000
const hour = 60 * minute
const small = gwei

/** What a node that names any tip is believed, minute by minute. */
function risesOver(minutes: number): readonly bigint[] {
  let marks: readonly TipMark[] = [firstMark(gwei, now)]
  return Array.from({ length: minutes }, (_, index) => {
    const at = now + index * minute
    const tip = tipAllowance(marks, small, at)
    if (isMarkDue(marks, tip, at)) marks = [...marks, { at, tip }]
    return tip
  })
}

describe('a tip', () => {
  test('rises at most twofold in any ten minutes', () => {
    const tips = risesOver(120)
    for (const [index, tip] of tips.entries()) {
      const before = tips[Math.max(0, index - 9)] ?? 0n
      expect(tip).toBeLessThanOrEqual(2n * before)
    }
    expect(tips.at(-1)).toBeGreaterThan(100n * gwei)
  })

  test('that is too small to matter may double from there, over any stored one', () => {
    expect(tipAllowance([firstMark(1n, now)], small, now)).toBe(2n * gwei)
  })

  test('counts for a day', () => {
    const marks = [{ at: now, tip: 100n * gwei }]
    expect(tipAllowance(marks, small, now + 24 * hour - 1)).toBe(200n * gwei)
    expect(tipAllowance(marks, small, now + 24 * hour)).toBe(2n * gwei)
    expect(keptMarks(marks, now + 24 * hour)).toEqual([])
  })

  test('counts only once its mark has stood for ten minutes', () => {
    const marks = [firstMark(gwei, now), { at: now, tip: 2n * gwei }]
    expect(tipAllowance(marks, small, now + 10 * minute - 1)).toBe(2n * gwei)
    expect(tipAllowance(marks, small, now + 10 * minute)).toBe(4n * gwei)
  })
})

describe('a mark ahead of the clock', () => {
  test('counts at once where the clock was set back, and for a day at most', () => {
    const marks = [{ at: now + hour, tip: 5n * gwei }]
    expect(tipAllowance(marks, small, now)).toBe(10n * gwei)
    expect(tipAllowance([{ at: now + 24 * hour, tip: 5n * gwei }], small, now)).toBe(2n * gwei)
  })

  test('of another replica, whose clock is fast, waits as any other', () => {
    const marks = [firstMark(gwei, now), { at: now + minute, tip: 2n * gwei }]
    expect(tipAllowance(marks, small, now)).toBe(2n * gwei)
  })

  test('holds up no later mark', () => {
    const marks = [{ at: now + hour, tip: gwei }]
    expect(isMarkDue(marks, 2n * gwei, now)).toBe(true)
    expect(isMarkDue([...marks, { at: now, tip: 2n * gwei }], 2n * gwei, now)).toBe(false)
  })
})

describe('a mark', () => {
  const marks = [{ at: now, tip: 10n * gwei }]

  test('is written where the tip rises, at most once in ten minutes', () => {
    expect(isMarkDue(marks, 11n * gwei, now + 10 * minute - 1)).toBe(false)
    expect(isMarkDue(marks, 11n * gwei, now + 10 * minute)).toBe(true)
  })

  test('is else written once an hour', () => {
    expect(isMarkDue(marks, gwei, now + hour - 1)).toBe(false)
    expect(isMarkDue(marks, gwei, now + hour)).toBe(true)
    expect(isMarkDue([], gwei, now)).toBe(true)
  })
})

/** The first tip that is believed of one endpoint: the lowest of three readings over a minute. */
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
